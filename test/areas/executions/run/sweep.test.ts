/** Executions whose job was lost, as with a queue that was restored from an older backup. */
import { beforeAll, expect, it } from 'vitest'
import { apis } from '../../../setup/api.ts'
import { clock, testApp } from '../../../setup/app.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRun, performRuns, settle, sweep, takeRunJobs } from '../../../setup/runs.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, executionOf, NOTE, STATUS, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]
const setSlot = ({ database, tenant_id }: Msp, slot: 'WAITING' | 'GRANTED') =>
  database.prisma.executionWork.updateMany({ where: { tenant_id }, data: { slot, waits_since: clock.now() } })

/** An execution that has been taken up as far as a slot, and whose job is lost. */
async function withSlot(slot: 'WAITING' | 'GRANTED') {
  const msp = await chainMsp()
  const execution_id = await start(api, msp)
  await takeRunJobs(msp)
  const { tenant_id, environment } = msp
  await msp.database.prisma.executionWork.create({
    data: {
      tenant_id,
      environment,
      execution_id,
      arrived_at: clock.now(),
      agent_name: 'Chain',
      autonomy_type: 'CHAINED_ACTIONS',
      entity_type: 'TICKET',
      agent_settings: {},
      actions: [],
      toolbox: {},
      integrations: {},
    },
  })
  await setSlot(msp, slot)
  await settle(msp)
  return { msp, execution_id }
}

it('an accepted execution without a job gets one, and runs', async () => {
  const msp = await chainMsp()
  const execution_id = await start(api, msp)
  await takeRunJobs(msp)
  await settle(msp)
  await sweep()
  await sweep()
  expect(await performRuns(msp)).toBe(1)
  expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED', run_count: 1 })
  expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
})

it('a run whose job was lost with its worker goes on, and repeats nothing', async () => {
  const msp = await chainMsp([NOTE, STATUS])
  const execution_id = await start(api, msp)
  const [job] = await takeRunJobs(msp)
  if (!job) throw new Error('No job')
  const stop = new AbortController()
  const { services } = (await testApp()).app
  const psa: typeof services.connectors.psa = (ctx) => {
    const real = services.connectors.psa(ctx)
    const addNote: typeof real.addNote = async (...args) => {
      const made = await real.addNote(...args)
      stop.abort(new Error('the process is gone'))
      return made
    }
    return { ...real, addNote }
  }
  const dying = { ...services, connectors: { ...services.connectors, psa } }
  await expect(performRun(job, { services: dying, signal: stop.signal })).rejects.toThrow('is gone')
  await settle(msp)
  await sweep()
  expect(await performRuns(msp)).toBe(1)
  expect(await executionOf(api, msp, execution_id)).toMatchObject({
    status: 'COMPLETED',
    resolution: 'FULL',
    run_count: 1,
    credits_consumed: 2,
  })
  expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
})

it('one that was granted a slot begins', async () => {
  const { msp, execution_id } = await withSlot('GRANTED')
  await sweep()
  await performRuns(msp)
  expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
})

it('one that waits for a slot which nobody handed over gets it', async () => {
  const { msp, execution_id } = await withSlot('WAITING')
  await sweep()
  expect(await performRuns(msp)).toBe(1)
  expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
})

const waiting = async ({ database, tenant_id }: Msp): Promise<number> => {
  const [row] = await database.prisma.$queryRaw<{ jobs: bigint }[]>`
    select count(*) as jobs from pgboss.job
    where name = 'executions.run' and state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}`
  return Number(row?.jobs)
}

it.each<[which: string, arrange: (msp: Msp, execution_id: string) => Promise<unknown>]>([
  ['changed within the last minute', takeRunJobs],
  ['has its job', settle],
  [
    'came to its end',
    async (msp, execution_id) => {
      await takeRunJobs(msp)
      await api.call(msp.key, 'cancel_execution', { execution_id })
      await settle(msp)
    },
  ],
  [
    'another engine accepted',
    async (msp) => {
      const { prisma } = msp.database
      await takeRunJobs(msp)
      await prisma.execution.updateMany({ where: { tenant_id: msp.tenant_id }, data: { request_id: null } })
      await settle(msp)
    },
  ],
])('one that %s gets no further job', async (_which, arrange) => {
  const msp = await chainMsp()
  await arrange(msp, await start(api, msp))
  const before = await waiting(msp)
  await sweep()
  expect(await waiting(msp)).toBe(before)
})
