/** The work that feedback is about, and the entry of its link. */
import type { Psa } from '../../connectors/psa.ts'
import type { DatabaseContext } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { record } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { storableText } from '../../lib/text.ts'
import { companyIdOf } from '../end-companies/index.ts'
import { endUserOfContact } from '../end-users/index.ts'
import { type EntryRow, titleOf } from './entry.ts'
import { HOUR_MS } from './rules.ts'

/** The columns of feedback that tell its ticket, and the people of it. */
export type AboutTicket = Pick<
  EntryRow,
  'ticket_id' | 'ticket_number' | 'ticket_title' | 'end_company_id' | 'end_user_id' | 'end_user_name'
>

/** The columns of feedback about no ticket. */
export const ABOUT_NO_TICKET: AboutTicket = {
  ticket_id: null,
  ticket_number: null,
  ticket_title: null,
  end_company_id: null,
  end_user_id: null,
  end_user_name: null,
}

/** The ticket as the PSA has it, with its company and its contact if the service knows them; null: there is none. */
export async function aboutTicket(
  ctx: DatabaseContext,
  psa: Pick<Psa, 'ticket'>,
  ticket_id: string,
): Promise<AboutTicket | null> {
  const ticket = await psa.ticket(ticket_id)
  if (!ticket) return null
  const { number, title, psa_company_id, contact_id } = ticket
  const contact = contact_id === null ? null : await endUserOfContact(ctx, contact_id)
  return {
    ticket_id,
    ticket_number: storableText(number),
    ticket_title: storableText(title),
    end_company_id: psa_company_id === null ? null : await companyIdOf(ctx, psa_company_id),
    end_user_id: contact?.id ?? null,
    end_user_name: contact?.name ?? null,
  }
}

/** The company that an execution works for; null: it works for none, or the service does not know it. */
export const companyOfWork = async (
  ctx: DatabaseContext,
  work: { psa_company_id: string | null } | null,
): Promise<string | null> => (work?.psa_company_id ? await companyIdOf(ctx, work.psa_company_id) : null)

const STORE = insertOf('feedback.store', 'FeedbackEntry', {
  columns: [
    'id',
    'execution_id',
    'agent_id',
    'ticket_id',
    'ticket_number',
    'ticket_title',
    'end_company_id',
    'end_user_id',
    'end_user_name',
    'expires_at',
    'created_at',
    'updated_at',
  ],
  on_conflict: 'do nothing',
  returning: ['id'],
})

/** A link that nobody has answered. */
export type NewEntry = AboutTicket & Pick<EntryRow, 'id' | 'execution_id' | 'agent_id' | 'expires_at'>

/** Stores the entry of a new link, and its activity; false: it is stored already. */
export async function storeEntry(ctx: MutationContext, entry: NewEntry): Promise<boolean> {
  const stamps = { created_at: ctx.now, updated_at: ctx.now }
  if (!(await insert(ctx, STORE, { ...entry, ...stamps }))) return false
  const targets = [{ type: 'feedback', id: entry.id, name: titleOf(entry) }]
  await record(ctx, { action: 'feedback.link_created', targets, after: entry })
  return true
}

/** The instant at which a link of so many hours expires, a whole second. */
export const expiryOf = (now: Date, hours: number): Date =>
  new Date(Math.floor((now.getTime() + hours * HOUR_MS) / 1000) * 1000)
