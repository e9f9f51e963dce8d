/** The callbacks of the demo MSP over the days for which they are kept, and how agents were matched with them. */
import { RETENTION_DAYS } from '../areas/callbacks/rules/callbacks.ts'
import type { ChangeType } from '../areas/change-types/catalogue.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { randomBase62 } from '../lib/base62.ts'
import {
  type CallbackStory,
  comparedWith,
  DAILY,
  EPISODES,
  type MatchStory,
  noPassword,
  notSelected,
  notTriaged,
  PASSWORDS,
  RARE,
  TIME_ENTRIES,
  TRIAGE,
  UNDER_WAY,
} from './callback-stories.ts'
import { psaIdsOf } from './end-companies.ts'
import { insertJoined, insertMany, type Random, randomOf, type Seeding } from './seeding.ts'
import { busyTimes, OFFICE } from './working-hours.ts'

/** The columns of callbacks that are processed: those of the demo are told as they ended. */
type OfProcessing =
  | 'event_id'
  | 'source'
  | 'action'
  | 'own_changes'
  | 'attempts'
  | 'waits_since'
  | 'waits_for'
  | 'away_since'
  | 'is_again'
  | 'has_job'
  | 'search_text'
  | 'psa_key'
  | 'looks'

type Callback = Omit<Required<Prisma.CallbackCreateManyInput>, 'received_at' | OfProcessing> & {
  received_at: Date
}

/** An execution that a callback started. */
interface Started {
  execution_id: string
  callback_id: string
  agent_id: number
  entity_type: 'TICKET' | 'TIME_ENTRY'
  entity_id: string
  entity_number: string | null
  /** The company in the PSA. */
  psa_company_id: string
  /** The ticket, or that of the time entry. */
  title: string
  category: string
  board: string
  /** Of a time entry. */
  minutes: number | null
  created_at: Date
  /** No agent has worked on the entity before. */
  is_first: boolean
}

interface Told {
  callback: Callback
  matches: readonly (MatchStory & { execution_id?: string })[]
}

const later = (at: Date, seconds: number): Date => new Date(at.getTime() + Math.round(seconds * 1000))

const rounded = (value: number): number => Math.round(value * 1000) / 1000

const [IN_SCOPE, OUT_OF_SCOPE] = [psaIdsOf({ in_scope: true }), psaIdsOf({ in_scope: false })]

const companyOf = (entity_number: number, among: readonly string[]): string =>
  among[entity_number % among.length] as string

/** The seconds of each stage. Few callbacks find the concurrency cap exhausted, few webhooks come late. */
function delays({ ago }: Seeding, at: Date, random: Random) {
  const late = random.fraction() < 0.03 ? 60 + 300 * random.fraction() : 0
  return {
    delivery: random.fraction() < 0.04 ? null : rounded(0.3 + 4 * random.fraction() ** 3 + late),
    sleep_seconds: at < ago(26) ? 30 : 45,
    wait_seconds: random.fraction() < 0.05 ? rounded(2 + 180 * random.fraction() ** 2) : 0,
    work_seconds: rounded(0.2 + 3 * random.fraction() ** 2),
  }
}

type Entity = Pick<Callback, 'entity_type' | 'entity_id' | 'entity_number' | 'psa_company_id'>

interface Event {
  id: string
  received_at: Date
  entity: Entity
  change_types: readonly ChangeType[]
  status: Callback['status']
  times: ReturnType<typeof delays>
}

const NO_TIMES = { sleep_seconds: 0, wait_seconds: 0, work_seconds: 0 }

function callbackOf({ tenancy }: Seeding, event: Event): Callback {
  const { id, received_at, entity, change_types, status, times } = event
  const { delivery, ...stages } = times
  const is_done = status === 'PROCESSED' || status === 'FAILED'
  const { sleep_seconds, wait_seconds, work_seconds } = stages
  return {
    ...tenancy,
    id,
    psa_type: 'HALO_PSA',
    change_types: [...change_types],
    ...entity,
    status,
    filter_reason: null,
    received_at,
    psa_changed_at: delivery === null ? null : later(received_at, -delivery),
    ...(is_done ? stages : NO_TIMES),
    psa_wait_seconds: 0,
    processed_at: is_done ? later(received_at, sleep_seconds + wait_seconds + work_seconds) : null,
    error: null,
  }
}

/** The changes that start an execution, and how the other agents were matched with them. */
function startOf({ agent_id, title, category, board, is_first }: Started, random: Random) {
  if (agent_id === TIME_ENTRIES) {
    const change = random.fraction() < 0.8 ? 'TIME_ENTRY_CREATED' : 'TIME_ENTRY_UPDATED'
    return { change_types: [change] as const, others: [] }
  }
  const other = agent_id === TRIAGE ? PASSWORDS : TRIAGE
  if (!is_first) {
    const change = agent_id === TRIAGE ? 'TICKET_CUSTOMER_REPLIED' : 'TICKET_REOPENED'
    return { change_types: [change] as const, others: [notSelected(other)] }
  }
  const unmatched = agent_id === TRIAGE ? noPassword(title, category) : notTriaged(board)
  return { change_types: ['TICKET_CREATED'] as const, others: [unmatched] }
}

/** The callbacks that started the executions. */
function started(seeding: Seeding, executions: readonly Started[], random: Random): Told[] {
  return executions.map((execution) => {
    const { entity_type, entity_id, entity_number, psa_company_id, created_at } = execution
    const { agent_id, execution_id } = execution
    const { change_types, others } = startOf(execution, random)
    const times = delays(seeding, created_at, random)
    const { sleep_seconds, wait_seconds, work_seconds } = times
    const callback = callbackOf(seeding, {
      id: execution.callback_id,
      received_at: later(created_at, -sleep_seconds - wait_seconds - work_seconds),
      entity: { entity_type, entity_id, entity_number, psa_company_id },
      change_types,
      status: 'PROCESSED',
      times,
    })
    const match = { agent_id, result: 'MATCHED' as const, comparisons: comparedWith(execution), execution_id }
    return { callback, matches: [...others, match] }
  })
}

const FIRST_NUMBERS = { TICKET: 61_000, TIME_ENTRY: 640_000, COMPANY: 0, CONTACT: 7_100 }

interface Telling {
  seeding: Seeding
  random: Random
  /** Tickets that were worked on, by time, and how many of them were before the callback that is told. */
  worked_on: readonly Started[]
  before: number
  /** Entities that are made up so far. */
  made: number
}

/** Callbacks are told in order of time. */
function entityOf(telling: Telling, { about, is_new, out_of_scope }: CallbackStory, at: Date): Entity {
  const { random, worked_on } = telling
  if (about === 'COMPANY') {
    const psa_company_id = random.pick(IN_SCOPE)
    return { entity_type: about, entity_id: psa_company_id, entity_number: null, psa_company_id }
  }
  while ((worked_on[telling.before]?.created_at ?? at) < at) telling.before++
  if (about === 'TICKET' && !is_new && telling.before > 0) {
    const { entity_id, entity_number, psa_company_id } = random.pick(
      worked_on.slice(Math.max(0, telling.before - 40), telling.before),
    )
    return { entity_type: about, entity_id, entity_number, psa_company_id }
  }
  const number = FIRST_NUMBERS[about] + ++telling.made
  return {
    entity_type: about,
    entity_id: String(number + 100_000),
    entity_number: about === 'TICKET' ? String(number) : null,
    psa_company_id: companyOf(number, out_of_scope ? OUT_OF_SCOPE : IN_SCOPE),
  }
}

function tell(telling: Telling, story: CallbackStory, received_at: Date): Told {
  const { seeding, random } = telling
  const callback = callbackOf(seeding, {
    id: `cb_${randomBase62(22, (size) => random.bytes(size))}`,
    received_at,
    entity: entityOf(telling, story, received_at),
    change_types: random.pick(story.changes),
    status: story.status,
    times: delays(seeding, received_at, random),
  })
  const { filter_reason = null, error = null, matches } = story
  // Of a ticket that the PSA does not show nothing is known but its id.
  const unknown = filter_reason === 'ENTITY_NOT_FOUND' && { entity_number: null, psa_company_id: null }
  return { callback: { ...callback, ...unknown, filter_reason, error }, matches }
}

/** The callbacks that started nothing. */
function others(telling: Telling): Told[] {
  const { seeding, random } = telling
  const { now, ago } = seeding
  const daily = DAILY.flatMap((story) => {
    const times = { a_day: story.a_day, weekend: 0.2, hours: OFFICE }
    return busyTimes(now, RETENTION_DAYS - 1, times, random).map((at) => ({ story, at }))
  }).filter(({ at }) => at < ago(0, 5))
  const rare = RARE.flatMap(([callbacks, story]) =>
    Array.from({ length: callbacks }, () => ({
      story,
      at: ago(random.int(0, RETENTION_DAYS - 2), random.int(10, 1400)),
    })),
  )
  const once = EPISODES.flatMap(({ days, minutes, callbacks, story }) =>
    Array.from({ length: callbacks }, () => ({ story, at: ago(days, -minutes * random.fraction()) })),
  )
  const under_way = UNDER_WAY.map(([status, seconds, change]) => {
    const about = 'TICKET' as const
    const is_new = change === 'TICKET_CREATED' && { is_new: true as const }
    return {
      story: { a_day: 0, status, changes: [[change]], about, matches: [], ...is_new },
      at: later(now, -seconds),
    }
  })
  return [...daily, ...rare, ...once, ...under_way]
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ story, at }) => tell(telling, story, at))
}

export async function seedCallbacks(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const { tenant_id, environment } = tenancy
  const executions = await tx.$queryRaw<Started[]>`
    select e.execution_id, e.callback_id, e.agent_id, e.entity_type::text, e.entity_id, e.entity_number,
      t.psa_company_id, t.title, t.category, t.board, n.minutes, e.created_at, e.is_first
    from (
      select *, row_number() over (partition by entity_type, entity_id order by created_at, execution_id) = 1 as is_first
      from execution where tenant_id = ${tenant_id} and environment = ${environment}
    ) e
      left join psa_time_entry n on n.tenant_id = e.tenant_id and n.environment = e.environment
        and n.time_entry_id = e.entity_id and e.entity_type = 'TIME_ENTRY'
      join psa_ticket t on t.tenant_id = e.tenant_id and t.environment = e.environment
        and t.ticket_id = case e.entity_type when 'TICKET' then e.entity_id else n.ticket_id end
    where e.callback_id is not null and e.created_at >= ${ago(RETENTION_DAYS - 1)}
    order by e.created_at, e.execution_id`
  const random = randomOf('callbacks')
  const worked_on = executions.filter(({ entity_type }) => entity_type === 'TICKET')
  const told = [
    ...started(seeding, executions, random),
    ...others({ seeding, random, worked_on, before: 0, made: 0 }),
  ].sort((a, b) => a.callback.received_at.getTime() - b.callback.received_at.getTime())
  await insertMany(
    tx,
    'callback',
    told.map(({ callback }) => callback),
  )
  // A ticket is as old as the change that reports it as new, and a time entry as the first change of it.
  await tx.$executeRaw`
    update psa_ticket t set created_at = c.changed_at from (
      select entity_id, min(coalesce(psa_changed_at, received_at)) as changed_at from callback
      where tenant_id = ${tenant_id} and environment = ${environment} and change_types @> array['TICKET_CREATED']
      group by entity_id
    ) c where t.tenant_id = ${tenant_id} and t.environment = ${environment} and t.ticket_id = c.entity_id`
  await tx.$executeRaw`
    update psa_time_entry t
    set created_at = c.changed_at, started_at = c.changed_at - t.minutes * interval '1 minute'
    from (
      select entity_id, min(coalesce(psa_changed_at, received_at)) as changed_at from callback
      where tenant_id = ${tenant_id} and environment = ${environment} and entity_type = 'TIME_ENTRY'
      group by entity_id
    ) c where t.tenant_id = ${tenant_id} and t.environment = ${environment} and t.time_entry_id = c.entity_id`
  const matches = told.flatMap(({ callback: { id: callback_id, received_at }, matches }) =>
    matches.map(({ refusal = null, ...match }) => ({
      ...tenancy,
      callback_id,
      reason_code: null,
      comparisons: [],
      execution_id: null,
      refusal_code: refusal?.code ?? null,
      refusal_message: refusal?.message ?? null,
      ...match,
      received_at,
    })),
  )
  // If references are checked, PostgreSQL chooses the index for each by statistics.
  await tx.$executeRaw`analyze callback`
  await insertJoined(tx, () => insertMany(tx, 'callback_match', matches))
}
