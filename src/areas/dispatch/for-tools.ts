/** Dispatch, as the tools of agents hand tickets over. */
import { hash } from 'node:crypto'
import type { DispatchingConnector, DispatchProblem, TicketToDispatch } from '../../connectors/dispatching.ts'
import type { PsaTicket } from '../../connectors/psa.ts'
import { type DatabaseContext, tenancyOf } from '../../db/db.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { assignAutomatic } from './assigning/automatic.ts'
import { countedLately } from './deciding/counts.ts'
import { blockOf, decide, lockDecisions, openFor } from './deciding/decide.ts'
import { gather } from './deciding/facts.ts'
import type { DecisionRow } from './decision.ts'
import { DECISION } from './queries.ts'
import { DISPATCH_SETTINGS } from './settings/dispatch-settings.ts'

const DECIDE_MS = 15_000

/** The id of the decision that a call with the key makes. */
const idOf = (key: string): string => `dsp_${hash('sha256', key).slice(0, 22)}`

interface Problem {
  problem: DispatchProblem
}

/** The ticket as the PSA has it, or the problem with it. */
async function ticketOf({ ticket_id, psa }: TicketToDispatch): Promise<PsaTicket | Problem> {
  const ticket = await psa.ticket(ticket_id)
  if (!ticket) return { problem: 'TICKET_NOT_FOUND' }
  const block = blockOf(ticket)
  return block === null ? ticket : { problem: block }
}

/** The id of the decision about the ticket: the open suggestion, or a new decision of this id. */
async function decided(
  ctx: ServiceContext,
  { agent_id, execution_id, psa }: TicketToDispatch,
  ticket: PsaTicket,
  id: string,
): Promise<string | Problem> {
  const { enabled } = await DISPATCH_SETTINGS.read(ctx)
  if (!enabled) return { problem: 'DISPATCH_DISABLED' }
  const gathered = await gather(ctx, psa, ticket, (psa_ids) =>
    countedLately(ctx, psa, psa_ids, ctx.services.now()),
  )
  return await inTransaction(ctx, DECIDE_MS, async () => {
    await lockDecisions(ctx)
    ctx.now = ctx.services.now()
    const open = await openFor(ctx, ticket.ticket_id)
    if (open !== null) return open
    const settings = await DISPATCH_SETTINGS.read(ctx)
    if (!settings.enabled) return { problem: 'DISPATCH_DISABLED' }
    // The same call may have been made elsewhere at this time.
    if (!(await DECISION.find(ctx, id))) await decide(ctx, id, gathered, settings, { agent_id, execution_id })
    return id
  })
}

const isAutomatic = ({ status, is_automatic }: DecisionRow): boolean => is_automatic && status === 'SUGGESTED'

const isMade = async (ctx: DatabaseContext, id: string): Promise<boolean> => {
  const decision = await DECISION.find(ctx, id)
  return decision !== null && !isAutomatic(decision)
}

/** The services of the process are there once it makes calls. */
export const dispatchForTools =
  (services: () => Services): DispatchingConnector =>
  (ctx) => ({
    async assign(handed_over, key) {
      const id = idOf(key)
      const ticket = (await DECISION.find(ctx, id)) ? null : await ticketOf(handed_over)
      if (ticket && 'problem' in ticket) return ticket
      const own = {
        ...serviceContext(services(), 'dispatch.assign', key, tenancyOf(ctx)),
        db_time: ctx.db_time,
        now: ctx.now,
      }
      const of_ticket = ticket ? await decided(own, handed_over, ticket, id) : id
      if (typeof of_ticket !== 'string') return of_ticket
      const decision = await DECISION.find(own, of_ticket)
      if (!decision) throw new Error(`The decision ${of_ticket} is not kept`)
      const { status, chosen_technician_id, explanation } = isAutomatic(decision)
        ? await assignAutomatic(own, of_ticket)
        : decision
      return { decision_id: of_ticket, status, technician_id: chosen_technician_id, explanation }
    },
    outcomeOf: async (key) => ((await isMade(ctx, idOf(key))) ? 'MADE' : 'NOT_MADE'),
  })
