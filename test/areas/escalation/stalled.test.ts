/** Tickets that nobody touched for so long, as callbacks have told of them. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CHANGE_TICKET } from '../../../src/areas/escalation/declared.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { clock } from '../../setup/app.ts'
import { performWaiting } from '../../setup/due.ts'
import { addPolicies, escalationsOf } from '../../setup/escalations.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTicket, happen } from '../callbacks/events.ts'
import { knownOf, look, OF_NEW, pass, ticketOf, touch, withTickets } from './quiet-tickets.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

describe('a ticket that nobody touched', () => {
  test('for so long opens an escalation, once', async () => {
    const msp = await withTickets()
    pass(59)
    expect(await look(msp)).toEqual([])
    pass(1)
    expect(await look(msp)).toEqual(['1'])
    expect(await escalationsOf(msp)).toMatchObject([
      {
        trigger: 'TICKET_STALLED',
        status: 'OPEN',
        subject: 'TICKET/1',
        entity_id: '1',
        entity_number: '#1',
        execution_id: null,
        agent_id: null,
        reason: null,
      },
    ])
    expect(await knownOf(msp)).toEqual({ open_status: 'New', quiet_since: null })
    pass(600)
    expect(await look(msp)).toEqual([])
    expect(await escalationsOf(msp)).toHaveLength(1)
  })

  test.each([
    ['is closed', { status: 'Resolved', closed_at: new Date() }],
    ['has another status', { status: 'In progress' }],
  ])('and %s, as an event has told, is not asked for', async (_name, data) => {
    const msp = await withTickets()
    await touch(msp, data)
    pass(600)
    expect(await look(msp)).toEqual([])
  })

  test('is not asked for where no enabled policy has the trigger', async () => {
    const msp = await withTickets([
      { ...OF_NEW, triggers: ['AGENT_GAVE_UP'] },
      { ...OF_NEW, enabled: false },
    ])
    pass(600)
    expect(await look(msp)).toEqual([])
  })

  test('is found by a policy that is made later', async () => {
    const msp = await withTickets([{}])
    pass(600)
    expect(await look(msp)).toEqual([])
    await addPolicies(msp, [{ is_default: false, ...OF_NEW }])
    expect(await look(msp)).toEqual(['1'])
    expect(await escalationsOf(msp)).toHaveLength(1)
  })

  test('is told again once a person has touched it, and it was resolved', async () => {
    const msp = await withTickets()
    pass(60)
    await look(msp)
    await touch(msp)
    pass(60)
    expect(await look(msp)).toEqual(['1'])
    expect(await escalationsOf(msp)).toHaveLength(1)
    const { database, tenant_id } = msp
    await database.prisma.escalationEvent.updateMany({ where: { tenant_id }, data: { status: 'RESOLVED' } })
    pass(59)
    expect(await look(msp)).toEqual([])
    pass(1)
    expect(await look(msp)).toEqual(['1'])
    expect(await escalationsOf(msp)).toHaveLength(2)
  })

  test('is changed as the policy says', async () => {
    const ticket_change = { status: 'In progress', queue: null, remove_assignee: false }
    const msp = await withTickets([{ ...OF_NEW, ticket_change }])
    pass(60)
    await look(msp)
    expect(await performWaiting(msp, CHANGE_TICKET.name)).toBe(1)
    expect(await ticketOf(msp)).toMatchObject({ status: 'In progress' })
    expect(await escalationsOf(msp)).toMatchObject([{ ticket_changed: true }])
  })
})

describe('what the PSA tells of a quiet ticket', () => {
  test('that was touched unknown to the service is remembered', async () => {
    const msp = await withTickets()
    pass(60)
    await changeTicket(msp, { updated_at: clock.now() })
    expect(await look(msp)).toEqual(['1'])
    expect(await knownOf(msp)).toEqual({
      open_status: 'New',
      quiet_since: (await ticketOf(msp)).updated_at,
    })
    expect(await escalationsOf(msp)).toEqual([])
    expect(await look(msp)).toEqual([])
    pass(60)
    expect(await look(msp)).toEqual(['1'])
    expect(await escalationsOf(msp)).toHaveLength(1)
  })

  test('that has another status is remembered', async () => {
    const msp = await withTickets()
    pass(60)
    await changeTicket(msp, { status: 'In progress' })
    expect(await look(msp)).toEqual(['1'])
    expect(await knownOf(msp)).toMatchObject({ open_status: 'In progress' })
    expect(await look(msp)).toEqual([])
    expect(await escalationsOf(msp)).toEqual([])
  })

  test.each([
    ['was closed', (msp: Msp) => changeTicket(msp, { status: 'Resolved', closed_at: clock.now() })],
    [
      'is gone',
      async ({ database, tenant_id }: Msp) =>
        void (await database.prisma.psaTicket.deleteMany({ where: { tenant_id } })),
    ],
  ])('that %s ends the questions', async (_name, happens) => {
    const msp = await withTickets()
    pass(60)
    await happens(msp)
    expect(await look(msp)).toEqual(['1'])
    expect(await knownOf(msp)).toEqual({ open_status: null, quiet_since: null })
    expect(await look(msp)).toEqual([])
    expect(await escalationsOf(msp)).toEqual([])
  })

  test('is asked again after five minutes if it is away', async () => {
    const msp = await withTickets()
    pass(60)
    await look(msp, () => ({ ticket: () => Promise.reject(new PortUnavailable('away')) }))
    expect(await escalationsOf(msp)).toEqual([])
    expect(await look(msp)).toEqual([])
    pass(5)
    expect(await look(msp)).toEqual(['1'])
    expect(await escalationsOf(msp)).toHaveLength(1)
  })

  test('that cannot be read keeps no other one from being told', async () => {
    const msp = await withTickets([OF_NEW], ['1', '2'])
    pass(60)
    await look(msp, (local) => ({
      ticket: (id) => (id === '1' ? Promise.reject(new PortUnavailable('a form')) : local.ticket(id)),
    }))
    expect(await escalationsOf(msp)).toMatchObject([{ entity_id: '2' }])
    pass(5)
    await look(msp)
    expect(await escalationsOf(msp)).toMatchObject([{ entity_id: '2' }, { entity_id: '1' }])
  })

  test('that the PSA never answers for keeps no other one back', async () => {
    const odd = ['1', '2', '3', '4', '5']
    const msp = await withTickets([OF_NEW], odd)
    pass(1)
    await addPsaTickets(msp, [{ ticket_id: '6' }])
    await happen(msp, [{ entity_id: '6' }])
    pass(60)
    const answers = (local: Psa) => ({
      ticket: (id: string) =>
        odd.includes(id) ? Promise.reject(new PortUnavailable('a form')) : local.ticket(id),
    })
    await look(msp, answers)
    await look(msp, answers)
    expect(await escalationsOf(msp)).toMatchObject([{ entity_id: '6' }])
  })

  test('is nothing of a ticket that an event told of meanwhile', async () => {
    const msp = await withTickets()
    pass(60)
    await look(msp, (local) => ({
      async ticket(ticket_id) {
        const ticket = await local.ticket(ticket_id)
        await touch(msp)
        return ticket
      },
    }))
    expect(await escalationsOf(msp)).toEqual([])
    expect((await knownOf(msp)).quiet_since).toEqual((await ticketOf(msp)).updated_at)
  })

  test('is not asked for a tenant that is suspended', async () => {
    const msp = await withTickets()
    pass(60)
    const { database, tenant_id: id } = msp
    await database.prisma.tenant.update({ where: { id }, data: { suspended_at: clock.now() } })
    expect(await look(msp)).toEqual([])
    await database.prisma.tenant.update({ where: { id }, data: { suspended_at: null } })
    expect(await look(msp)).toEqual(['1'])
  })
})
