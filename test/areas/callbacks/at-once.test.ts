/** Events that are processed at once. */
import { beforeAll, expect, test } from 'vitest'
import { PROCESS_CALLBACK } from '../../../src/areas/callbacks/processing/job.ts'
import { AT_ONCE } from '../../../src/areas/callbacks/rules/admission.ts'
import { addAgents } from '../../setup/agents.ts'
import { addCallbacks } from '../../setup/callbacks.ts'
import { performAtOnce, processCallbacksOf, waitingCallbacks } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { callbacksOf, changeTicket, happen, receive } from './events.ts'

beforeAll(installQueues)

const LONG_AGO = new Date(Date.now() - 86_400_000)

const AGENT = {
  id: 1,
  autonomy_type: 'CHAINED_ACTIONS',
  callback_settings: { change_types: ['TICKET_STATUS_CHANGED'] },
} as const

test('one of several events of a ticket at once sees the change, and its agent starts once', async () => {
  const msp = await world()
  await addPsaTickets(msp, [{ ticket_id: '1', created_at: LONG_AGO, updated_at: LONG_AGO }])
  await addAgents(msp, [AGENT])
  await happen(msp, [{ event_id: 'before' }])
  await changeTicket(msp, { status: 'In progress' })
  const ids = ['e1', 'e2', 'e3', 'e4']
  await receive(msp, ...ids.map((event_id) => ({ event_id })))
  await performAtOnce(msp, PROCESS_CALLBACK.name)
  for (const _ of ids) await processCallbacksOf(msp)
  const [, ...callbacks] = await callbacksOf(msp)
  expect(callbacks.map(({ filter_reason }) => String(filter_reason)).sort()).toEqual([
    'DUPLICATE',
    'DUPLICATE',
    'DUPLICATE',
    'null',
  ])
  expect(await msp.database.prisma.execution.count({ where: { tenant_id: msp.tenant_id } })).toBe(1)
})

test('the job of a callback that is run twice at once starts its agent once', async () => {
  const msp = await world()
  await addPsaTickets(msp, [{ ticket_id: '1', created_at: LONG_AGO, updated_at: LONG_AGO }])
  await addAgents(msp, [AGENT])
  await happen(msp, [{ event_id: 'before' }])
  await changeTicket(msp, { status: 'In progress' })
  await receive(msp, { event_id: 'e1' })
  await performAtOnce(msp, PROCESS_CALLBACK.name, 4)
  expect(await msp.database.prisma.execution.count({ where: { tenant_id: msp.tenant_id } })).toBe(1)
  expect((await callbacksOf(msp)).at(-1)).toMatchObject({
    status: 'PROCESSED',
    matches: [{ result: 'MATCHED' }],
  })
})

test('a callback that finds the concurrency cap exhausted waits, is handed a slot, and says how long it waited', async () => {
  const msp = await world()
  await addPsaTickets(
    msp,
    ['1', '2'].map((ticket_id) => ({ ticket_id, created_at: LONG_AGO, updated_at: LONG_AGO })),
  )
  const busy = Array.from({ length: AT_ONCE }, (_, n) => ({
    id: `busy${n}`,
    status: 'PROCESSING' as const,
    entity_id: `x${n}`,
  }))
  await addCallbacks(msp, busy)
  await receive(msp, { event_id: 'e1' })
  await processCallbacksOf(msp)
  const { callback } = msp.database.prisma
  const where = { tenant_id: msp.tenant_id, event_id: 'e1' }
  expect(await callback.findFirst({ where })).toMatchObject({
    status: 'QUEUED',
    waits_since: expect.any(Date),
  })
  expect(await waitingCallbacks(msp)).toEqual([])
  await receive(msp, { event_id: 'e2', entity_id: '2' })
  await callback.updateMany({
    where: { tenant_id: msp.tenant_id, id: 'busy0' },
    data: { status: 'PROCESSED', processed_at: new Date() },
  })
  await callback.updateMany({ where, data: { waits_since: new Date(Date.now() - 5000) } })
  // The next one takes the free slot, and hands it over at its end.
  await processCallbacksOf(msp)
  await processCallbacksOf(msp)
  const waited = await callback.findFirst({ where })
  expect(waited).toMatchObject({ status: 'FILTERED_OUT', waits_since: null })
  expect(waited?.wait_seconds).toBeGreaterThanOrEqual(5)
  const next = await callback.findFirst({ where: { ...where, event_id: 'e2' } })
  expect(next?.wait_seconds).toBeLessThan(waited?.wait_seconds ?? 0)
})
