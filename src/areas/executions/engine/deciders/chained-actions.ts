/** The decider of CHAINED_ACTIONS agents: their actions in order. */
import { psaOf } from '../../../../connectors/psa.ts'
import { suspension } from '../calls/ceilings.ts'
import { afterLastCall, type Given, leftOut, withGiven } from '../rules/chain.ts'
import { actionsOf } from '../rules/granted.ts'
import type { RunState } from '../run/run-lock.ts'
import type { Decider } from './decider.ts'

/**
 * The values for these arguments that the ticket or time entry gives. The PSA is asked if an argument needs it, and as
 * it is now: an action before, of whichever process, may have changed the contact.
 */
async function givenFor({ ctx, execution }: RunState, names: readonly string[]): Promise<Given> {
  const { entity_id, entity_type } = execution
  if (entity_id === null || entity_type === 'NONE') return {}
  const wants = (...some: string[]) => names.some((name) => some.includes(name))
  const psa = psaOf({ ...ctx, fresh: true, pace: 'AGENT' })
  const is_entry = entity_type === 'TIME_ENTRY'
  const of_entry = is_entry && wants('ticket_id', 'company_id', 'contact_id', 'technician_id')
  const entry = of_entry ? await psa.timeEntry(entity_id) : null
  const ticket_id = is_entry ? entry?.ticket_id : entity_id
  const worked_by = wants('technician_id') ? entry?.technician_psa_id : null
  const technician = worked_by
    ? await ctx.services.connectors.technicians(ctx).technicianOfPsa(worked_by)
    : null
  const of_ticket = wants('company_id', 'contact_id')
  const ticket = of_ticket && ticket_id !== undefined ? await psa.listedTicket(ticket_id) : null
  return {
    ...(ticket_id !== undefined && { ticket_id }),
    ...(ticket?.psa_company_id && { company_id: ticket.psa_company_id }),
    ...(ticket?.contact_id && { contact_id: ticket.contact_id }),
    ...(is_entry && { time_entry_id: entity_id }),
    ...(technician && { technician_id: technician.technician_id }),
  }
}

export const chainedActionsDecider: Decider = {
  async next(run) {
    const actions = actionsOf(run.agent)
    const end = afterLastCall(run.calls, actions.length)
    if (end) return end
    const action = actions[run.calls.length]
    if (!action) throw new Error('The chain has no further action')
    const missing = leftOut(action)
    const over = missing.length > 0 ? await suspension(run) : null
    if (over) return { do: 'FAIL', failure_kind: 'LIMIT', ...over }
    const args = withGiven(action, await givenFor(run, missing))
    return { do: 'CALL', call: { tool_name: action.type, arguments: args } }
  },
}
