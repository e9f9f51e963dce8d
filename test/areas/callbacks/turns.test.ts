/** The turns of callbacks, as callers read what each of them waits for. */
import { beforeAll, describe, expect, test } from 'vitest'
import { AT_ONCE, GROUP } from '../../../src/areas/callbacks/rules/admission.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { type Api, apis } from '../../setup/api.ts'
import { addCallbacks } from '../../setup/callbacks.ts'
import { processCallbacksOf, withoutPsa, withPsa } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { callbacksOf, receive } from './events.ts'
import { list, read } from './rows.ts'

beforeAll(installQueues)

const LONG_AGO = new Date(Date.now() - 86_400_000)

const tickets = (msp: Msp, count: number) =>
  addPsaTickets(
    msp,
    Array.from({ length: count }, (_, n) => ({
      ticket_id: String(n + 1),
      created_at: LONG_AGO,
      updated_at: LONG_AGO,
    })),
  )

const busy = (msp: Msp, count: number, entity_id = 'other') =>
  addCallbacks(
    msp,
    Array.from({ length: count }, (_, n) => ({
      id: `busy${n}`,
      status: 'PROCESSING' as const,
      entity_id: count === 1 ? entity_id : `${entity_id}${n}`,
    })),
  )

const free = ({ database, tenant_id }: Msp) =>
  database.prisma.callback.updateMany({
    where: { tenant_id, status: 'PROCESSING' },
    data: { status: 'PROCESSED', processed_at: new Date() },
  })

async function waitsOf(api: Api, msp: Msp): Promise<(string | null)[]> {
  const { data } = await list(api, msp.key)
  const single = await Promise.all(
    data.map(async ({ id }: { id: string }) => (await read(api, msp.key, id)).data.waiting_for),
  )
  const waits = data.map(({ waiting_for }: { waiting_for: string | null }) => waiting_for)
  expect(single).toEqual(waits)
  return waits
}

describe.each(apis)('through $name, a callback waits', (api) => {
  test('for the end of the configured sleep', async () => {
    const msp = await world()
    await receive(msp, {})
    expect(await waitsOf(api, msp)).toEqual(['SLEEP'])
  })

  test('for a slot, while others are processed', async () => {
    const msp = await world()
    await tickets(msp, 1)
    await busy(msp, AT_ONCE)
    await receive(msp, {})
    await processCallbacksOf(msp)
    expect((await waitsOf(api, msp)).filter(Boolean)).toEqual(['SLOT'])
  })

  test('for another callback about its ticket', async () => {
    const msp = await world()
    await tickets(msp, 1)
    await busy(msp, 1, '1')
    await receive(msp, {})
    await processCallbacksOf(msp)
    expect((await waitsOf(api, msp)).filter(Boolean)).toEqual(['ENTITY'])
  })

  test('for the PSA that does not answer, which its error says', async () => {
    const msp = await world()
    await tickets(msp, 3)
    await receive(msp, { entity_id: '1' }, { entity_id: '2' }, { entity_id: '3' })
    await processCallbacksOf(msp, { services: await withoutPsa('ticketsWithNotes') })
    expect(await waitsOf(api, msp)).toEqual([null, null, null])
    const { data } = await list(api, msp.key)
    for (const callback of data)
      expect(callback).toMatchObject({
        status: 'QUEUED',
        error: 'INTEGRATION: The PSA did not answer. It is asked again.',
      })
  })
})

test('events that came before their ticket was read are answered by that read', async () => {
  const msp = await world()
  await tickets(msp, 1)
  await busy(msp, 1, '1')
  await receive(msp, { event_id: 'e1' }, { event_id: 'e2' }, { event_id: 'e3' })
  await processCallbacksOf(msp)
  await free(msp)
  let reads = 0
  const services = await withPsa((local) => ({
    async ticketsWithNotes(ids) {
      reads++
      return await local.ticketsWithNotes(ids)
    },
  }))
  const { callback } = msp.database.prisma
  await callback.updateMany({
    where: { tenant_id: msp.tenant_id, event_id: { not: null } },
    data: { received_at: LONG_AGO },
  })
  await callback.updateMany({
    where: { tenant_id: msp.tenant_id, event_id: 'e1' },
    data: { waits_for: 'QUEUE' },
  })
  await receive(msp, { event_id: 'e4', entity_id: '2' })
  await processCallbacksOf(msp, { services })
  const own = (await callbacksOf(msp))
    .filter(({ event_id }) => event_id !== null && event_id < 'e4')
    .sort((one, other) => String(one.event_id).localeCompare(String(other.event_id)))
  expect(own.map(({ status, filter_reason }) => [status, filter_reason])).toEqual([
    ['FILTERED_OUT', 'CHANGE_TYPE_UNUSED'],
    ['FILTERED_OUT', 'DUPLICATE'],
    ['FILTERED_OUT', 'DUPLICATE'],
  ])
  expect(own.every(({ entity_number }) => entity_number !== null)).toBe(true)
  // The ticket is read together with that of the last event.
  expect(reads).toBe(1)
})

test('a reprocessed callback is not answered by the read of another', async () => {
  const msp = await world()
  await tickets(msp, 1)
  await busy(msp, 1, '1')
  await receive(msp, { event_id: 'e1' }, { event_id: 'e2' })
  await processCallbacksOf(msp)
  await free(msp)
  const { callback } = msp.database.prisma
  const where = { tenant_id: msp.tenant_id }
  await callback.updateMany({
    where: { ...where, event_id: 'e2' },
    data: { is_again: true, change_types: ['TICKET_STATUS_CHANGED'] },
  })
  await callback.updateMany({ where: { ...where, event_id: 'e1' }, data: { waits_for: 'QUEUE' } })
  await receive(msp, { event_id: 'e3', entity_id: '9' })
  await processCallbacksOf(msp)
  await processCallbacksOf(msp)
  expect(await callback.findFirst({ where: { ...where, event_id: 'e2' } })).toMatchObject({
    status: 'FILTERED_OUT',
    filter_reason: 'CHANGE_TYPE_UNUSED',
    attempts: 1,
  })
})

test('a ticket that the PSA never answers for holds no other back, though it is read together with others', async () => {
  const msp = await world()
  await tickets(msp, 13)
  await busy(msp, AT_ONCE)
  const groups: number[] = []
  const services = await withPsa((local) => ({
    async ticketsWithNotes(ids) {
      groups.push(ids.length)
      if (ids.includes('3')) throw new PortUnavailable('It is away')
      return await local.ticketsWithNotes(ids)
    },
  }))
  const events = Array.from({ length: 12 }, (_, n) => ({ event_id: `e${n + 1}`, entity_id: String(n + 1) }))
  await receive(msp, ...events)
  await processCallbacksOf(msp, { services })
  await free(msp)
  await receive(msp, { event_id: 'last', entity_id: '13' })
  for (let rounds = 0; rounds < 3; rounds++) await processCallbacksOf(msp, { services })
  const waiting = (await callbacksOf(msp)).filter(({ status }) => status === 'QUEUED')
  expect(waiting.map(({ event_id }) => event_id)).toEqual(['e3'])
  expect(Math.max(...groups)).toBe(GROUP)
})
