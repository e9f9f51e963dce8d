/** Feedback links, as the tools of agents send them. */
import { hash } from 'node:crypto'
import type { FeedbackConnector, FeedbackProblem, LinkToSend } from '../../connectors/feedback.ts'
import type { PortContext } from '../../connectors/port.ts'
import { type DatabaseContext, db, tenancyOf } from '../../db/db.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import { messageIdOf, type Reader, sendFeedbackLink } from '../comms/index.ts'
import { companyIdOf } from '../end-companies/index.ts'
import { addresseeOf } from '../end-users/index.ts'
import { workOf } from '../executions/index.ts'
import { SETTINGS } from '../settings/index.ts'
import {
  ABOUT_NO_TICKET,
  type AboutTicket,
  aboutTicket,
  companyOfWork,
  expiryOf,
  storeEntry,
} from './about.ts'
import { askingFor } from './message.ts'
import { LINK_HOURS } from './rules.ts'

const STORE_MS = 15_000

/** The id of the link that a call with the key makes. Links name no tenant, so that their ids are unique over all. */
function idOf(ctx: DatabaseContext, key: string): string {
  const { tenant_id, environment } = tenancyOf(ctx)
  return `fb_${hash('sha256', JSON.stringify([tenant_id, environment, key])).slice(0, 22)}`
}

const isMade = async (ctx: DatabaseContext, id: string): Promise<boolean> =>
  (await db(ctx).feedbackEntry.count({ where: { id } })) > 0

interface Problem {
  problem: FeedbackProblem
}

type EndUser = NonNullable<Awaited<ReturnType<typeof addresseeOf>>> & { id: string }

/** The ACTIVE end user whom the call reaches; null: there is none with the id. */
async function endUserOf(
  ctx: DatabaseContext,
  { company }: LinkToSend,
  id: string | null,
): Promise<EndUser | null> {
  const end_user = id === null ? null : await addresseeOf(ctx, id)
  if (id === null || end_user === null) return null
  if (company === null) return { id, ...end_user }
  const { psa_company_id } = company
  const reached = psa_company_id === null ? null : await companyIdOf(ctx, psa_company_id)
  return reached !== null && end_user.end_company_id === reached ? { id, ...end_user } : null
}

/** The end user who is asked, and the reader of the message. */
interface Asked {
  end_user: EndUser | null
  reader: Reader | null
}

async function askedOf(
  ctx: DatabaseContext,
  link: LinkToSend,
  ticket: AboutTicket,
  sendsMails: () => boolean,
): Promise<Asked | Problem> {
  const end_user = await endUserOf(ctx, link, link.end_user_id ?? ticket.end_user_id)
  if (end_user === null && link.end_user_id !== null) return { problem: 'END_USER_NOT_FOUND' }
  if (link.medium === 'TICKET_NOTE') {
    const { end_user_id: id, end_user_name: name } = ticket
    // The contact of the ticket reads a note, whoever is asked.
    return { end_user, reader: id === null || name === null ? null : { id, name, email: null } }
  }
  if (!end_user?.email?.trim()) return { problem: 'NO_ADDRESS' }
  return sendsMails() ? { end_user, reader: end_user } : { problem: 'EMAIL_NOT_CONFIGURED' }
}

interface Drafted extends Asked {
  ticket: AboutTicket
  end_company_id: string | null
}

/** The link as it is to be made, with all that the PSA is asked for. No transaction is open. */
async function draftOf(
  ctx: PortContext,
  link: LinkToSend,
  sendsMails: () => boolean,
): Promise<Drafted | Problem> {
  const work = link.execution_id === null ? null : await workOf(ctx, link.execution_id)
  const ticket_id = link.ticket_id ?? (work?.entity_type === 'TICKET' ? work.entity_id : null)
  if (ticket_id === null && (link.execution_id === null || link.medium === 'TICKET_NOTE'))
    return { problem: 'ENTITY_REQUIRED' }
  const ticket = ticket_id === null ? ABOUT_NO_TICKET : await aboutTicket(ctx, link.psa, ticket_id)
  if (ticket === null) return { problem: 'TICKET_NOT_FOUND' }
  const asked = await askedOf(ctx, link, ticket, sendsMails)
  if ('problem' in asked) return asked
  const end_company_id =
    ticket.end_company_id ?? asked.end_user?.end_company_id ?? (await companyOfWork(ctx, work))
  return { ticket, end_company_id, ...asked }
}

/** The services of the process are there once it makes calls. */
export const feedbackForTools =
  (services: () => Services): FeedbackConnector =>
  (ctx) => ({
    async sendLink(link, key) {
      const feedback_id = idOf(ctx, key)
      const message_id = messageIdOf(key)
      if (await isMade(ctx, feedback_id)) return { feedback_id, message_id }
      const drafted = await draftOf(ctx, link, () => services().mail !== null)
      if ('problem' in drafted) return drafted
      const { ticket, end_company_id, end_user, reader } = drafted
      const { execution_id, agent_id, medium } = link
      const expires_at = expiryOf(ctx.now, LINK_HOURS)
      const making = {
        ...serviceContext(services(), 'feedback.send_link', key, tenancyOf(ctx)),
        db_time: ctx.db_time,
        now: ctx.now,
      }
      await inTransaction(making, STORE_MS, async () => {
        const entry = {
          id: feedback_id,
          execution_id,
          agent_id,
          expires_at,
          ...ticket,
          end_company_id,
          end_user_id: end_user?.id ?? ticket.end_user_id,
          end_user_name: end_user?.name ?? ticket.end_user_name,
        }
        // The same call that is made elsewhere at this time stores its message too.
        if (!(await storeEntry(making, entry))) return
        const { human_friendly_client_name: tenant_name } = await SETTINGS.read(making)
        const { ticket_id, ticket_number } = ticket
        const words = askingFor({ tenant_name, ticket_number })
        const about = { ticket_id, execution_id, agent_id, source_id: key }
        await sendFeedbackLink(making, {
          id: message_id,
          medium,
          feedback: { id: feedback_id, expires_at },
          words,
          reader,
          about,
        })
      })
      return { feedback_id, message_id }
    },
    outcomeOf: async (key) => ((await isMade(ctx, idOf(ctx, key))) ? 'MADE' : 'NOT_MADE'),
  })
