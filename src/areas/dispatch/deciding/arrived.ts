/** Tickets that arrive: each gets one decision. */
import type { z } from 'zod'
import { psaOf } from '../../../connectors/psa.ts'
import { db } from '../../../db/db.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { newId } from '../../../lib/ids.ts'
import { lockAssignee } from '../../callbacks/index.ts'
import { isCompanyInScope } from '../../company-filters/index.ts'
import type { DECIDE } from '../declared.ts'
import { DISPATCH_SETTINGS } from '../settings/dispatch-settings.ts'
import { countedLately } from './counts.ts'
import { blockOf, decide, lockDecisions } from './decide.ts'
import { gather } from './facts.ts'

/** Decides who takes the ticket, unless it has a decision already. */
export async function decideArrived(
  ctx: UnboundJobContext,
  { ticket_id }: z.output<typeof DECIDE.payload>,
): Promise<void> {
  const { enabled } = await DISPATCH_SETTINGS.read(ctx)
  if (!enabled) return
  const fresh = psaOf({ ...ctx, fresh: true })
  const ticket = await fresh.ticket(ticket_id)
  if (!ticket || blockOf(ticket) !== null) return
  // Contract silent: tickets of companies that the filters leave out are not dispatched.
  if (!(await isCompanyInScope(ctx, psaOf(ctx), ticket.psa_company_id))) return
  const gathered = await gather(ctx, psaOf(ctx), ticket, (psa_ids) =>
    countedLately(ctx, fresh, psa_ids, ctx.services.now()),
  )
  await ctx.commit(async () => {
    // The callback that tells of the technician of the ticket comes before this decision, or closes it.
    const assignee = await lockAssignee(ctx, ticket_id)
    await lockDecisions(ctx)
    ctx.now = ctx.services.now()
    const settings = await DISPATCH_SETTINGS.read(ctx)
    if (!settings.enabled || assignee !== null) return
    if ((await db(ctx).dispatchDecision.count({ where: { ticket_id } })) > 0) return
    const handed_over = { agent_id: null, execution_id: null }
    await decide(ctx, newId('dsp'), gathered, settings, handed_over)
  })
}
