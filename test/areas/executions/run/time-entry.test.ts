/** Chains of actions on a time entry: the arguments that it gives. */
import { beforeAll, expect, it } from 'vitest'
import { apis } from '../../../setup/api.ts'
import { clock } from '../../../setup/app.ts'
import { addCompanies } from '../../../setup/companies.ts'
import { connect } from '../../../setup/local-systems.ts'
import { addPsaAgreements, addPsaTechnicians, psaOfTenant } from '../../../setup/psa.ts'
import { performRuns } from '../../../setup/runs.ts'
import { addTechnicians } from '../../../setup/technicians.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, executionOf, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]
const PSA_ID = 700_141
const OTHER_PSA_ID = 700_142

const ACTIONS = [
  { type: 'ticket.add_note', params: { text: 'Booked.', visibility: 'INTERNAL' } },
  { type: 'time_entry.set_agreement', params: { agreement: 'Managed services' } },
  { type: 'company.read', params: {} },
  { type: 'contact.read', params: {} },
  { type: 'chat.send', params: { text: 'Please look at your time entry.' } },
]

/** A time entry on ticket 4711, of a technician who is known to the service by another id than to the PSA. */
async function timeEntryMsp() {
  const msp = await chainMsp(ACTIONS, { entity_type: 'TIME_ENTRY' })
  await connect(msp, ['microsoft-teams'])
  await addCompanies(msp, [{ id: 'co1', psa_company_id: 'co1' }])
  await addPsaAgreements(msp, 'co1', ['Managed services'])
  await addPsaTechnicians(msp, [{ psa_id: PSA_ID }, { psa_id: OTHER_PSA_ID }])
  await addTechnicians(msp, [{ psa_id: PSA_ID }, { id: PSA_ID, psa_id: OTHER_PSA_ID }])
  const draft = { minutes: 5, note: 'Called her.', started_at: clock.now() }
  const { time_entry_id } = await psaOfTenant(msp).addTimeEntry(
    '4711',
    { ...draft, technician_psa_id: PSA_ID },
    'seed',
  )
  return { msp, time_entry_id }
}

it('the ticket, its company and contact, and the technician are those of the time entry', async () => {
  const { msp, time_entry_id } = await timeEntryMsp()
  const execution_id = await start(api, msp, time_entry_id)
  await performRuns(msp)
  expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
  expect(await psaOfTenant(msp).notesOf('4711')).toMatchObject([{ text: 'Booked.' }])
  expect(await psaOfTenant(msp).timeEntry(time_entry_id)).toMatchObject({ agreement: 'Managed services' })
  const { data } = await api.call(msp.key, 'execution_tool_calls', { execution_id })
  const given = data.toReversed().map((call: { arguments: object }) => call.arguments)
  expect(given.slice(0, 4)).toMatchObject([
    { ticket_id: '4711' },
    { time_entry_id },
    { company_id: 'co1' },
    { contact_id: 'c1' },
  ])
  const sent = await msp.database.prisma.chatMessage.findMany({ where: { tenant_id: msp.tenant_id } })
  expect(sent).toMatchObject([{ technician_psa_id: PSA_ID, text: 'Please look at your time entry.' }])
})

it('a technician whom the service does not know is none, and nobody else is written to', async () => {
  const { msp, time_entry_id } = await timeEntryMsp()
  await msp.database.prisma.technicianProfile.deleteMany({
    where: { tenant_id: msp.tenant_id, psa_id: PSA_ID },
  })
  const execution_id = await start(api, msp, time_entry_id)
  await performRuns(msp)
  expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'FAILED' })
  expect(await msp.database.prisma.chatMessage.count({ where: { tenant_id: msp.tenant_id } })).toBe(0)
})
