/** Conditions of agents, judged by what the PSA has. */
import { expect, it } from 'vitest'
import { type ConditionalAgent, evaluateConditions } from '../../../src/areas/agents/index.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import { addPsaContacts, addPsaTechnicians, addPsaTickets, psaOfTenant } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'

const agent = (entity_type: 'TICKET' | 'TIME_ENTRY', rules: object[]): ConditionalAgent => ({
  entity_type,
  ticket_conditions: entity_type === 'TICKET' ? { match: 'ALL', rules } : { rules: [{ field: 'never' }] },
  time_entry_conditions:
    entity_type === 'TIME_ENTRY' ? { match: 'ALL', rules } : { rules: [{ field: 'never' }] },
})

const HOUR_MS = 3_600_000

async function withTicket(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a', name: 'Alder & Co' }])
  await addPsaContacts(msp, [{ contact_id: 'c1', psa_company_id: 'psa_a', name: 'Ana' }])
  await addPsaTechnicians(msp, [{ psa_id: 7, name: 'Gus' }])
  await addPsaTickets(msp, [
    {
      ticket_id: '1',
      psa_company_id: 'psa_a',
      contact_id: 'c1',
      assignee_psa_id: 7,
      board: 'Desk',
      created_at: new Date(clock.now().getTime() - 2 * HOUR_MS),
    },
    { ticket_id: '2', psa_company_id: 'gone', contact_id: 'gone', assignee_psa_id: 999 },
  ])
  return msp
}

/** The PSA of the tenant, with the names of the calls it got. */
function recorded(msp: Msp): { psa: Psa; calls: string[] } {
  const calls: string[] = []
  const psa = psaOfTenant(msp)
  const entries = Object.entries(psa).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name)
      return (call as (...all: unknown[]) => unknown)(...args)
    },
  ])
  return { psa: Object.fromEntries(entries) as unknown as Psa, calls }
}

it('a ticket is judged with the names of its company, contact and assignee, and its age', async () => {
  const psa = psaOfTenant(await withTicket())
  const rules = [
    { field: 'company', operator: 'equals', value: 'alder & co' },
    { field: 'contact', operator: 'equals', value: 'ana' },
    { field: 'assignee', operator: 'equals', value: 'gus' },
    { field: 'age_hours', operator: 'at_least', value: 2 },
  ]
  const judge = (ticket_id: string) => evaluateConditions(psa, agent('TICKET', rules), ticket_id, clock.now())
  expect(await judge('1')).toMatchObject({ met: true })
  expect(
    (await judge('2'))?.comparisons
      .filter(({ holds }) => !holds)
      .map(({ field, actual }) => [field, typeof actual]),
  ).toEqual([
    ['company', 'object'],
    ['contact', 'object'],
    ['assignee', 'object'],
    ['age_hours', 'number'],
  ])
  expect(await judge('x')).toBeNull()
})

it('a time entry is judged with the board and company of its ticket, and its technician', async () => {
  const psa = psaOfTenant(await withTicket())
  const { time_entry_id } = await psa.addTimeEntry(
    '1',
    { technician_psa_id: 7, minutes: 30, note: null, started_at: clock.now() },
    'k',
  )
  const rules = [
    { field: 'board', operator: 'equals', value: 'desk' },
    { field: 'company', operator: 'starts_with', value: 'alder' },
    { field: 'technician', operator: 'in', value: ['Gus'] },
    { field: 'minutes', operator: 'equals', value: 30 },
    { field: 'note', operator: 'is_empty' },
  ]
  const judge = (id: string) => evaluateConditions(psa, agent('TIME_ENTRY', rules), id, clock.now())
  expect(await judge(time_entry_id)).toMatchObject({ met: true })
  expect(await judge('1')).toBeNull()
})

it('the PSA is asked for nothing that the conditions do not name', async () => {
  const { psa, calls } = recorded(await withTicket())
  const rules = [{ field: 'status', operator: 'equals', value: 'New' }]
  expect(await evaluateConditions(psa, agent('TICKET', rules), '1', clock.now())).toMatchObject({
    met: true,
  })
  expect(calls).toEqual(['listedTicket'])
  await evaluateConditions(
    psa,
    agent('TICKET', [{ field: 'contact', operator: 'is_empty' }]),
    '1',
    clock.now(),
  )
  expect(calls).toEqual(['listedTicket', 'listedTicket', 'contact'])
})
