/** The replies of customers among the changes of a ticket, of which others are told. */
import type { Psa } from '../../../connectors/psa.ts'
import type { DatabaseContext } from '../../../db/db.ts'
import { extensionPoint } from '../../../lib/extension-point.ts'
import { isCompanyInScope } from '../../company-filters/index.ts'
import type { ReadEntity } from './read-entity.ts'

/** A note of a ticket that a contact wrote. */
export interface CustomerReply {
  ticket_id: string
  /** The id in the PSA of the contact who wrote it; of the ticket's contact, if the PSA does not tell. */
  contact_id: string | null
  note_id: string
  /** The name of the author, as the PSA has it. */
  author_name: string
  text: string
  created_at: Date
}

/** Takes the replies, in the transaction that ends the processing of their callback. One reply may come again. */
export const CUSTOMER_REPLIED =
  extensionPoint<(ctx: DatabaseContext & { now: Date }, replies: readonly CustomerReply[]) => Promise<void>>(
    'the replies of customers',
  )

/** The replies that the ticket has newly. What agents wrote is none. */
const repliesTo = ({ ticket, changes, own_changes }: ReadEntity): CustomerReply[] =>
  changes.flatMap(({ code, notes = [] }) => {
    if (code !== 'TICKET_CUSTOMER_REPLIED' || !ticket || own_changes.includes(code)) return []
    const { ticket_id, contact_id } = ticket.ticket
    return notes
      .filter(({ made_by_key }) => made_by_key == null)
      .map(({ note_id, author_name, author_contact_id, text, created_at }) => ({
        ticket_id,
        contact_id: author_contact_id ?? contact_id,
        note_id,
        author_name,
        text,
        created_at,
      }))
  })

// Contract silent: nothing is kept of what customers write at companies that the filters leave out.
/** The replies that the ticket has newly, and of which others are told. No transaction is open. */
export async function repliesOf(
  ctx: DatabaseContext,
  psa: Psa,
  entity: ReadEntity,
): Promise<CustomerReply[]> {
  const replies = repliesTo(entity)
  if (replies.length === 0) return []
  return (await isCompanyInScope(ctx, psa, entity.psa_company_id)) ? replies : []
}
