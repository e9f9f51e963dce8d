/** The executions of the demo MSP: some thousands, in every status, over the last weeks. */
import type { Prisma } from '../db/generated/client/client.ts'
import { randomBase62 } from '../lib/base62.ts'
import { insertMany, type Random, randomOf, type Seeding } from './seeding.ts'
import { HABITS, type Habits, INSTRUCTIONS, type Story } from './stories.ts'
import { ASKS } from './til-stories.ts'
import { busyTimes } from './working-hours.ts'

type Execution = Omit<
  Required<Prisma.ExecutionCreateManyInput>,
  'created_at' | 'finished_at' | 'search_text'
> & {
  created_at: Date
  finished_at: Date | null
}

const DAYS = 35

const idOf = (prefix: string, random: Random): string =>
  `${prefix}_${randomBase62(22, (size) => random.bytes(size))}`

const later = (at: Date, seconds: number): Date => new Date(at.getTime() + Math.round(seconds) * 1000)

const rounded = (value: number): number => Math.round(value * 1000) / 1000

const between = (random: Random, [low, high]: readonly [number, number]): number =>
  low + (high - low) * random.fraction()

interface Start {
  habits: Habits
  at: Date
  /** Ticket numbers ascend with time. */
  ticket: number
  retry_of?: Execution
  /** The only execution of its ticket: an agent has one under way there. */
  is_only?: true
}

const entityOf = ({ habits, ticket, is_only }: Start, random: Random) => {
  if (habits.works_on === 'NONE') return { entity_id: null, entity_number: null }
  if (habits.works_on === 'TIME_ENTRY') return { entity_id: String(900_000 + ticket), entity_number: null }
  // Some tickets have several executions.
  const number = !is_only && random.fraction() < 0.12 ? ticket - random.int(1, 30) : ticket
  return { entity_id: String(120_000 + number), entity_number: String(48_000 + number) }
}

const NOTHING_YET = {
  status: 'NEW',
  resolution: 'NONE',
  processed_sub_entity_ids: [] as string[],
  seconds_spent: 0,
  hours_saved: 0,
  credits_consumed: 0,
  run_count: 0,
  error: null,
  failure_kind: null,
  message_for_dashboard: null,
  started_at: null,
  finished_at: null,
  acting_user_id: null,
  api_key_id: null,
  api_key_name: null,
  request_id: null,
  psa_company_id: null,
  supervised_by_user_id: null,
} as const

/** A new execution. */
function accepted(start: Start, tenancy: Seeding['tenancy'], random: Random): Execution {
  const { habits, at, retry_of } = start
  const roll = random.fraction()
  const own = roll < 0.04 && habits.trigger === 'TRIGGERED' ? 'RUN_NOW' : habits.trigger
  const asked = roll > 0.98 && habits.trigger === 'TRIGGERED' ? 'SCHEDULED_WORK' : own
  const trigger = retry_of ? 'RETRY' : asked
  const entity = retry_of
    ? { entity_id: retry_of.entity_id, entity_number: retry_of.entity_number }
    : entityOf(start, random)
  return {
    ...tenancy,
    ...entity,
    execution_id: idOf('exe', random),
    agent_id: habits.agent_id,
    trigger,
    supervised: habits.supervised || random.fraction() < 0.03,
    additional_custom_instructions:
      trigger === 'RUN_NOW' && random.fraction() < 0.5 ? random.pick(INSTRUCTIONS) : null,
    ...NOTHING_YET,
    retry_of_execution_id: retry_of?.execution_id ?? null,
    callback_id: trigger === 'TRIGGERED' ? idOf('cb', random) : null,
    supervisor_technician_ids: [],
    asked_by_user_ids: [],
    entity_type: habits.works_on,
    created_at: at,
    updated_at: at,
  }
}

/** The execution with the outcome of the story. */
function ended(execution: Execution, { habits }: Start, story: Story, random: Random): Execution {
  const { status, resolution, message, error, failure_kind } = story
  const at = execution.created_at
  if (status === 'SKIPPED') {
    const finished_at = later(at, random.int(2, 40))
    return { ...execution, status, message_for_dashboard: message, finished_at, updated_at: finished_at }
  }
  const seconds_spent = status === 'TIMED_OUT' ? habits.max_minutes * 60 : between(random, habits.seconds)
  const waited = execution.supervised ? random.int(120, 5400) : random.int(0, 20)
  const started_at = later(at, random.int(1, 15))
  const finished_at = later(started_at, seconds_spent + waited)
  const share = { NONE: 0, PARTIAL: 0.4, FULL: 1 }[resolution]
  const notes = random.int(0, habits.works_on === 'TICKET' ? 3 : 0)
  return {
    ...execution,
    status,
    resolution,
    processed_sub_entity_ids: Array.from({ length: notes }, () => String(random.int(700_000, 799_999))),
    seconds_spent: rounded(seconds_spent),
    hours_saved: status === 'COMPLETED' ? rounded(between(random, habits.hours_saved) * share) : 0,
    credits_consumed: rounded(between(random, habits.credits)),
    run_count: execution.supervised ? random.int(2, 4) : 1,
    message_for_dashboard: message,
    error,
    failure_kind,
    started_at,
    finished_at,
    updated_at: finished_at,
  }
}

const NOT_WELL = ['FAILED', 'TIMED_OUT', 'CANCELLED']

/** A finished execution, and for some failed ones its retry. */
function told(start: Start, tenancy: Seeding['tenancy'], random: Random): Execution[] {
  const { stories } = start.habits
  const first = ended(accepted(start, tenancy, random), start, random.pick(stories), random)
  if (!first.finished_at || !NOT_WELL.includes(first.status) || random.fraction() > 0.4) return [first]
  const again = { ...start, at: later(first.finished_at, random.int(180, 2400)), retry_of: first }
  const well = random.pick(stories.filter(({ status }) => status === 'COMPLETED'))
  return [first, ended(accepted(again, tenancy, random), again, well, random)]
}

/** All finished executions. Running ones are newer. */
function history({ tenancy, now, ago }: Seeding, random: Random): Execution[] {
  const starts = HABITS.flatMap((habits) =>
    busyTimes(now, DAYS, habits, random).map((at) => ({ habits, at })),
  )
  const inOrder = starts.filter(({ at }) => at < ago(0, 120)).sort((a, b) => a.at.getTime() - b.at.getTime())
  return inOrder.flatMap((start, ticket) => {
    const executions = told({ ...start, ticket }, tenancy, random)
    return executions.every(({ finished_at }) => finished_at && finished_at < now) ? executions : []
  })
}

/** Running executions: minutes since they started, by agent. */
const UNDER_WAY: readonly [status: Execution['status'], minutes: number, agent_id: number][] = [
  ['NEW', 0.3, 1],
  ['NEW', 0.8, 5],
  ['RUNNING', 1.5, 1],
  ['RUNNING', 4, 1],
  ['WAITING_FOR_APPROVAL', 11, 2],
  ['WAITING_FOR_INPUT', 26, 1],
  ['WAITING_FOR_APPROVAL', 52, 2],
  ['WAITING_FOR_INPUT', 88, 1],
]

/** The message of an execution that waits, for the technicians. */
const askedBy = (agent_id: number, status: Execution['status']): string | null => {
  if (status === 'WAITING_FOR_INPUT') return ASKS[agent_id]?.question.text ?? null
  return status === 'WAITING_FOR_APPROVAL' ? 'The identity is confirmed. May I reset the password?' : null
}

export const present = (
  { tenancy, ago }: Pick<Seeding, 'tenancy' | 'ago'>,
  tickets: number,
  random: Random,
): Execution[] =>
  UNDER_WAY.map(([status, minutes, agent_id], index) => {
    const habits = HABITS.find((candidate) => candidate.agent_id === agent_id) as Habits
    const at = ago(0, minutes)
    const start = { habits, at, ticket: tickets - index, is_only: true } as const
    // The request that a supervised execution raises first is its plan: a decision about another one would raise that.
    const execution = { ...accepted(start, tenancy, random), supervised: habits.supervised }
    if (status === 'NEW') return { ...execution, status }
    const seconds_spent = Math.min(rounded(between(random, habits.seconds) / 2), minutes * 50)
    const credits_consumed = rounded(habits.credits[0] / 2)
    const message_for_dashboard = askedBy(agent_id, status)
    // A write is asked for once the plan is approved, which resumed the work.
    const run_count = status === 'WAITING_FOR_APPROVAL' ? 2 : 1
    const rest = { seconds_spent, credits_consumed, message_for_dashboard, run_count }
    return {
      ...execution,
      ...rest,
      status,
      started_at: later(at, 4),
      updated_at: later(at, 4 + seconds_spent),
    }
  })

/** Executions by which PostgreSQL learns what they are like. */
const FIRST = 300

export async function seedExecutions(seeding: Seeding): Promise<void> {
  const random = randomOf('executions')
  const past = history(seeding, random)
  const tickets = past.length + UNDER_WAY.length
  const executions = [...past, ...present(seeding, tickets, random)]
  // References and repeats are looked up for each row, by plans that depend on how many rows there are.
  await insertMany(seeding.tx, 'execution', executions.slice(0, FIRST))
  await seeding.tx.$executeRaw`analyze agent, execution`
  await insertMany(seeding.tx, 'execution', executions.slice(FIRST))
}
