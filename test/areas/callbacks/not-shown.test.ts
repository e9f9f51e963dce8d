/** Events of tickets and time entries that the PSA does not show, yet or any more. */
import { beforeAll, expect, test } from 'vitest'
import { PROCESS_CALLBACK } from '../../../src/areas/callbacks/processing/job.ts'
import { enqueueLost } from '../../../src/areas/callbacks/processing/sweep.ts'
import type { JobContext } from '../../../src/jobs/job.ts'
import { addAgents } from '../../setup/agents.ts'
import { clock, testApp } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import { performAtOnce, processCallbacksOf, waitingCallbacks, withoutPsa, withPsa } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { callbacksOf, happen, lastCallback, receive } from './events.ts'

beforeAll(installQueues)

const NOT_SHOWN = 'INTEGRATION: The PSA does not show the ticket yet. It is looked at again.'

/** A tenant with an agent for new tickets, and no ticket. */
async function msp(): Promise<Msp> {
  const made = await world()
  const callback_settings = { change_types: ['TICKET_CREATED'] }
  await addAgents(made, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', callback_settings }])
  return made
}

const show = (its: Msp, ticket_id = '1') => addPsaTickets(its, [{ ticket_id, created_at: clock.now() }])

const runsOf = ({ database, tenant_id }: Msp) => database.prisma.execution.count({ where: { tenant_id } })

test('an event whose ticket is found by a poll meanwhile is the same callback', async () => {
  const its = await msp()
  expect(await happen(its, [{ event_id: 'e1', action: 'CREATED' }])).toMatchObject({
    status: 'QUEUED',
    error: NOT_SHOWN,
    looks: 1,
    attempts: 0,
    away_since: null,
    waits_since: null,
    waits_for: null,
    has_job: true,
  })
  await show(its)
  await receive(its, { source: 'POLL', action: 'UNKNOWN' })
  const [look, found] = await waitingCallbacks(its)
  expect([look, found]).toEqual([expect.anything(), expect.anything()])
  await processCallbacksOf(its)
  await processCallbacksOf(its)
  expect(await callbacksOf(its)).toMatchObject([
    { status: 'PROCESSED', event_id: 'e1', change_types: ['TICKET_CREATED'] },
  ])
  expect(await runsOf(its)).toBe(1)
})

test('of two events the first that finds the ticket tells that it is new, and the other is a duplicate', async () => {
  const its = await msp()
  await happen(its, [{ event_id: 'e1', action: 'CREATED' }])
  await happen(its, [{ event_id: 'e2', action: 'CREATED' }])
  expect((await callbacksOf(its)).map(({ status }) => status)).toEqual(['QUEUED', 'QUEUED'])
  await show(its)
  await performAtOnce(its, PROCESS_CALLBACK.name)
  for (let rounds = 0; rounds < 2; rounds++) await processCallbacksOf(its)
  const outcomes = (await callbacksOf(its)).map(({ status, filter_reason }) => filter_reason ?? status)
  expect(outcomes.sort()).toEqual(['DUPLICATE', 'PROCESSED'])
  expect(await runsOf(its)).toBe(1)
})

test('of ten tickets that are read together one that is not shown waits, and holds no slot', async () => {
  const its = await msp()
  const ids = Array.from({ length: 10 }, (_, n) => String(n + 1))
  for (const id of ids.slice(1)) await show(its, id)
  await receive(
    its,
    ...ids.map((entity_id) => ({ event_id: entity_id, entity_id, action: 'CREATED' as const })),
  )
  await performAtOnce(its, PROCESS_CALLBACK.name)
  await processCallbacksOf(its, { services: await withoutPsa('company') })
  const waiting = (await callbacksOf(its)).filter(({ status }) => status !== 'PROCESSED')
  expect(waiting).toMatchObject([{ entity_id: '1', status: 'QUEUED', waits_since: null }])
})

test('one that waits for its next look is not taken for one whose job was lost', async () => {
  const its = await msp()
  await happen(its, [{ event_id: 'e1', action: 'CREATED' }])
  const before = await waitingCallbacks(its)
  await its.database.prisma.callback.updateMany({
    where: { tenant_id: its.tenant_id },
    data: { received_at: new Date(Date.now() - 600_000) },
  })
  const { services } = (await testApp()).app
  const request = { id: 'sweep' } as JobContext['request']
  await enqueueLost({ services, now: clock.now(), request, log: services.log } as JobContext)
  expect(before).toHaveLength(1)
  expect(await waitingCallbacks(its)).toEqual(before)
})

test('an outage between two looks is none of them', async () => {
  const its = await msp()
  await happen(its, [{ event_id: 'e1', action: 'CREATED' }])
  await processCallbacksOf(its, { services: await withoutPsa('ticketsWithNotes') })
  expect(await lastCallback(its)).toMatchObject({ looks: 1, attempts: 1, away_since: expect.any(Date) })
  await processCallbacksOf(its)
  expect(await lastCallback(its)).toMatchObject({ looks: 2, attempts: 1, away_since: null, error: NOT_SHOWN })
})

test('a ticket that is gone is not looked for, whether it was known or is told to be gone', async () => {
  const its = await msp()
  await show(its)
  await happen(its, [{ event_id: 'e1', action: 'CREATED' }])
  const services = await withPsa(() => ({ ticketsWithNotes: async () => [] }))
  const gone = { status: 'FILTERED_OUT', filter_reason: 'ENTITY_NOT_FOUND', error: null }
  expect(await happen(its, [{ event_id: 'e2' }], services)).toMatchObject(gone)
  expect(await happen(its, [{ event_id: 'e3', action: 'DELETED' }], services)).toMatchObject(gone)
  expect(await waitingCallbacks(its)).toEqual([])
})

test('a time entry that is not shown yet is looked for, and one that is deleted is told', async () => {
  const its = await msp()
  const event = { entity_type: 'TIME_ENTRY', entity_id: 't1' } as const
  expect(await happen(its, [{ ...event, event_id: 'e1', action: 'CREATED' }])).toMatchObject({
    status: 'QUEUED',
    error: 'INTEGRATION: The PSA does not show the time entry yet. It is looked at again.',
  })
  expect(await happen(its, [{ ...event, event_id: 'e2', action: 'DELETED' }])).toMatchObject({
    change_types: ['TIME_ENTRY_DELETED'],
  })
})

test('a reply names the contact who wrote it, and nobody is read for what the PSA tells', async () => {
  const its = await world()
  await addPsaTickets(its, [{ ticket_id: '1', contact_id: 'p1', created_at: new Date(0) }])
  await happen(its, [{ event_id: 'before' }])
  let contacts = 0
  const services = await withPsa((local) => ({
    async contact(contact_id) {
      contacts++
      return await local.contact(contact_id)
    },
    async ticketsWithNotes(ids) {
      const note = {
        note_id: 'n1',
        ticket_id: '1',
        author_name: 'Bo',
        author_side: 'CONTACT',
        author_contact_id: 'p2',
        is_internal: false,
        text: 'It jams again.',
        created_at: clock.now(),
      } as const
      return (await local.ticketsWithNotes(ids)).map((read) => ({ ...read, notes: [note] }))
    },
  }))
  const { tenant_id, environment } = its
  await addCompanies(its, [{ id: 'a' }])
  const stamps = { created_at: clock.now(), updated_at: clock.now() }
  const bo = { id: 'bo', name: 'Bo', psa_contact_id: 'p2', end_company_id: 'a' }
  await its.database.prisma.endUser.create({ data: { tenant_id, environment, ...bo, ...stamps } })
  expect(await happen(its, [{ event_id: 'e1' }], services)).toMatchObject({
    change_types: ['TICKET_CUSTOMER_REPLIED'],
  })
  expect(contacts).toBe(0)
  const replies = await its.database.prisma.commsMessage.findMany({ where: { tenant_id } })
  expect(replies).toMatchObject([{ end_user_id: 'bo', body: 'It jams again.' }])
})
