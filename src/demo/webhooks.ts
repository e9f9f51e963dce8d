/** The webhook endpoints of the demo MSP, and the deliveries to them of what its feed has: as the service makes them. */
import { createHash } from 'node:crypto'
import { eventBody, severityOf } from '../areas/events/body.ts'
import { typesOf } from '../areas/events/rules.ts'
import '../areas/executions/events.ts'
import '../areas/integrations/events.ts'
import '../areas/til-requests/events.ts'
import type { Attempt } from '../areas/webhooks/delivery.ts'
import { ENDPOINT_EVENTS } from '../areas/webhooks/events.ts'
import { isTaken, settled } from '../areas/webhooks/rules.ts'
import { declaredEvents } from '../schema/events/declare.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'
import { failingAnswer, usualAnswer } from './webhook-answers.ts'
import { createdColumns, type DemoEndpoint, ENDPOINTS } from './webhook-endpoints.ts'

interface Happened {
  event_id: string
  type: string
  at: Date
}

interface Made {
  ended_at: Date
  is_taken: boolean
  attempt: Attempt
}

/** The way of an event. `given_up_at` is there if its endpoint was turned off before the end. */
interface Delivered {
  event: Happened
  created_at: Date
  made: Made[]
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'EXHAUSTED'
  next_attempt_at: Date | null
  given_up_at: Date | null
}

const FAILING_DAYS = 5
const DAY_MS = 86_400_000

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
const first = (instants: readonly Date[]): Date | undefined => instants.toSorted((a, b) => +a - +b)[0]

const idOf = (prefix: string, ...parts: string[]): string =>
  `${prefix}_${createHash('md5').update(parts.join(' ')).digest('hex')}`

/** The events that the endpoint wants, the oldest first. */
async function wantedEvents(endpoint: DemoEndpoint, { tx, tenancy, ago }: Seeding): Promise<Happened[]> {
  const { event_types, severities, agent_ids, created, off } = endpoint
  const all = declaredEvents().map(({ type }) => type)
  const types = typesOf(event_types, all).chosen.filter(
    (type) => severities.length === 0 || severities.includes(severityOf(type)),
  )
  return tx.$queryRawUnsafe<Happened[]>(
    `select e.event_id, e.type, e.at from live_event e
     where e.tenant_id = $1 and e.environment = $2 and e.type = any($3) and e.at > $4 and e.at < $5
       and ($6::int[] = '{}' or e.agent_id = any($6))
     order by e.sequence`,
    tenancy.tenant_id,
    tenancy.environment,
    types,
    ago(created),
    // The latest events have no delivery yet.
    off === null ? ago(0, 1) : ago(off),
    agent_ids,
  )
}

/** Delivers the event until the instant, at which the endpoint is turned off if `is_off`. */
function deliver(
  endpoint: DemoEndpoint,
  event: Happened,
  { failing_at, until, is_off }: { failing_at: Date | null; until: Date; is_off: boolean },
  seeding: Seeding,
): Delivered {
  const random = randomOf(`${endpoint.id} ${event.event_id}`)
  const created_at = later(event.at, random.int(200, 1200))
  const is_failing = failing_at !== null && event.at >= failing_at
  const made: Made[] = []
  for (let at = later(created_at, random.int(20, 200)); ; ) {
    const so_far = { event, created_at, made }
    if (at >= until && is_off)
      return { ...so_far, status: 'FAILED', next_attempt_at: null, given_up_at: until }
    if (at >= until) return { ...so_far, status: 'PENDING', next_attempt_at: at, given_up_at: null }
    const tries = made.length + 1
    const attempted = { at, tries, random }
    const { outcome, attempt } = is_failing
      ? failingAnswer(endpoint, attempted, seeding)
      : usualAnswer(attempted)
    const ended_at = later(at, attempt.duration_ms)
    made.push({ ended_at, is_taken: isTaken(outcome), attempt: { at: at.toISOString(), ...attempt } })
    const after = settled(outcome, { at: ended_at, tries, is_test: false, chance: random.fraction() })
    if (after.status !== 'PENDING') return { ...so_far, ...after, given_up_at: null }
    at = after.next_attempt_at
  }
}

/** When the service turned the endpoint off, by how it would have gone on. */
function offAt({ disabled_reason }: DemoEndpoint, deliveries: readonly Delivered[]): Date | undefined {
  const ends = deliveries.flatMap(({ made }) => made.map(({ ended_at }) => ended_at))
  const begun = first(ends)
  if (disabled_reason === 'GONE' || !begun) return begun
  const due = later(begun, FAILING_DAYS * DAY_MS)
  return first(ends.filter((ended_at) => ended_at >= due))
}

const LATEST_EVENTS = 3

/** The deliveries to the endpoint, and when it was turned off. */
async function deliveriesTo(endpoint: DemoEndpoint, seeding: Seeding) {
  const { failing, off, status } = endpoint
  const { ago, now } = seeding
  const events = await wantedEvents(endpoint, seeding)
  const failing_at =
    failing === 'latest' ? (events.at(-LATEST_EVENTS)?.at ?? now) : failing === null ? null : ago(failing)
  const until = (instant: Date, is_off: boolean): Delivered[] =>
    events
      .map((event) => deliver(endpoint, event, { failing_at, until: instant, is_off }, seeding))
      .filter(({ created_at }) => created_at < instant)
  if (status === 'ENABLED' || !failing_at) {
    const off_at = off === null ? null : ago(off)
    return { deliveries: until(off_at ?? now, off_at !== null), off_at }
  }
  const failed = until(now, false).filter(({ event }) => event.at >= failing_at)
  const off_at = offAt(endpoint, failed) ?? now
  return { deliveries: until(off_at, true), off_at }
}

/** The columns that the endpoint has by what it took. */
function health(deliveries: readonly Delivered[]) {
  const made = deliveries.flatMap((delivery) => delivery.made).toSorted((a, b) => +a.ended_at - +b.ended_at)
  const last = made.findLastIndex(({ is_taken }) => is_taken)
  const failures = made.slice(last + 1)
  return {
    last_success_at: made[last]?.ended_at ?? null,
    failing_since: failures[0]?.ended_at ?? null,
    failures: failures.length,
  }
}

function rowOf(endpoint: DemoEndpoint, delivered: Delivered, { tenancy }: Seeding) {
  const { event, made, given_up_at, ...columns } = delivered
  const { event_id, type: event_type } = event
  const ended_at = made.at(-1)?.ended_at ?? delivered.created_at
  return {
    ...tenancy,
    ...columns,
    id: idOf('whd', tenancy.environment, endpoint.id, event_id),
    endpoint_id: endpoint.id,
    event_id,
    event_type,
    attempts: made.map(({ attempt }) => attempt),
    tries: made.length,
    delivered_at: delivered.status === 'SUCCEEDED' ? ended_at : null,
    test_event: null as string | null,
    revision: 1,
    updated_at: given_up_at ?? ended_at,
  }
}

/** The test that was made of the endpoint soon after it was created. */
function testRow(endpoint: DemoEndpoint, seeding: Seeding) {
  const { tenancy, ago } = seeding
  const { type, data } = ENDPOINT_EVENTS.test({ endpoint_id: endpoint.id, disabled_reason: null })
  const at = later(ago(endpoint.created), 190_000)
  const event_id = idOf('evt', tenancy.environment, endpoint.id, type)
  const { outcome: _, attempt } = usualAnswer({ tries: 2, at, random: randomOf(event_id) })
  const ended_at = later(at, attempt.duration_ms)
  const made = [{ ended_at, is_taken: true, attempt: { at: at.toISOString(), ...attempt } }]
  const event = { event_id, type, at }
  const delivered = {
    event,
    created_at: at,
    made,
    status: 'SUCCEEDED',
    next_attempt_at: null,
    given_up_at: null,
  } as const
  const test_event = eventBody({ ...tenancy, event_id, type, sequence: 0, at, data })
  return { ...rowOf(endpoint, { ...delivered, made }, seeding), test_event }
}

const CURSOR = `insert into webhook_cursor (tenant_id, environment, sequence)
  select tenant_id, environment, last_sequence from event_feed where tenant_id = $1 and environment = $2`

export async function seedWebhooks(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const [endpoints, deliveries] = [[] as object[], [] as ReturnType<typeof rowOf>[]]
  for (const endpoint of ENDPOINTS) {
    const { deliveries: delivered, off_at } = await deliveriesTo(endpoint, seeding)
    const { status, disabled_reason } = endpoint
    endpoints.push({
      ...createdColumns(endpoint, seeding),
      status,
      disabled_reason,
      ...health(delivered),
      is_slow: false,
      revision: disabled_reason === 'MANUAL' ? 2 : 1,
      updated_at: off_at ?? ago(endpoint.created),
    })
    deliveries.push(...delivered.map((one) => rowOf(endpoint, one, seeding)))
    if (endpoint.owner === 'usr_owner') deliveries.push(testRow(endpoint, seeding))
  }
  await insertMany(tx, 'webhook_endpoint', endpoints as Record<string, unknown>[])
  await insertMany(tx, 'webhook_delivery', deliveries)
  await tx.$executeRawUnsafe(CURSOR, tenancy.tenant_id, tenancy.environment)
}
