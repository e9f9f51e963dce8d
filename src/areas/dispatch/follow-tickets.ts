/** Tickets that change in the PSA, as far as dispatch follows them. */
import type { PsaTicket } from '../../connectors/psa.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { JobContext } from '../../jobs/job.ts'
import { expireAssigned } from './assigning/expire.ts'
import { blockOf } from './deciding/decide.ts'
import { DECIDE } from './declared.ts'
import { keepFamiliarity } from './familiarity.ts'
import { DISPATCH_SETTINGS } from './settings/dispatch-settings.ts'

/** Keeps who had tickets of the company, closes decisions about taken tickets, and queues those about new ones. */
export async function followTicket(
  ctx: JobContext,
  { ticket, is_created }: { ticket: PsaTicket; is_created: boolean },
): Promise<void> {
  const { ticket_id, psa_company_id, assignee_psa_id } = ticket
  if (psa_company_id !== null && assignee_psa_id !== null)
    await keepFamiliarity(ctx, { psa_company_id, psa_id: assignee_psa_id })
  await expireAssigned(ctx, ticket)
  if (is_created && blockOf(ticket) === null && (await DISPATCH_SETTINGS.read(ctx)).enabled)
    await enqueue(ctx, DECIDE, { ticket_id })
}
