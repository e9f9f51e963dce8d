/** What becomes of an event: the changes that are found, the agents that are matched, the executions that start. */
import { beforeAll, describe, expect, test } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { addCompanies } from '../../setup/companies.ts'
import { processCallbacksOf, waitingCallbacks, withoutPsa } from '../../setup/due.ts'
import { addPsaContacts, addPsaTickets, psaOfTenant } from '../../setup/psa.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { callbacksOf, changeTicket, happen, lastCallback, receive } from './events.ts'

beforeAll(installQueues)

const DAY_MS = 86_400_000
const LONG_AGO = new Date(Date.now() - DAY_MS)

const selects = (change_types: string[], settings: object = {}) => ({
  autonomy_type: 'CHAINED_ACTIONS' as const,
  callback_settings: { change_types, ...settings },
})

/** A tenant with an old ticket, which is known, and with agent 1 for changes of its status. */
async function knownTicket(agent: object = selects(['TICKET_STATUS_CHANGED'])): Promise<Msp> {
  const msp = await world()
  await addPsaTickets(msp, [
    { ticket_id: '1', created_at: LONG_AGO, updated_at: LONG_AGO, psa_company_id: 'c1' },
  ])
  await addAgents(msp, [{ id: 1, ...agent }])
  await happen(msp, [{ event_id: 'before' }])
  return msp
}

const executionsOf = ({ database, tenant_id }: Msp) =>
  database.prisma.execution.findMany({ where: { tenant_id }, orderBy: { created_at: 'asc' } })

describe('an event', () => {
  test('waits for the configured sleep, and says so', async () => {
    const msp = await world()
    const { prisma } = msp.database
    await prisma.settings.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { sleep_before_callback_processing_seconds: 45 },
    })
    expect(await receive(msp, { event_id: 'e1' })).toEqual({ received: 1, duplicates: 0 })
    expect(await lastCallback(msp)).toMatchObject({ status: 'QUEUED', sleep_seconds: 45, psa_type: 'PSA' })
    const [job] = await prisma.$queryRaw<{ seconds: number }[]>`
      select extract(epoch from start_after - created_on)::float8 as seconds from pgboss.job
      where data -> 'tenancy' ->> 'tenant_id' = ${msp.tenant_id}`
    expect(Math.round(job?.seconds ?? 0)).toBe(45)
  })

  test('is known by its id, whatever happens at once', async () => {
    const msp = await world()
    const again = () => receive(msp, { event_id: 'e1' }, { event_id: 'e2' }, { event_id: 'e1' })
    const receipts = await Promise.all([again(), again(), again()])
    expect(receipts.reduce((sum, { received }) => sum + received, 0)).toBe(2)
    expect(await waitingCallbacks(msp)).toHaveLength(2)
  })

  test('costs two statements, however many come together', async () => {
    const msp = await world()
    await receive(msp, { event_id: 'first' })
    const many = Array.from({ length: 50 }, (_, n) => ({ event_id: `e${n}`, entity_id: String(n) }))
    expect(await countStatements(msp.database, () => receive(msp, ...many))).toBeLessThanOrEqual(4)
  })

  test('of a suspended tenant is kept, and nothing is asked of its PSA', async () => {
    const msp = await knownTicket()
    const suspended_at = new Date()
    await receive(msp, { event_id: 'queued' })
    await msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data: { suspended_at } })
    await processCallbacksOf(msp, { services: await withoutPsa('ticketsWithNotes') })
    expect(await lastCallback(msp)).toMatchObject({ status: 'FILTERED_OUT', filter_reason: 'TENANT_PAUSED' })
    await receive(msp, { event_id: 'later' })
    expect(await waitingCallbacks(msp)).toEqual([])
    expect(
      (await callbacksOf(msp)).filter(({ filter_reason }) => filter_reason === 'TENANT_PAUSED'),
    ).toHaveLength(2)
  })
})

describe('a change', () => {
  test('that an agent selects starts it once, and the callback tells the whole story', async () => {
    const msp = await knownTicket()
    await changeTicket(msp, { status: 'In progress', priority: 'High' })
    const callback = await happen(msp, [{ event_id: 'e1', psa_changed_at: new Date(Date.now() - 2000) }])
    const [execution] = await executionsOf(msp)
    expect(callback).toMatchObject({
      status: 'PROCESSED',
      change_types: ['TICKET_STATUS_CHANGED', 'TICKET_PRIORITY_CHANGED'],
      entity_number: '#1',
      psa_company_id: 'c1',
      filter_reason: null,
      error: null,
      wait_seconds: 0,
      matches: [{ agent_id: 1, result: 'MATCHED', reason_code: null, execution_id: execution?.execution_id }],
    })
    expect(callback.processed_at).not.toBeNull()
    expect(callback.work_seconds).toBeGreaterThan(0)
    expect(execution).toMatchObject({
      agent_id: 1,
      trigger: 'TRIGGERED',
      callback_id: callback.id,
      entity_id: '1',
      entity_number: '#1',
      psa_company_id: 'c1',
      status: 'NEW',
    })
    expect(await executionsOf(msp)).toHaveLength(1)
  })

  test('is told once: the next event about it is a duplicate', async () => {
    const msp = await knownTicket()
    await changeTicket(msp, { status: 'In progress' })
    const duplicate = await happen(msp, [{ event_id: 'e1' }, { event_id: 'e2' }])
    expect(duplicate).toMatchObject({ status: 'FILTERED_OUT', filter_reason: 'DUPLICATE', change_types: [] })
    expect(await executionsOf(msp)).toHaveLength(1)
  })

  test.each([
    ['a webhook, then a poll', ['WEBHOOK', 'POLL']],
    ['a poll, then a webhook', ['POLL', 'WEBHOOK']],
  ] as const)('that comes by %s is one callback', async (_name, sources) => {
    const msp = await knownTicket()
    await changeTicket(msp, { status: 'In progress' })
    for (const source of sources)
      await happen(msp, [{ source, event_id: source === 'WEBHOOK' ? 'e1' : null }])
    const [, ...callbacks] = await callbacksOf(msp)
    expect(callbacks).toHaveLength(1)
    expect(callbacks[0]).toMatchObject({ status: 'PROCESSED', event_id: 'e1' })
    expect(await receive(msp, { event_id: 'e1' })).toEqual({ received: 0, duplicates: 1 })
  })

  test('that no active agent selects asks none, and is told all the same', async () => {
    const msp = await knownTicket(selects(['TICKET_CLOSED']))
    await changeTicket(msp, { board: 'Projects' })
    expect(await happen(msp, [{ event_id: 'e1' }])).toMatchObject({
      status: 'FILTERED_OUT',
      filter_reason: 'CHANGE_TYPE_UNUSED',
      change_types: ['TICKET_QUEUE_CHANGED'],
      processed_at: null,
      matches: [],
    })
  })

  test('at a company that is out of scope asks no agent', async () => {
    const msp = await knownTicket()
    const { tenant_id, environment, database } = msp
    const now = new Date()
    await database.prisma.endCompany.create({
      data: {
        tenant_id,
        environment,
        id: 'x',
        psa_company_id: 'c1',
        name: 'C',
        in_scope: false,
        created_at: now,
        updated_at: now,
      },
    })
    await changeTicket(msp, { status: 'In progress' })
    expect(await happen(msp, [{ event_id: 'e1' }])).toMatchObject({
      status: 'FILTERED_OUT',
      filter_reason: 'COMPANY_OUT_OF_SCOPE',
    })
  })

  test('that does not meet the conditions says which of them, with what was expected and found', async () => {
    const rules = [
      { field: 'priority', operator: 'equals', value: 'High' },
      { field: 'status', operator: 'equals', value: 'In progress' },
    ]
    const msp = await knownTicket({
      ...selects(['TICKET_STATUS_CHANGED']),
      ticket_conditions: { match: 'ALL', rules },
    })
    await changeTicket(msp, { status: 'In progress', priority: 'Low' })
    const { status, matches } = await happen(msp, [{ event_id: 'e1' }])
    expect([status, matches]).toMatchObject([
      'PROCESSED',
      [
        {
          result: 'NOT_MATCHED',
          reason_code: 'CONDITION_FAILED',
          comparisons: [
            { field: 'priority', operator: 'equals', expected: 'High', actual: 'Low', holds: false },
            {
              field: 'status',
              operator: 'equals',
              expected: 'In progress',
              actual: 'In progress',
              holds: true,
            },
          ],
          execution_id: null,
        },
      ],
    ])
  })

  test('while an execution is live on the ticket starts none', async () => {
    const msp = await knownTicket()
    await changeTicket(msp, { status: 'In progress' })
    await happen(msp, [{ event_id: 'e1' }])
    await changeTicket(msp, { status: 'Resolved' })
    const { matches } = await happen(msp, [{ event_id: 'e2' }])
    expect(matches).toMatchObject([
      { result: 'SKIPPED', reason_code: 'RUN_ALREADY_LIVE', execution_id: null },
    ])
  })

  test('too soon after a run is debounced', async () => {
    const msp = await knownTicket(selects(['TICKET_STATUS_CHANGED'], { debounce_seconds: 600 }))
    await changeTicket(msp, { status: 'In progress' })
    await happen(msp, [{ event_id: 'e1' }])
    const { database, tenant_id } = msp
    await database.prisma.execution.updateMany({ where: { tenant_id }, data: { status: 'COMPLETED' } })
    await changeTicket(msp, { status: 'Resolved' })
    expect((await happen(msp, [{ event_id: 'e2' }])).matches).toMatchObject([
      { result: 'SKIPPED', reason_code: 'DEBOUNCED' },
    ])
  })

  test('that an agent made by a note starts no agent that ignores such changes', async () => {
    const msp = await knownTicket(selects(['TICKET_TECHNICIAN_REPLIED']))
    const note = { author_name: 'Agent 1', is_internal: false, text: 'We are on it.' }
    await psaOfTenant(msp).addNote('1', note, 'call_1')
    const own = await happen(msp, [{ event_id: 'e1' }])
    expect(own).toMatchObject({
      status: 'FILTERED_OUT',
      filter_reason: 'OWN_CHANGE',
      change_types: ['TICKET_TECHNICIAN_REPLIED'],
    })
    await addAgents(msp, [
      { id: 2, ...selects(['TICKET_TECHNICIAN_REPLIED'], { ignore_own_changes: false }) },
    ])
    await psaOfTenant(msp).addNote('1', note, 'call_2')
    expect((await happen(msp, [{ event_id: 'e2' }])).matches).toMatchObject([
      { agent_id: 1, result: 'SKIPPED', reason_code: 'OWN_CHANGE' },
      { agent_id: 2, result: 'MATCHED' },
    ])
  })

  test('of the status by a tool call of an agent is its own', async () => {
    const msp = await knownTicket()
    const { database, tenant_id, environment } = msp
    const at = new Date()
    await database.prisma.execution.create({
      data: {
        tenant_id,
        environment,
        execution_id: 'exe_own',
        agent_id: 1,
        trigger: 'RUN_NOW',
        entity_type: 'TICKET',
        entity_id: '1',
        status: 'COMPLETED',
        created_at: at,
        updated_at: at,
      },
    })
    await database.prisma.storedToolCall.create({
      data: {
        tenant_id,
        environment,
        id: 'call_1',
        execution_id: 'exe_own',
        sequence: 1,
        temporal_run_id: 'r',
        tool_name: 'ticket.set_status',
        arguments: { ticket_id: '1', status: 'In progress' },
        arguments_hash: 'x',
        status: 'SUCCEEDED',
        result: { ticket_id: '1' },
        started_at: at,
      },
    })
    await changeTicket(msp, { status: 'In progress' })
    expect(await happen(msp, [{ event_id: 'e1' }])).toMatchObject({ filter_reason: 'OWN_CHANGE' })
    await changeTicket(msp, { status: 'Resolved' })
    expect(await happen(msp, [{ event_id: 'e2' }])).toMatchObject({ status: 'PROCESSED' })
  })

  test('by the contact’s note is a reply of the customer', async () => {
    const msp = await knownTicket(selects(['TICKET_CUSTOMER_REPLIED']))
    await addPsaContacts(msp, [{ contact_id: 'p1', psa_company_id: 'c1', name: 'Ada Byron' }])
    const { tenant_id, environment } = msp
    await msp.database.prisma.psaNote.create({
      data: {
        tenant_id,
        environment,
        note_id: 'n1',
        ticket_id: '1',
        author_name: 'ada byron',
        is_internal: false,
        text: 'It works again.',
        created_at: new Date(),
      },
    })
    await changeTicket(msp, { contact_id: 'p1' })
    expect(await happen(msp, [{ event_id: 'e1' }])).toMatchObject({
      change_types: ['TICKET_CONTACT_CHANGED', 'TICKET_CUSTOMER_REPLIED'],
      matches: [{ result: 'MATCHED' }],
    })
  })
})

describe('a new ticket', () => {
  test('is counted once, in whatever order its events come', async () => {
    const msp = await world()
    await addPsaTickets(msp, [{ ticket_id: '1', created_at: LONG_AGO, updated_at: LONG_AGO }])
    await addAgents(msp, [{ id: 1, ...selects(['TICKET_CREATED']) }])
    const late = await happen(msp, [{ event_id: 'e2' }, { event_id: 'e1', action: 'CREATED' }])
    expect(late).toMatchObject({ change_types: ['TICKET_CREATED'], matches: [{ result: 'MATCHED' }] })
    await happen(msp, [{ event_id: 'e3', action: 'CREATED' }])
    expect(await lastCallback(msp)).toMatchObject({ filter_reason: 'DUPLICATE' })
    const counted = await msp.database.prisma.ticketsReceived.findMany({
      where: { tenant_id: msp.tenant_id },
    })
    expect(counted).toMatchObject([{ count: 1 }])
  })
})

test('an event of a contact stores the contact as the PSA has it', async () => {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }])
  await addPsaContacts(msp, [{ contact_id: '7', psa_company_id: 'psa_a', name: 'Ada' }])
  const events = [{ entity_type: 'CONTACT', entity_id: '7' }] as const
  expect(await happen(msp, events)).toMatchObject({ status: 'PROCESSED', psa_company_id: 'psa_a' })
  const { psaContact, endUser } = msp.database.prisma
  const stored = () => endUser.findMany({ where: { tenant_id: msp.tenant_id } })
  expect(await stored()).toMatchObject([{ psa_contact_id: '7', name: 'Ada', end_company_id: 'a' }])
  await psaContact.updateMany({ where: { tenant_id: msp.tenant_id }, data: { name: 'Ada B.' } })
  await happen(msp, events)
  expect(await stored()).toMatchObject([{ psa_contact_id: '7', name: 'Ada B.' }])
})

describe('a PSA that does not answer', () => {
  test('is asked again later, and at last the callback has failed with the reason', async () => {
    const msp = await knownTicket()
    await changeTicket(msp, { status: 'In progress' })
    const services = await withoutPsa('ticketsWithNotes')
    await receive(msp, { event_id: 'e1' })
    await processCallbacksOf(msp, { services })
    expect(await lastCallback(msp)).toMatchObject({
      status: 'QUEUED',
      attempts: 1,
      error: expect.stringContaining('INTEGRATION'),
    })
    await msp.database.prisma.callback.updateMany({
      where: { tenant_id: msp.tenant_id, event_id: 'e1' },
      data: { away_since: new Date(Date.now() - 75 * 60_000) },
    })
    await processCallbacksOf(msp, { services })
    expect(await lastCallback(msp)).toMatchObject({
      status: 'FAILED',
      error: 'INTEGRATION: The PSA did not answer for 75 minutes.',
    })
    expect([await waitingCallbacks(msp), await executionsOf(msp)]).toEqual([[], []])
  })

  test('costs nothing of what it says once it answers', async () => {
    const msp = await knownTicket()
    await changeTicket(msp, { status: 'In progress' })
    await receive(msp, { event_id: 'e1' })
    await processCallbacksOf(msp, { services: await withoutPsa('ticketsWithNotes') })
    await processCallbacksOf(msp)
    expect(await lastCallback(msp)).toMatchObject({ status: 'PROCESSED', error: null })
    expect(await executionsOf(msp)).toHaveLength(1)
  })
})
