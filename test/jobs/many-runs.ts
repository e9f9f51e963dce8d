/** Executions that worker processes run, for tests that disturb the work. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { addAgents } from '../setup/agents.ts'
import { startApp } from '../setup/app.ts'
import { openTestDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'
import { startWorkers, WORKERS } from './workers.ts'

/** 40, or as many as `TEST_EXECUTIONS` says. */
export const EXECUTIONS = Number(process.env.TEST_EXECUTIONS ?? 40)
const NOTES = 3
const ENDED_MS = 1500 * EXECUTIONS + 60_000

/** The time for a whole test. */
export const TEST_MS = ENDED_MS + 60_000

const actions = Array.from({ length: NOTES }, (_, n) => ({
  type: 'ticket.add_note',
  params: { text: `Note ${n}`, visibility: 'INTERNAL' },
}))

/** Most of the time of a call is between its being made and its being recorded, where a lost worker is hardest to follow. */
const RECORD_SLOWLY = [
  `create function record_slowly() returns trigger language plpgsql as
     $$ begin perform pg_sleep(0.1); return new; end $$`,
  `create trigger record_slowly before update of status on tool_call
     for each row when (new.status = 'SUCCEEDED') execute function record_slowly()`,
]

export type ManyRuns = Awaited<ReturnType<typeof manyRuns>>

/**
 * A tenant whose agent is run on as many tickets as there are executions, by `processes`. Each execution writes three notes.
 * `env` are variables of the processes.
 */
export async function manyRuns(url: string, env: Record<string, string> = {}, processes = WORKERS) {
  const database = await openTestDatabase(url)
  await installJobs(database, 'test', JOBS)
  for (const statement of RECORD_SLOWLY) await database.prisma.$executeRawUnsafe(statement)
  const { app, base } = await startApp(database)
  const msp = await world(database)
  const { tenant_id } = msp
  const headers = { authorization: `Bearer ${msp.key.token}` }
  const { execution, executionRun, executionWork, storedToolCall, psaNote, auditEntry } = database.prisma
  const workers = startWorkers(url, 'runs', env, processes)
  onTestFinished(async () => {
    workers.kill()
    await app.close(1000)
    await database.close()
  })

  await addAgents(msp, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', actions }])
  const tickets = Array.from({ length: EXECUTIONS }, (_, n) => `t${n}`)
  await addPsaTickets(
    msp,
    tickets.map((ticket_id) => ({ ticket_id })),
  )
  for (const entity_id of tickets) {
    const answer = await fetch(`${base}/public-api/agents/1/run-now`, json({ entity_id }, { headers }))
    expect(answer.status).toBe(200)
  }

  /** The executions that are not at work any more; while the database is away, as many as before. */
  let ended = 0
  const count = async () => {
    ended = await execution
      .count({ where: { tenant_id, status: { notIn: ['NEW', 'RUNNING'] } } })
      .catch(() => ended)
    return ended
  }

  async function expectChain(entries: number) {
    await until(async () => (await auditEntry.count({ where: { tenant_id, hash: null } })) === 0)
    const days = await auditEntry.groupBy({ by: ['chain_day'], where: { tenant_id } })
    let verified = 0
    for (const { chain_day } of days) {
      const day = chain_day?.toISOString().slice(0, 10)
      const answer = await fetch(`${base}/public-api/audit-log/verify?day=${day}`, { headers })
      const { data } = (await answer.json()) as { data: { status: string; verified_entries: number } }
      expect(data).toMatchObject({ status: 'VERIFIED', fault: null, unclosed_entries: 0 })
      verified += data.verified_entries
    }
    expect(verified).toBe(entries)
  }

  return {
    /** Ends a worker at once, and starts another. */
    killWorker: () => workers.replaceOne(),
    /** Does the blow again and again while the executions are at work: at random, and each after some of the work. */
    async disturb(times: number, blow: (n: number) => unknown): Promise<void> {
      for (let n = 0; n < times; n++) {
        const before = n === 0 ? 0 : ended
        await until(async () => (await count()) > before, ENDED_MS)
        if (ended === EXECUTIONS) return
        await sleep(Math.random() * 300)
        await blow(n)
      }
    },
    /** Each execution did all its work, each of its writes once, and its trail is whole. */
    async expectAllWell(): Promise<void> {
      await until(async () => (await count()) === EXECUTIONS, ENDED_MS)
      expect(workers.running()).toBe(processes)
      const stored = await execution.findMany({ where: { tenant_id } })
      for (const one of stored)
        expect({ ...one, credits_consumed: Number(one.credits_consumed) }).toMatchObject({
          status: 'COMPLETED',
          resolution: 'FULL',
          run_count: 1,
          error: null,
          credits_consumed: NOTES,
        })
      const notes = await psaNote.groupBy({ by: ['ticket_id', 'text'], where: { tenant_id }, _count: true })
      expect(notes.map(({ _count }) => _count)).toEqual(Array(EXECUTIONS * NOTES).fill(1))
      const calls = await storedToolCall.groupBy({ by: ['status'], where: { tenant_id }, _count: true })
      expect(calls).toEqual([{ status: 'SUCCEEDED', _count: EXECUTIONS * NOTES }])
      expect(await executionRun.count({ where: { tenant_id, status: 'COMPLETED' } })).toBe(EXECUTIONS)
      expect(await executionWork.count({ where: { tenant_id, slot: { not: null } } })).toBe(0)
      await expectChain(EXECUTIONS * NOTES)
    },
  }
}
