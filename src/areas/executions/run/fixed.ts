/** The decider of CHAINED_ACTIONS agents: their actions in order. */
import { type PsaTimeEntry, psaOf } from '../../../connectors/psa.ts'
import { afterLastCall, type Given, withGiven } from '../rules/chain.ts'
import { actionsOf } from '../rules/granted.ts'
import type { Decider } from './decider.ts'
import type { RunState } from './state.ts'

/** The id by which tools know the technician of the time entry. */
async function technicianOf({ ctx }: RunState, entry: PsaTimeEntry | null): Promise<number | undefined> {
  if (!entry || entry.technician_psa_id === null) return undefined
  const technician = await ctx.services.connectors.technicians(ctx).technicianOfPsa(entry.technician_psa_id)
  return technician?.technician_id
}

/** What the actions can take from the ticket or time entry that the execution works on. */
async function givenTo(run: RunState): Promise<Given> {
  const { entity_id, entity_type } = run.execution
  if (entity_id === null || entity_type === 'NONE') return {}
  const psa = psaOf(run.ctx)
  const entry = entity_type === 'TIME_ENTRY' ? await psa.timeEntry(entity_id) : null
  const ticket_id = entity_type === 'TICKET' ? entity_id : entry?.ticket_id
  const ticket = ticket_id === undefined ? null : await psa.ticket(ticket_id)
  const technician_id = await technicianOf(run, entry)
  return {
    ...(ticket_id !== undefined && { ticket_id }),
    ...(ticket?.psa_company_id && { company_id: ticket.psa_company_id }),
    ...(ticket?.contact_id && { contact_id: ticket.contact_id }),
    ...(entity_type === 'TIME_ENTRY' && { time_entry_id: entity_id }),
    ...(technician_id !== undefined && { technician_id }),
  }
}

export const FIXED: Decider = {
  async next(run) {
    const actions = actionsOf(run.agent)
    const end = afterLastCall(run.calls, actions.length)
    if (end) return end
    const action = actions[run.calls.length]
    if (!action) throw new Error('The chain has no further action')
    const args = withGiven(action, await givenTo(run))
    return { do: 'CALL', call: { tool_name: action.type, arguments: args } }
  },
}
