/** The slots of a tenant: so many executions are at work at once, and the others wait in the order of arrival. */
import { beforeAll, expect, it } from 'vitest'
import type { Services } from '../../../../src/gateway/context.ts'
import { apis } from '../../../setup/api.ts'
import { testApp } from '../../../setup/app.ts'
import { addPsaTickets } from '../../../setup/psa.ts'
import { performRun, takeRunJobs } from '../../../setup/runs.ts'
import { until } from '../../../setup/until.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, executionOf, NOTE, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]
const SLOTS = 20
const MORE = 5

/** The service with a PSA whose writes wait until they are let through, each ticket's on its own. */
async function withHeldWrites() {
  const { services } = (await testApp()).app
  const held = new Map<string, () => void>()
  const holding: Services = {
    ...services,
    connectors: {
      ...services.connectors,
      psa: (ctx) => {
        const psa = services.connectors.psa(ctx)
        return {
          ...psa,
          addNote: async (ticket_id, ...rest) => {
            await new Promise<void>((go) => held.set(ticket_id, go))
            return await psa.addNote(ticket_id, ...rest)
          },
        }
      },
    },
  }
  return { services: holding, held }
}

const inStatus = async ({ database, tenant_id }: Msp, status: 'NEW' | 'RUNNING' | 'COMPLETED') =>
  await database.prisma.execution.findMany({
    where: { tenant_id, status },
    orderBy: [{ created_at: 'asc' }, { execution_id: 'asc' }],
  })

/** The executions that were taken up, those of them that waited for a slot, and the seconds of all. */
async function measuredWaits() {
  const { base } = await testApp()
  const metrics = await (await fetch(`${base}/metrics`)).text()
  const read = (line: string) =>
    Number(new RegExp(`^execution_slot_wait_seconds_${line} (\\S+)$`, 'm').exec(metrics)?.[1])
  return { all: read('count'), at_once: read('bucket{le="0"}'), seconds: read('sum') }
}

it('are taken in the order of arrival, and handed over by whatever ends', async () => {
  const before = await measuredWaits()
  const msp = await chainMsp([NOTE])
  const tickets = Array.from({ length: SLOTS + MORE }, (_, n) => `slot_${String(n).padStart(2, '0')}`)
  await addPsaTickets(
    msp,
    tickets.map((ticket_id) => ({ ticket_id })),
  )
  for (const ticket_id of tickets) await start(api, msp, ticket_id)
  const { services, held } = await withHeldWrites()
  const performing: Promise<void>[] = []
  const perform = async () => {
    for (const job of await takeRunJobs(msp)) performing.push(performRun(job, { services }))
  }
  await perform()
  await until(() => held.size === SLOTS)
  await until(async () => (await inStatus(msp, 'NEW')).length === MORE)
  const waiting = await inStatus(msp, 'NEW')
  await until(
    async () =>
      (await msp.database.prisma.executionWork.count({
        where: { tenant_id: msp.tenant_id, slot: 'WAITING' },
      })) === MORE,
  )

  // What is cancelled hands its slot over too.
  const [first] = await inStatus(msp, 'RUNNING')
  await api.call(msp.key, 'cancel_execution', { execution_id: first?.execution_id })
  const begun: string[] = []
  for (const expected of waiting) {
    await perform()
    await until(() => held.has(expected.entity_id as string))
    const running = await inStatus(msp, 'RUNNING')
    expect(running).toHaveLength(SLOTS)
    begun.push(
      ...running.map(({ execution_id }) => execution_id).filter((id) => id === expected.execution_id),
    )
    const next = running.find(({ entity_id }) => tickets.indexOf(entity_id as string) < SLOTS)
    held.get(next?.entity_id as string)?.()
    await until(async () => {
      const execution = await executionOf(api, msp, next?.execution_id as string)
      return execution.status === 'COMPLETED'
    })
  }
  expect(begun).toEqual(waiting.map(({ execution_id }) => execution_id))

  for (const go of held.values()) go()
  await Promise.all(performing)
  expect(await inStatus(msp, 'COMPLETED')).toHaveLength(SLOTS + MORE - 1)
  const works = await msp.database.prisma.executionWork.findMany({ where: { tenant_id: msp.tenant_id } })
  expect(works.filter(({ slot }) => slot !== null)).toEqual([])
  expect(works.filter(({ waits_since }) => waits_since !== null)).toHaveLength(MORE)
  const after = await measuredWaits()
  expect([after.all - before.all, after.at_once - before.at_once]).toEqual([SLOTS + MORE, SLOTS])
  expect(after.seconds).toBeGreaterThan(before.seconds)
})

it('are as many as the operator says', async () => {
  const msp = await chainMsp([NOTE])
  for (const ticket_id of ['4711', '4712']) await start(api, msp, ticket_id)
  const { services, held } = await withHeldWrites()
  const one_slot = { ...services, slots: 1 }
  const perform = async () => (await takeRunJobs(msp)).map((job) => performRun(job, { services: one_slot }))
  const [first, second] = await perform()
  await until(() => held.size > 0)
  await Promise.race([first, second])
  expect(held.size).toBe(1)
  expect(await inStatus(msp, 'NEW')).toHaveLength(1)

  // The slot is handed over.
  for (const go of held.values()) go()
  await Promise.all([first, second])
  const handed = await perform()
  await until(() => held.size === 2)
  for (const go of held.values()) go()
  await Promise.all(handed)
  expect(await inStatus(msp, 'COMPLETED')).toHaveLength(2)
})
