/** The feedback of customers of the demo MSP on tickets that agents worked on. */
import { createHash } from 'node:crypto'
import { HOUR_MS, LINK_HOURS } from '../areas/feedback/rules.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { RESETS_AGENT } from './escalation-policies.ts'
import { insertMany, type Random, randomOf, type Seeding } from './seeding.ts'

const SHOWN_DAYS = 33
/** Every answer is older, so that none counts towards the limit of its link. */
const QUIET_MINUTES = 60

/** The parts of all links: those of tickets with a contact that are asked about, and of these the answered ones. */
const ASKED = 0.34
const ANSWERED = 0.4
const WITH_COMMENT = 0.4

type Rating = 'POSITIVE' | 'NEUTRAL' | 'NEGATIVE'

/** The parts of POSITIVE and of NEUTRAL answers, by what became of the execution. */
const RATINGS = { COMPLETED: [0.91, 0.05], FAILED: [0.3, 0.3] } as const

const COMMENTS: Readonly<Record<Rating, readonly string[]>> = {
  POSITIVE: [
    'Sorted before I had finished my coffee. Thank you!',
    'Really quick this time, thanks.',
    'Works again. Thanks a lot, have a nice day!',
    'Great service as always.',
    'I did not expect an answer after six in the evening. Brilliant.',
    'All good now, cheers',
    'Very clear instructions, even for somebody like me :-)',
    'Solved at the first attempt. That was a first!',
    'Perfect, I could go straight back to work.',
    'Thank you for telling me what was wrong, too.',
  ],
  NEUTRAL: [
    'It works now, but I had to restart twice.',
    'Okay, though I had to explain the problem a second time.',
    'Fine. The first answer was about another printer.',
    'Solved in the end. It took most of the morning.',
  ],
  NEGATIVE: [
    'It is still not working. Please call me.',
    'Ticket was closed but nothing has changed!',
    'I waited for half a day and then my colleague fixed it.',
    'The answer had nothing to do with my question.',
    'Third time this month that we have the same problem.',
  ],
}

const STUCK_COMMENT = 'I still cannot sign in, and I have a meeting with a customer at ten. Please call me!'

const hoursAfter = (at: Date, hours: number): Date => new Date(at.getTime() + hours * HOUR_MS)

/** Work that ended, on a ticket with a contact whom the service knows. */
interface Case {
  execution: Prisma.ExecutionGetPayload<object>
  ticket: { ticket_id: string; number: string; title: string }
  person: Prisma.EndUserGetPayload<object>
  ended: Date
}

/** The latest work on each ticket. */
async function casesOf({ tx, tenancy, ago }: Seeding): Promise<Case[]> {
  const executions = await tx.execution.findMany({
    where: {
      ...tenancy,
      entity_type: 'TICKET',
      status: { in: ['COMPLETED', 'FAILED'] },
      finished_at: { gte: ago(SHOWN_DAYS), lte: ago(0, QUIET_MINUTES) },
    },
    orderBy: [{ finished_at: 'desc' }, { execution_id: 'asc' }],
    distinct: ['entity_id'],
  })
  const ids = executions.flatMap(({ entity_id }) => entity_id ?? [])
  const tickets = await tx.psaTicket.findMany({
    where: { ...tenancy, ticket_id: { in: ids }, contact_id: { not: null } },
    select: { ticket_id: true, number: true, title: true, contact_id: true },
  })
  const people = await tx.endUser.findMany({ where: { ...tenancy, status: 'ACTIVE' } })
  const ticket_of = new Map(tickets.map((ticket) => [ticket.ticket_id, ticket]))
  const person_of = new Map(people.map((person) => [person.psa_contact_id, person]))
  return executions.flatMap((execution) => {
    const ticket = ticket_of.get(execution.entity_id ?? '')
    const person = person_of.get(ticket?.contact_id ?? '')
    const { finished_at: ended } = execution
    return ticket && person && ended ? [{ execution, ticket, person, ended }] : []
  })
}

interface Answer {
  rating: Rating
  comment: string | null
  submitted_at: Date
}

function ratingOf(status: string, random: Random): Rating {
  const [positive, neutral] = RATINGS[status === 'FAILED' ? 'FAILED' : 'COMPLETED']
  const place = random.fraction()
  if (place < positive) return 'POSITIVE'
  return place < positive + neutral ? 'NEUTRAL' : 'NEGATIVE'
}

/** The answer, which most people give within hours; null if there is none yet. */
function answerOf({ execution }: Case, made: Date, random: Random, { ago }: Seeding): Answer | null {
  const is_answered = random.fraction() < ANSWERED
  const rating = ratingOf(execution.status, random)
  const submitted_at = hoursAfter(made, 0.1 + 70 * random.fraction() ** 4)
  const has_comment = rating === 'NEGATIVE' || random.fraction() < WITH_COMMENT
  const comment = has_comment ? random.pick(COMMENTS[rating]) : null
  return is_answered && submitted_at <= ago(0, QUIET_MINUTES) ? { rating, comment, submitted_at } : null
}

function entryOf(of: Case, answer: Answer | null, made: Date, { tenancy, now }: Seeding) {
  const { execution, ticket, person } = of
  const hash = createHash('md5').update(`${tenancy.environment}\0${execution.execution_id}`).digest('hex')
  const end = hoursAfter(made, LINK_HOURS)
  end.setUTCMilliseconds(0)
  const is_over = end <= now
  const status = answer ? 'SUBMITTED' : is_over ? 'EXPIRED' : 'PENDING'
  return {
    ...tenancy,
    id: `fb_${hash.slice(0, 22)}`,
    status: status as 'SUBMITTED' | 'EXPIRED' | 'PENDING' | 'REVOKED',
    rating: answer?.rating ?? null,
    comment: answer?.comment ?? null,
    execution_id: execution.execution_id,
    ticket_id: ticket.ticket_id,
    ticket_number: ticket.number,
    ticket_title: ticket.title,
    agent_id: execution.agent_id,
    end_company_id: person.end_company_id,
    end_user_id: person.id,
    end_user_name: person.name,
    accepted_at: answer ? [answer.submitted_at] : [],
    submitted_at: answer?.submitted_at ?? null,
    expires_at: end,
    revoked_at: null as Date | null,
    revision: answer ? 2 : 1,
    created_at: made,
    updated_at: answer?.submitted_at ?? (is_over ? end : made),
  }
}

export async function seedFeedback(seeding: Seeding): Promise<void> {
  const { tx, ago } = seeding
  const cases = await casesOf(seeding)
  // A customer whose password was not reset, of which a policy tells people.
  const stuck = cases.find(
    ({ execution: { agent_id, status }, ended }) =>
      agent_id === RESETS_AGENT && status === 'FAILED' && ended <= ago(1),
  )
  const entries = cases.flatMap((of) => {
    const random = randomOf(`feedback ${of.execution.execution_id}`)
    const is_asked = random.fraction() < ASKED
    const made = hoursAfter(of.ended, 0.05 + 0.5 * random.fraction())
    if (of === stuck) {
      const submitted_at = hoursAfter(made, 0.4)
      return [entryOf(of, { rating: 'NEGATIVE', comment: STUCK_COMMENT, submitted_at }, made, seeding)]
    }
    const is_made = is_asked && made <= ago(0, QUIET_MINUTES)
    return is_made ? [entryOf(of, answerOf(of, made, random, seeding), made, seeding)] : []
  })
  // The ticket was opened again, and the link is taken back before anybody has used it.
  const revoked = entries.findLast(({ status }) => status === 'PENDING')
  if (revoked) {
    const revoked_at = hoursAfter(revoked.created_at, 1)
    Object.assign(revoked, { status: 'REVOKED', revoked_at, updated_at: revoked_at, revision: 2 })
  }
  await insertMany(tx, 'feedback_entry', entries)
}
