/** The change of a ticket at the opening of its escalation, and the events that the PSA sends of it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { CHANGE_TICKET } from '../../../src/areas/escalation/declared.ts'
import { PortRefusal, PortUnavailable } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { addAgents } from '../../setup/agents.ts'
import { performWaiting, processCallbacksOf, withPsa } from '../../setup/due.ts'
import { addPolicy, escalationsOf, giveUpOn } from '../../setup/escalations.ts'
import { addPsaTechnicians, addPsaTickets, psaOfTenant } from '../../setup/psa.ts'
import { statementsOf } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { callbacksOf, changeTicket, happen, receive } from '../callbacks/events.ts'

beforeAll(installQueues)

const LONG_AGO = new Date(Date.now() - 86_400_000)
const CHANGE = { status: 'Waiting on customer', queue: 'Escalations', remove_assignee: true }
const STATUS_ALONE = { status: 'Waiting on customer', queue: null, remove_assignee: false }

/** A tenant with ticket 1, which technician 7 works on, and a policy that changes it. */
async function withTicket(ticket_change: object | null = CHANGE): Promise<Msp> {
  const msp = await world()
  await addPsaTechnicians(msp, [{ psa_id: 7 }, { psa_id: 8 }])
  const times = { created_at: LONG_AGO, updated_at: LONG_AGO }
  await addPsaTickets(msp, [{ ticket_id: '1', assignee_psa_id: 7, board: 'Service desk', ...times }])
  await addPolicy(msp, ticket_change === null ? {} : { ticket_change })
  return msp
}

const ticketOf = (msp: Msp) => psaOfTenant(msp).ticket('1')
const writesOf = ({ database, tenant_id }: Msp) =>
  database.prisma.psaWrite.findMany({ where: { tenant_id }, orderBy: { written_at: 'asc' } })

/** Does the job as the attempt of that number. */
const change = (msp: Msp, calls: (local: Psa) => Partial<Psa> = () => ({}), attempt = 1) =>
  withPsa(calls).then((services) => performWaiting(msp, CHANGE_TICKET.name, { services, attempt }))

const isChanged = async (msp: Msp) => (await escalationsOf(msp)).map(({ ticket_changed }) => ticket_changed)

describe('the change of a ticket', () => {
  test('is one write of its status, its queue and its technician', async () => {
    const msp = await withTicket()
    const id = await giveUpOn(msp, '1')
    expect(await isChanged(msp)).toEqual([false])
    expect(await change(msp)).toBe(1)
    expect(await ticketOf(msp)).toMatchObject({
      status: 'Waiting on customer',
      board: 'Escalations',
      assignee_psa_id: null,
    })
    expect(await isChanged(msp)).toEqual([true])
    expect(await writesOf(msp)).toMatchObject([{ idempotency_key: `${id}/change_ticket` }])
  })

  test('leaves the fields that the policy does not name', async () => {
    const msp = await withTicket(STATUS_ALONE)
    await giveUpOn(msp, '1')
    await change(msp)
    expect(await ticketOf(msp)).toMatchObject({
      status: 'Waiting on customer',
      board: 'Service desk',
      assignee_psa_id: 7,
    })
  })

  test('is none if the policy has none, or the subject is no ticket', async () => {
    const msp = await withTicket(null)
    await giveUpOn(msp, '1')
    expect(await change(msp)).toBe(0)
  })

  test('is made after a person has acknowledged the escalation', async () => {
    const msp = await withTicket()
    await giveUpOn(msp, '1')
    const { tenant_id, database } = msp
    await database.prisma.escalationEvent.updateMany({
      where: { tenant_id },
      data: { status: 'ACKNOWLEDGED', next_step_at: null },
    })
    await change(msp)
    expect(await isChanged(msp)).toEqual([true])
  })

  test.each([
    ['a status that the PSA does not have', { ...STATUS_ALONE, status: 'Nowhere' }, '1'],
    ['a ticket that the PSA does not have', STATUS_ALONE, '2'],
  ])('to %s leaves the escalation open, and is not tried again', async (_name, ticket_change, ticket_id) => {
    const msp = await withTicket(ticket_change)
    await giveUpOn(msp, ticket_id)
    expect(await change(msp)).toBe(1)
    expect(await escalationsOf(msp)).toMatchObject([{ status: 'OPEN', ticket_changed: false }])
    expect(await change(msp)).toBe(0)
    expect(await writesOf(msp)).toEqual([])
  })

  test('that the PSA cannot make is not tried again', async () => {
    const msp = await withTicket()
    await giveUpOn(msp, '1')
    const refused = () => ({ updateTicket: () => Promise.reject(new PortRefusal('NOT_SUPPORTED')) })
    expect(await change(msp, refused)).toBe(1)
    expect(await isChanged(msp)).toEqual([false])
  })

  test('is not made to a ticket that was closed meanwhile', async () => {
    const msp = await withTicket()
    await giveUpOn(msp, '1')
    const closed_at = new Date(LONG_AGO)
    await msp.database.prisma.psaTicket.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { status: 'Closed', closed_at },
    })
    expect(await change(msp)).toBe(1)
    expect(await isChanged(msp)).toEqual([false])
    expect(await ticketOf(msp)).toMatchObject({ status: 'Closed', closed_at })
  })

  test('waits for a PSA that is away, and is then made once', async () => {
    const msp = await withTicket()
    await giveUpOn(msp, '1')
    const away = () => ({ updateTicket: () => Promise.reject(new PortUnavailable('away')) })
    for (const attempt of [1, 2])
      await expect(change(msp, away, attempt)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    expect(await isChanged(msp)).toEqual([false])
    expect(await change(msp, undefined, 3)).toBe(1)
    expect(await isChanged(msp)).toEqual([true])
    expect(await writesOf(msp)).toHaveLength(1)
  })

  /** A first attempt whose answer is lost after the write. */
  async function withLostAnswer(): Promise<Msp> {
    const msp = await withTicket()
    await giveUpOn(msp, '1')
    const lost = (local: Psa) => ({
      async updateTicket(...given: Parameters<Psa['updateTicket']>) {
        await local.updateTicket(...given)
        throw new PortUnavailable('lost')
      },
    })
    await expect(change(msp, lost)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    return msp
  }

  /** The PSA with the writes that are asked of it, by their keys. */
  function counted(outcome?: 'UNKNOWN') {
    const keys: string[] = []
    const calls = (local: Psa): Partial<Psa> => ({
      updateTicket(ticket_id, changes, key) {
        keys.push(key)
        return local.updateTicket(ticket_id, changes, key)
      },
      ...(outcome && { outcomeOf: async () => outcome }),
    })
    return { keys, calls }
  }

  test('whose answer was lost is recorded, and not written again', async () => {
    const msp = await withLostAnswer()
    const { keys, calls } = counted()
    await change(msp, calls, 2)
    expect(keys).toEqual([])
    expect(await isChanged(msp)).toEqual([true])
    expect(await writesOf(msp)).toHaveLength(1)
  })

  test('of which the PSA cannot tell is made if the ticket has what was asked for', async () => {
    const msp = await withLostAnswer()
    const { keys, calls } = counted('UNKNOWN')
    await change(msp, calls, 2)
    expect(keys).toEqual([])
    expect(await isChanged(msp)).toEqual([true])
  })

  test('of which the PSA cannot tell is written again under its key if the ticket lacks it', async () => {
    const msp = await withLostAnswer()
    await changeTicket(msp, { assignee_psa_id: 8 })
    const { keys, calls } = counted('UNKNOWN')
    await change(msp, calls, 2)
    const [escalation] = await escalationsOf(msp)
    expect(keys).toEqual([`${escalation?.id}/change_ticket`])
    expect(escalation?.ticket_changed).toBe(true)
    expect(await writesOf(msp)).toHaveLength(1)
  })

  test('that is recorded is not asked for again', async () => {
    const msp = await withTicket()
    await giveUpOn(msp, '1')
    const { database, tenant_id } = msp
    const jobs = () => database.prisma.$queryRaw<{ data: object }[]>`
      select data from pgboss.job where name = ${CHANGE_TICKET.name} and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}`
    expect(await jobs()).toHaveLength(1)
    await database.prisma.escalationEvent.updateMany({
      where: { tenant_id },
      data: { ticket_changed: true },
    })
    const { keys, calls } = counted()
    await change(msp, calls, 2)
    expect(keys).toEqual([])
  })
})

describe('the event of the change of a ticket', () => {
  const STARTED_BY = ['TICKET_STATUS_CHANGED', 'TICKET_QUEUE_CHANGED', 'TICKET_ASSIGNEE_CHANGED']

  /** The same tenant, with an agent that runs for such changes, and a ticket that is known. */
  async function withAgent(): Promise<Msp> {
    const msp = await withTicket()
    const callback_settings = { change_types: STARTED_BY }
    await addAgents(msp, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', actions: [], callback_settings }])
    await happen(msp, [{ event_id: 'before' }])
    await giveUpOn(msp, '1')
    return msp
  }

  const executionsOf = ({ database, tenant_id }: Msp) =>
    database.prisma.execution.count({ where: { tenant_id } })

  test('is the service’s own: it starts no agent', async () => {
    const msp = await withAgent()
    await change(msp)
    expect(await happen(msp, [{ event_id: 'own' }])).toMatchObject({
      status: 'FILTERED_OUT',
      filter_reason: 'OWN_CHANGE',
      change_types: STARTED_BY,
      own_changes: STARTED_BY,
    })
    expect(await executionsOf(msp)).toBe(0)
  })

  test('is its own before the change is recorded', async () => {
    const msp = await withAgent()
    const [escalation] = await escalationsOf(msp)
    const changes = { status: 'Waiting on customer', board: 'Escalations', assignee_psa_id: null }
    await psaOfTenant(msp).updateTicket('1', changes, `${escalation?.id}/change_ticket`)
    expect(await happen(msp, [{ event_id: 'own' }])).toMatchObject({ filter_reason: 'OWN_CHANGE' })
  })

  test.each([
    ['another status', { status: 'Resolved' }],
    ['a technician', { assignee_psa_id: 8 }],
    ['another queue', { board: 'Projects' }],
  ])('is not its own if a person gave the ticket %s since', async (_name, changes) => {
    const msp = await withAgent()
    await change(msp)
    await happen(msp, [{ event_id: 'own' }])
    await changeTicket(msp, changes)
    const { own_changes, status } = await happen(msp, [{ event_id: 'theirs' }])
    expect({ own_changes, status }).toEqual({ own_changes: [], status: 'PROCESSED' })
    expect(await executionsOf(msp)).toBe(1)
  })

  test('costs one statement of escalations', async () => {
    const msp = await withAgent()
    await change(msp)
    await receive(msp, { event_id: 'own' })
    const sent = await statementsOf(msp.database, () => processCallbacksOf(msp))
    expect(sent.filter(({ text }) => /escalation_/.test(text))).toHaveLength(1)
    expect(await callbacksOf(msp)).toHaveLength(2)
  })
})
