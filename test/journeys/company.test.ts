import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { addCompanies } from '../setup/companies.ts'
import { startDueOf } from '../setup/due.ts'
import { addPsaTickets, psaOfTenant } from '../setup/psa.ts'
import { journeyMsp, NOTE, SUPERVISED, storyOf } from './story.ts'

beforeAll(installQueues)

const TICKET = '8801'
const COMPANY = { psa_company_id: 'psa_a', psa_company_name: 'Alpha' }

async function customerMsp() {
  const msp = await journeyMsp()
  await addCompanies(msp, [{ id: 'a', name: 'Alpha' }])
  await addPsaTickets(msp, [{ ticket_id: TICKET, psa_company_id: 'psa_a' }])
  return msp
}

describeApi('the company of the work is named', (api) => {
  it('in the requests and the audit log of a run by hand, and of its retry', async () => {
    const msp = await customerMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions: [NOTE] })
    const first = await story.run(agent_id, { ...SUPERVISED, entity_id: TICKET })
    await story.work()
    await story.done(msp.key, 'cancel_execution', { execution_id: first.execution_id, input: {} })
    const { execution_id } = await story.done(msp.key, 'retry_execution', {
      execution_id: first.execution_id,
    })
    await story.work()
    await story.approve(execution_id)
    await story.approve(execution_id)
    for (const id of [first.execution_id, execution_id]) {
      const requests = await story.requests(id)
      expect(requests.length).toBeGreaterThan(0)
      for (const { psa_company_name } of requests) expect(psa_company_name).toBe('Alpha')
    }
    const calls = await story.calls(execution_id)
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) expect(call).toMatchObject(COMPANY)
  })

  it('in the audit log of a run on a time entry, and of one that an entry of scheduled work starts', async () => {
    const msp = await customerMsp()
    const story = storyOf(api, msp)
    const draft = { technician_psa_id: null, minutes: 5, note: 'x', started_at: clock.now() }
    const { time_entry_id } = await psaOfTenant(msp).addTimeEntry(TICKET, draft, 'k')
    const reader = { actions: [{ type: 'time_entry.read', params: {} }], entity_type: 'TIME_ENTRY' }
    const on_entry = await story.run(await story.createAgent(reader), { entity_id: time_entry_id })
    const workflow_id = await story.createAgent({ actions: [NOTE] })
    const scheduled_for = new Date(clock.now().getTime() + 120_000).toISOString()
    const input = { workflow_id, ticket_id: TICKET, scheduled_for }
    const { id } = await story.done(msp.key, 'create_scheduled_work', { input })
    clock.advance(180_000)
    await startDueOf(msp)
    await story.work()
    const scheduled = await story.done(msp.key, 'scheduled_work_entry', { entry_id: id })
    for (const { execution_id } of [on_entry, scheduled])
      expect(await story.calls(execution_id)).toEqual([expect.objectContaining(COMPANY)])
  })

  it('nowhere if the ticket has none', async () => {
    const msp = await customerMsp()
    const story = storyOf(api, msp)
    const { execution_id } = await story.run(await story.createAgent({ actions: [NOTE] }))
    await story.work()
    const none = { psa_company_id: null, psa_company_name: null }
    expect(await story.calls(execution_id)).toEqual([expect.objectContaining(none)])
  })
})
