/** Executions whose workers are killed, and whose connections are cut, at random. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { enqueueExecution, startExecution } from '../../src/areas/executions/index.ts'
import type { Database } from '../../src/db/database.ts'
import { statement } from '../../src/db/sql.ts'
import { JOBS } from '../../src/jobs.ts'
import { addAgents } from '../setup/agents.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { jobService } from './service.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXECUTIONS = 40
const NOTES = 3
const WORKERS = 3
const BLOWS = 4

const startWorker = (url: string): ChildProcess =>
  spawn(join(ROOT, 'node_modules/.bin/node'), [join(ROOT, 'test/jobs/worker-process.ts')], {
    env: { PATH: process.env.PATH, DATABASE_URL: url, ENVIRONMENT: 'test', WORKS: 'runs' },
    stdio: 'ignore',
  })

const actions = Array.from({ length: NOTES }, (_, n) => ({
  type: 'ticket.add_note',
  params: { text: `Note ${n}`, visibility: 'INTERNAL' },
}))

/** Accepts an execution of agent 1 on each of the tickets. */
async function accept(msp: Msp, database: Database, tickets: readonly string[]) {
  const service = await jobService(JOBS, pino({ level: 'silent' }), {}, database)
  for (const entity_id of tickets)
    await service.call(async (caller) => {
      const viewer = { ...caller.viewer, tenant_id: msp.tenant_id, environment: msp.environment }
      const ctx = { ...caller, viewer, services: service.app.services, now: new Date() } as never
      const id = await enqueueExecution(ctx)
      await startExecution(ctx, id, {
        ...{ agent_id: 1, agent_name: 'Chain', entity_type: 'TICKET', entity_id, entity_number: null },
        psa_company_id: null,
        ...{ supervised: false, supervisor_technician_ids: [], trigger: 'RUN_NOW' },
        additional_custom_instructions: null,
      })
    })
  return service
}

const CUT = statement(
  'test.cut',
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid()`,
)

const BLOWS_OF: Record<string, (workers: ChildProcess[], url: string, database: Database) => Promise<void>> =
  {
    'workers are killed': async (workers, url) => {
      const [worker] = workers.splice(Math.floor(Math.random() * workers.length), 1)
      worker?.kill('SIGKILL')
      workers.push(startWorker(url))
    },
    'connections are cut': async (_workers, _url, database) => {
      await database.sql.rows(CUT, [])
    },
  }

test.runIf(process.env.DATABASE_URL).each(Object.keys(BLOWS_OF))(
  'of executions whose %s at random, every one ends well, and each note is written once',
  { timeout: 240_000 },
  async (blow) => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    const msp = await world(database)
    const tickets = Array.from({ length: EXECUTIONS }, (_, n) => `t${n}`)
    await addAgents(msp, [
      { id: 1, name: 'Chain', autonomy_type: 'CHAINED_ACTIONS', agent_settings: {}, actions },
    ])
    await addPsaTickets(
      msp,
      tickets.map((ticket_id) => ({ ticket_id })),
    )
    const workers = Array.from({ length: WORKERS }, () => startWorker(url))
    const service = await accept(msp, database, tickets)
    onTestFinished(async () => {
      for (const worker of workers) worker.kill('SIGKILL')
      await service.app.close(1000)
      await database.close()
    })
    const { execution, psaNote, auditEntry, executionWork } = database.prisma
    const { tenant_id } = msp
    await until(async () => (await execution.count({ where: { tenant_id, status: { not: 'NEW' } } })) > 0)
    for (let n = 0; n < BLOWS; n++) {
      await sleep(100 + Math.random() * 400)
      await BLOWS_OF[blow]?.(workers, url, database)
    }
    await until(
      async () => (await execution.count({ where: { tenant_id, status: 'COMPLETED' } })) === EXECUTIONS,
      180_000,
    )
    const notes = await psaNote.groupBy({ by: ['ticket_id', 'text'], where: { tenant_id }, _count: true })
    expect(notes.map(({ _count }) => _count)).toEqual(Array(EXECUTIONS * NOTES).fill(1))
    expect(await auditEntry.count({ where: { tenant_id, outcome: 'SUCCEEDED' } })).toBe(EXECUTIONS * NOTES)
    expect(await executionWork.count({ where: { tenant_id, slot: { not: null } } })).toBe(0)
  },
)
