/** Making feedback links, and taking them back. */
import { feedbackUrl } from '../../access/credentials/feedback-link.ts'
import { scope } from '../../access/policies/policies.ts'
import { psaOf } from '../../connectors/psa.ts'
import { ApiError, bodyProblem, found, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { builder } from '../../schema/builder.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { addresseeOf } from '../end-users/index.ts'
import { executionIfSeen } from '../executions/index.ts'
import { ABOUT_NO_TICKET, type AboutTicket, aboutTicket, companyOfWork, expiryOf } from './about.ts'
import { area } from './area.ts'
import { type EntryRow, entryEtag, FeedbackEntry, fieldsOf } from './entry.ts'
import { ENTRY } from './queries.ts'
import { LINK_HOURS } from './rules.ts'

const writers = scope('feedback:write')

const from = madeOf<EntryRow & { url: string }>()

const FeedbackLink = rowType('FeedbackEntry', {
  variant: 'FeedbackLink',
  read_apart: true,
  description: 'Feedback that nobody has given yet, with the address of its form.',
  fields: (t) => ({
    ...fieldsOf(t),
    url: t.string({
      ...from('url'),
      description:
        'The address of the form, for the end user alone: its holder may answer. It is in this answer only. It has no host if ' +
        'the service does not know its own address, PUBLIC_URL.',
    }),
    feedback: t.variant(FeedbackEntry, {
      graph_only: true,
      description: 'The feedback as reads have it, for the caches of clients.',
      columns: ['id'],
    }),
  }),
})

const id = { min_length: 1, max_length: 200, nullable: true } as const

const FeedbackLinkDraft = builder.inputType('FeedbackLinkDraft', {
  description: 'The link to make. It needs an execution or a ticket.',
  fields: (t) => ({
    execution_id: t.id({ ...id, description: 'The execution that it is about, of an agent that you see.' }),
    ticket_id: t.id({
      ...id,
      description: 'The id of the ticket in the PSA. That of the execution if it is left out.',
    }),
    end_user_id: t.id({
      ...id,
      description:
        'The `id` of the ACTIVE end user who is asked. The contact of the ticket if it is left out.',
    }),
    expires_in_hours: t.int({
      nullable: true,
      min: 1,
      max: 720,
      defaultValue: LINK_HOURS,
      description: 'The hours after which the link is no longer taken.',
    }),
  }),
})

interface Draft {
  execution_id: string | null
  ticket_id: string | null
  end_user_id: string | null
}

const WORK: ReadonlySet<string> = new Set([
  'agent_id',
  'entity_type',
  'entity_id',
  'entity_number',
  'psa_company_id',
])

/** The execution; 404 if the caller does not see its agent. */
async function workSeen(ctx: Context, execution_id: string) {
  const execution = await executionIfSeen(ctx, { id: execution_id, fields: WORK })
  const { agent_id, entity_type, entity_id, entity_number, psa_company_id } = found(
    execution,
    'execution_not_found',
    execution_id,
  )
  const ticket_id = entity_type === 'TICKET' ? entity_id : null
  return { agent_id, ticket_id, ticket_number: ticket_id && entity_number, psa_company_id }
}

type Work = Awaited<ReturnType<typeof workSeen>>

/** The ticket of the link; 422 if the PSA does not have the ticket that the caller names. */
async function ticketOf(ctx: Context, { ticket_id }: Draft, work: Work | null): Promise<AboutTicket> {
  const wanted = ticket_id ?? work?.ticket_id ?? null
  if (wanted === null) return ABOUT_NO_TICKET
  if (ticket_id !== null && work?.ticket_id && ticket_id !== work.ticket_id)
    throw invalid([bodyProblem('ticket_id', 'other_ticket', 'is not the ticket of the execution')])
  const known = { ...ABOUT_NO_TICKET, ticket_id: wanted, ticket_number: work?.ticket_number ?? null }
  try {
    const about = await aboutTicket(ctx, psaOf(ctx), wanted)
    if (about) return about
  } catch (error) {
    // An execution is known well enough to ask about.
    if (!work?.ticket_id || !(error instanceof ApiError) || error.code !== 'upstream_unavailable') throw error
  }
  if (work?.ticket_id) return known
  throw invalid([bodyProblem('ticket_id', 'unknown', 'is not in the PSA')])
}

/** The end user who is asked; 422 if the caller names nobody who is ACTIVE. */
async function askedOf(ctx: Context, { end_user_id }: Draft) {
  if (end_user_id === null) return null
  const end_user = await addresseeOf(ctx, end_user_id)
  if (!end_user) throw invalid([bodyProblem('end_user_id', 'unknown', 'is no active end user')])
  const { name: end_user_name, end_company_id } = end_user
  return { end_user_id, end_user_name, end_company_id }
}

async function valuesOf(ctx: Context, draft: Draft, hours: number) {
  const { execution_id, ticket_id } = draft
  if (execution_id === null && ticket_id === null)
    throw invalid([bodyProblem('execution_id', 'required', 'is required, or ticket_id')], 'entity_required')
  const work = execution_id === null ? null : await workSeen(ctx, execution_id)
  const ticket = await ticketOf(ctx, draft, work)
  const asked = await askedOf(ctx, draft)
  const agent_id = work?.agent_id ?? null
  const end_company_id = ticket.end_company_id ?? asked?.end_company_id ?? (await companyOfWork(ctx, work))
  return { execution_id, agent_id, ...ticket, ...asked, end_company_id, expires_at: expiryOf(ctx.now, hours) }
}

const NO_HOST = 'relative_url: the service does not know its own address (PUBLIC_URL)'

area.mutation('create_feedback_link', (t) =>
  t.field({
    type: FeedbackLink,
    description:
      'Makes a link by which an end user gives feedback about an execution or a ticket. Nobody is written to: send `url` yourself, ' +
      'or let agents send links by the tool `feedback.send_link`. The same request again, with the same Idempotency-Key, is ' +
      'answered with the same `url`. 422 `entity_required`: neither an execution nor a ticket is named.',
    rest: { method: 'POST', path: '/feedback/links' },
    access: writers,
    errors: ['entity_required', 'execution_not_found', 'upstream_unavailable'],
    etag: entryEtag,
    args: { input: t.arg({ type: FeedbackLinkDraft, required: true }) },
    resolve: async (_root, { input }, ctx) => {
      const { execution_id = null, ticket_id = null, end_user_id = null, expires_in_hours } = input
      const values = await valuesOf(
        ctx,
        { execution_id, ticket_id, end_user_id },
        expires_in_hours ?? LINK_HOURS,
      )
      const entry = await ENTRY.create(ctx, { id: newId('fb'), ...values }, 'feedback.link_created')
      ctx.secret_of = entry.id
      if (ctx.services.public_url === '') ctx.warnings.push(NO_HOST)
      return { ...entry, url: feedbackUrl(ctx.services, entry) }
    },
  }),
)

onTable(area, ENTRY).change('revoke_feedback', {
  description:
    'Takes a feedback link back, and answers with the feedback. The link is not found from then on. A rating that was given ' +
    'stays, and is counted.',
  rest: { method: 'DELETE', path: '/feedback/{feedback_id}' },
  access: writers,
  change: ({ now }) => ({
    verb: 'revoked',
    from: ['PENDING', 'SUBMITTED', 'EXPIRED', 'REVOKED'],
    to: 'REVOKED',
    decide: () => ({ status: 'REVOKED' as const, revoked_at: now }),
  }),
})
