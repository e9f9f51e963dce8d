/** Dispatch of the demo MSP: the settings and rules of dispatch, and its decisions. */
import { createHash } from 'node:crypto'
import { choose, type PoolMember } from '../areas/dispatch/deciding/choose.ts'
import type { Assignment } from '../areas/dispatch/decision.ts'
import { availabilityAt, scheduledHours } from '../areas/technicians/rules.ts'
import type { Window } from '../areas/technicians/schedules/windows.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { LEAD } from './escalation-policies.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'

const SHOWN_DAYS = 21
/** The days since somebody is chosen if nobody fits. */
const FALLBACK_DAYS = 6
/** By then somebody has applied a suggestion. */
const APPLIED_MINUTES = 60
const OPEN_HOURS = 24
/** The part of all tickets that arrive without a technician. */
const ARRIVING = 0.18
const KNOWN_COMPANIES = 0.3
const MOST_OPEN_TICKETS = 12
const BOARDS = ['Service desk', 'Identity', 'Requests']

/** The outcomes of suggestions, over and over again. */
const ENDS = [
  'APPLIED',
  'APPLIED',
  'OVERRIDDEN',
  'APPLIED',
  'APPLIED',
  'EXPIRED',
  'APPLIED',
  'APPLIED',
  'APPLIED',
  'FAILED',
  'APPLIED',
  'APPLIED',
] as const

const COMMENTS = [
  'Knows the site, and is on the road nearby.',
  'Is on the phone with the customer already.',
  'Asked for this one.',
  'Has the licence for it.',
]

interface Rule {
  id: number
  name: string
  position: number
  conditions: object
  candidate_technician_ids: number[]
  required_skills: string[]
  /** Days since it was made. */
  made: number
  holds(ticket: Ticket): boolean
}

type Ticket = Pick<
  Prisma.PsaTicketGetPayload<object>,
  | 'ticket_id'
  | 'number'
  | 'board'
  | 'category'
  | 'psa_company_id'
  | 'assignee_psa_id'
  | 'created_at'
  | 'closed_at'
>

const equals = (field: string, value: string) => ({
  match: 'ALL',
  rules: [{ field, operator: 'equals', value }],
})

const rulesOf = (id_of: ReadonlyMap<string, number>): Rule[] => [
  {
    id: 1,
    name: 'Networks',
    position: 10,
    conditions: equals('category', 'Network'),
    candidate_technician_ids: [],
    required_skills: ['Networks'],
    made: 55,
    holds: ({ category }) => category === 'Network',
  },
  {
    id: 2,
    name: 'Accounts and passwords',
    position: 20,
    conditions: equals('board', 'Identity'),
    candidate_technician_ids: [LEAD, 'Elin Lindqvist', 'Aisha Rahman'].flatMap(
      (name) => id_of.get(name) ?? [],
    ),
    required_skills: [],
    made: 41,
    holds: ({ board }) => board === 'Identity',
  },
]

type Technician = Prisma.TechnicianProfileGetPayload<{ include: { schedule: true } }>

/** The technician as the service knew them when the ticket arrived. */
function memberOf(technician: Technician, ticket: Ticket, at: Date): PoolMember {
  const { id, name, skills, is_ready, schedule, psa_id } = technician
  const hours = schedule && scheduledHours({ ...schedule, windows: schedule.windows as Window[] })
  const { available, next_available_at } = availabilityAt(hours, at)
  return {
    technician_id: id,
    name,
    skills,
    is_ready,
    available_now: available,
    next_available_at,
    open_tickets: randomOf(`load ${psa_id} ${ticket.ticket_id}`).int(0, MOST_OPEN_TICKETS),
    knows_company: randomOf(`known ${psa_id} ${ticket.psa_company_id}`).fraction() < KNOWN_COMPANIES,
    turn: null,
  }
}

const minutesAfter = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * 60_000)

interface Desk {
  technicians: readonly Technician[]
  rules: readonly Rule[]
}

/** The end of a suggestion: its status, who has the ticket, and when. */
function endOf(ticket: Ticket, made: Date, suggested: number, index: number, desk: Desk, { ago }: Seeding) {
  const random = randomOf(`dispatch end ${ticket.ticket_id}`)
  const later = minutesAfter(made, 1 + 45 * random.fraction() ** 2)
  const open = { chosen: suggested, comment: null as string | null, by: null as string | null }
  if (made > ago(0, APPLIED_MINUTES)) {
    const is_waiting = ticket.assignee_psa_id === null && ticket.closed_at === null
    return { ...open, status: is_waiting ? ('SUGGESTED' as const) : ('EXPIRED' as const), at: made }
  }
  const status = ENDS[index % ENDS.length] ?? 'APPLIED'
  if (status !== 'OVERRIDDEN') return { ...open, status, at: later }
  const others = desk.technicians.filter(({ id, is_ready }) => is_ready && id !== suggested)
  return {
    status,
    chosen: random.pick(others).id,
    comment: random.pick(COMMENTS),
    by: LEAD,
    at: later,
  }
}

function decisionOf(ticket: Ticket, index: number, desk: Desk, seeding: Seeding) {
  const { tenancy, ago } = seeding
  const made = minutesAfter(ticket.created_at, 0.1)
  const rule = desk.rules.find(({ holds }) => holds(ticket)) ?? null
  const names = new Set(rule?.candidate_technician_ids)
  const pool = desk.technicians.filter(({ id }) => names.size === 0 || names.has(id))
  const lead = desk.technicians.find(({ name }) => name === LEAD)
  const choice = choose(
    pool.map((technician) => memberOf(technician, ticket, made)),
    {
      required_skills: rule?.required_skills ?? [],
      only_ready_technicians: true,
      respect_schedules: true,
      max_open_tickets_per_technician: MOST_OPEN_TICKETS,
      strategy: 'BEST_FIT',
      fallback: lead && made > ago(FALLBACK_DAYS) ? { technician_id: lead.id, name: lead.name } : null,
      rule_name: rule?.name ?? null,
    },
    made,
  )
  const suggested = choice.chosen_technician_id
  const end = suggested === null ? null : endOf(ticket, made, suggested, index, desk, seeding)
  const is_given = end?.status === 'APPLIED' || end?.status === 'OVERRIDDEN'
  const hash = createHash('md5').update(`${tenancy.environment}\0dispatch ${ticket.ticket_id}`).digest('hex')
  return {
    ...tenancy,
    id: `dsp_${hash.slice(0, 22)}`,
    ticket_id: ticket.ticket_id,
    ticket_number: ticket.number,
    status: end?.status ?? ('NONE_FITS' as const),
    rule_id: rule?.id ?? null,
    strategy: 'BEST_FIT' as const,
    is_automatic: false,
    candidates: choice.candidates,
    suggested_technician_id: suggested,
    chosen_technician_id: end?.chosen ?? null,
    explanation: choice.explanation,
    psa_company_id: ticket.psa_company_id,
    overridden_by_name: end?.by ?? null,
    comment: end?.comment ?? null,
    assignment: null as Assignment | null,
    revision: is_given ? 2 : 1,
    created_at: made,
    applied_at: is_given ? end.at : null,
    expires_at: minutesAfter(made, OPEN_HOURS * 60),
    updated_at: end?.at ?? made,
  }
}

/** The tickets that arrived without a technician, the oldest first: one of those that nobody worked on is the latest. */
async function arrivedIn({ tx, tenancy, ago }: Seeding): Promise<Ticket[]> {
  const tickets = await tx.psaTicket.findMany({
    where: { ...tenancy, board: { in: BOARDS }, created_at: { gte: ago(SHOWN_DAYS), lt: ago(0, 5) } },
    orderBy: [{ created_at: 'asc' }, { ticket_id: 'asc' }],
  })
  return tickets.filter(
    ({ ticket_id, status }) => status === 'New' || randomOf(`arrived ${ticket_id}`).fraction() < ARRIVING,
  )
}

export async function seedDispatch(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const technicians = await tx.technicianProfile.findMany({
    where: { ...tenancy, deleted_at: null },
    include: { schedule: true },
    orderBy: { id: 'asc' },
  })
  const rules = rulesOf(new Map(technicians.map(({ name, id }) => [name, id])))
  await tx.dispatchSettings.create({
    data: {
      ...tenancy,
      enabled: true,
      max_open_tickets_per_technician: MOST_OPEN_TICKETS,
      fallback_technician_id: technicians.find(({ name }) => name === LEAD)?.id ?? null,
      revision: 3,
      updated_at: ago(FALLBACK_DAYS),
    },
  })
  await tx.dispatchRule.createMany({
    data: rules.map(({ made, holds: _holds, ...rule }) => ({
      ...tenancy,
      ...rule,
      created_at: ago(made),
      updated_at: ago(made),
    })),
  })
  // The sequence continues after the ids inserted here, unless it is further already.
  await tx.$queryRaw`select nextval(pg_get_serial_sequence('dispatch_rule', 'id'))
    from generate_series(1, ${rules.length}::int)`
  const tickets = await arrivedIn(seeding)
  const decisions = tickets.map((ticket, index) => decisionOf(ticket, index, { technicians, rules }, seeding))
  await insertMany(tx, 'dispatch_decision', decisions)
  const last_at = ago(SHOWN_DAYS)
  const companies = new Set(tickets.flatMap(({ psa_company_id }) => psa_company_id ?? []))
  await tx.dispatchFamiliarity.createMany({
    data: [...companies].flatMap((psa_company_id) =>
      technicians
        .filter(({ psa_id }) => randomOf(`known ${psa_id} ${psa_company_id}`).fraction() < KNOWN_COMPANIES)
        .map(({ psa_id }) => ({ ...tenancy, psa_company_id, psa_id, last_at })),
    ),
  })
}
