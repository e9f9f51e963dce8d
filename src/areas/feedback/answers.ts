/** The form of a feedback link, and its answer: for the holder of the link. */
import { FEEDBACK_FORM, FEEDBACK_SUBMIT, feedbackLink } from '../../access/credentials/feedback-link.ts'
import { decisionByLog } from '../../access/limits/call-log.ts'
import { limitOf, rateLimited } from '../../access/limits/state.ts'
import { signedFor } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { ApiError, found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { agentName } from '../agents/index.ts'
import { displayName } from '../settings/index.ts'
import { nameOfTenant } from '../tenant/index.ts'
import { area } from './area.ts'
import { type EntryRow, FeedbackRating, FeedbackStatus } from './entry.ts'
import { feedbackPage } from './page-answer.ts'
import { ENTRY } from './queries.ts'
import { ACCEPTED_AN_HOUR, closesAt, commentOf, inLastHour, MAX_COMMENT } from './rules.ts'

interface Names {
  tenant_name: string
  agent_name: string | null
}

type Shown = Pick<EntryRow, 'id' | 'status' | 'rating' | 'ticket_title' | 'expires_at'>

interface Form extends Names, Shown {
  ticket_reference: string | null
  closes_at: Date | null
}

const FeedbackForm = builder.objectRef<Form>('FeedbackForm').implement({
  description: 'The form of a feedback link, as the holder of the link sees it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the feedback.' }),
    tenant_name: t.exposeString('tenant_name', { description: 'The name of the MSP that asks.' }),
    ticket_reference: t.exposeString('ticket_reference', {
      nullable: true,
      description: 'The number that people know the ticket by. null: there is no ticket.',
    }),
    ticket_title: t.exposeString('ticket_title', {
      nullable: true,
      description: 'The title that the ticket had when the link was made. null: it is not known.',
    }),
    agent_name: t.exposeString('agent_name', {
      nullable: true,
      description: 'The name of the agent that did the work. null: no agent is named.',
    }),
    status: t.expose('status', {
      type: FeedbackStatus,
      description: 'PENDING or SUBMITTED; EXPIRED at the very end of the link.',
    }),
    rating: t.expose('rating', {
      type: FeedbackRating,
      nullable: true,
      description: 'The rating that was given. null: none was.',
    }),
    expires_at: t.expose('expires_at', {
      type: 'DateTime',
      description: 'The instant from which the link is no longer taken.',
    }),
    closes_at: t.expose('closes_at', {
      type: 'DateTime',
      nullable: true,
      description: 'The instant from which the answer can no longer be replaced. null: nobody has answered.',
    }),
  }),
})

const NAMES = `coalesce(${displayName('f')}, ${nameOfTenant('f')}) as tenant_name,
  ${agentName('f')} as agent_name`
const OF_LINK = 'f.tenant_id = $1 and f.environment = $2 and f.id = $3::text'

const FORM = scoped(
  'feedback.form',
  `select f.id, f.status, f.rating, f.ticket_number, f.ticket_title, f.submitted_at, f.expires_at, ${NAMES}
   from feedback_entry f where ${OF_LINK} and f.status <> 'REVOKED'`,
)

// Without the lock of the row two answers at once would count as one.
const ACCEPT = scoped(
  'feedback.accept',
  `update feedback_entry f set accepted_at = $4::timestamptz[] where ${OF_LINK} returning ${NAMES}`,
)

type Entry = Shown & Pick<EntryRow, 'ticket_number' | 'submitted_at'>

const formOf = (entry: Entry, { tenant_name, agent_name }: Names): Form => {
  const { id, status, rating, ticket_number, ticket_title, expires_at } = entry
  const about = { ticket_reference: ticket_number, ticket_title, agent_name }
  return { id, tenant_name, ...about, status, rating, expires_at, closes_at: closesAt(entry) }
}

/** The form of the link that the caller has. */
async function formOfLink(ctx: DatabaseContext & Pick<Context, 'viewer'>): Promise<Form> {
  const { id } = callerOf(ctx)
  const [entry] = await sql<Entry & Names>(ctx, FORM, [id])
  return formOf(found(entry, 'feedback_not_found', id) as Entry, entry as Names)
}

const ACCEPTED = limitOf('feedback-answers', {
  name: 'feedback_answers',
  quota: ACCEPTED_AN_HOUR,
  window_seconds: 3600,
})

/** Counts an answer, which is accepted; 429 for the eleventh in an hour. */
async function accept(ctx: Context, { id, accepted_at }: EntryRow): Promise<Names> {
  const { now } = ctx
  const before = inLastHour(accepted_at, now)
  const allowed = before.length < ACCEPTED_AN_HOUR
  const calls = allowed ? [...before, now] : before
  const [oldest = now, newest = now] = [calls[0], calls.at(-1)]
  const decision = decisionByLog(ACCEPTED, { allowed, count: calls.length, oldest, newest }, now)
  const status = { limit: ACCEPTED, scope: 'OPERATION', decision } as const
  ctx.rates.add(status)
  if (!allowed) throw rateLimited(status, now)
  const [names] = await sql<Names>(ctx, ACCEPT, [id, calls])
  if (!names) throw new Error('An update without a row')
  return names
}

interface Answer {
  rating: NonNullable<EntryRow['rating']>
  comment: string | null
}

async function submit(ctx: Context, { rating, comment }: Answer): Promise<Form> {
  const { now } = ctx
  // The form has no version, which a header could name.
  ctx.request.if_match = null
  const entry = await ENTRY.lock(ctx, callerOf(ctx).id)
  const closes_at = closesAt(entry)
  if (closes_at && closes_at <= now)
    throw new ApiError('feedback_closed', { details: { status: entry.status } })
  const names = await accept(ctx, entry)
  // The link was good when the call came, though its time may be over by now.
  const after = await change(ctx, ENTRY, entry, {
    verb: 'submitted',
    from: ['PENDING', 'SUBMITTED', 'EXPIRED'],
    decide: ({ submitted_at }) => ({
      status: 'SUBMITTED' as const,
      rating,
      comment,
      submitted_at: submitted_at ?? now,
    }),
  })
  return formOf(after, names)
}

const FEEDBACK_PAGE = feedbackPage(formOfLink)

const holders = signedFor(feedbackLink.type)

const LINK_ARGS = builder.args((t) => ({
  feedback_id: t.id({ required: true, description: 'The id of the feedback, as the link has it.' }),
  expires: t.string({ description: 'The parameter `expires` of the link: Unix seconds in decimal.' }),
  signature: t.string({ description: 'The parameter `signature` of the link.' }),
}))

area.query('feedback_form', (t) =>
  t.field({
    type: FeedbackForm,
    description:
      'Gets the form of a feedback link. The holder of the link may ask: no Authorization header is needed; over GraphQL one that is sent must be valid. ' +
      'Browsers get a page. Reading records nothing, so that scanners of mails answer for nobody. 401 `invalid_signature` has ' +
      'one answer for a wrong or missing signature and for feedback that does not exist; 401 `signature_expired`: the time of ' +
      'the link is over; 404: the link was revoked.',
    rest: { method: 'GET', path: FEEDBACK_FORM },
    access: holders,
    also_as: FEEDBACK_PAGE,
    errors: ['feedback_not_found'],
    args: LINK_ARGS,
    resolve: (_root, _args, ctx) => formOfLink(ctx),
  }),
)

const FeedbackAnswer = builder.inputType('FeedbackAnswer', {
  description: 'The answer of an end user.',
  fields: (t) => ({
    rating: t.field({ type: FeedbackRating, required: true, description: 'The rating.' }),
    comment: t.string({
      nullable: true,
      max_length: MAX_COMMENT,
      description: 'Words of the end user, without the spaces around them.',
    }),
  }),
})

area.mutation('submit_feedback', (t) =>
  t.field({
    type: FeedbackForm,
    description:
      'Gives feedback by a link. An answer within 24 hours of the first one replaces it, comment included; a later one is 409 ' +
      '`feedback_closed`. A link takes 10 answers an hour, over all processes; the next one is 429 with `details.scope` OPERATION. ' +
      'The holder of the link may answer, as for `feedback_form`. Browsers send a form, and get a page.',
    rest: { method: 'POST', path: FEEDBACK_SUBMIT },
    access: holders,
    also_as: FEEDBACK_PAGE,
    takes_form: true,
    errors: ['feedback_not_found', 'feedback_closed'],
    args: { ...LINK_ARGS, input: t.arg({ type: FeedbackAnswer, required: true }) },
    resolve: (_root, { input: { rating, comment } }, ctx) =>
      submit(ctx, { rating, comment: commentOf(comment) }),
  }),
)
