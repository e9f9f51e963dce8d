/** Facts that items need and events do not tell: read in a fixed number of statements for a stretch of the feed. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { toolNamed } from '../../tools/registry.ts'
import { agentsWith } from '../agents/index.ts'
import { CAUSES, claimants, toldInInbox } from '../escalation/index.ts'
import { lastFailedCalls, retriesAmong } from '../executions/index.ts'
import { REGISTRY } from '../integrations/index.ts'
import { titlesOf } from '../til-requests/index.ts'
import type { FeedEvent } from './rules/feed-event.ts'
import { type Facts, OUTAGE, stepOf } from './rules/items.ts'
import type { SettlingFacts } from './rules/settlements.ts'

const AGENTS = scoped('inbox.agents', agentsWith('a.id, a.name', ' and a.id = any($3::int[])'))

/** The label of each integration, by its name and by its system. */
export const LABELS = new Map(
  REGISTRY.flatMap(({ name, system, label }) => [[name, label] as const, [system, label] as const]),
)

const CATEGORIES = new Map(REGISTRY.map(({ name, category }) => [name, category]))

/** The types of events whose items name the agent. */
const NAMING: readonly string[] = ['execution.failed', 'feedback.submitted']

/** The things that events of these types are about, each once. */
const entities = (events: readonly FeedEvent[], ...types: string[]): string[] => [
  ...new Set(events.flatMap(({ type, entity_id }) => (types.includes(type) ? [entity_id] : []))),
]

/** The executions that could not reach a system. */
const outages = (events: readonly FeedEvent[]): string[] =>
  events.flatMap(({ type, entity_id, data }) =>
    type === 'execution.failed' && data.error_code === OUTAGE ? [entity_id] : [],
  )

/** The rows of the read; none without ids. */
const rowsOf = async <Id, Found>(
  ids: readonly Id[],
  read: (ids: readonly Id[]) => Promise<Found[]>,
): Promise<Found[]> => (ids.length === 0 ? [] : await read(ids))

async function openingFactsOf(ctx: DatabaseContext, events: readonly FeedEvent[]): Promise<Facts> {
  const agent_ids = new Set(
    events.flatMap(({ agent_id, type }) => (agent_id !== null && NAMING.includes(type) ? [agent_id] : [])),
  )
  const requested = entities(events, 'til_request.created', 'til_request.reassigned')
  const agents = await rowsOf([...agent_ids], (ids) => sql<{ id: number; name: string }>(ctx, AGENTS, [ids]))
  const requests = await rowsOf(requested, (ids) => titlesOf(ctx, ids))
  const calls = await rowsOf(outages(events), (ids) => lastFailedCalls(ctx, ids, OUTAGE))
  const notified = await rowsOf(entities(events, 'escalation.notified'), (ids) => toldInInbox(ctx, ids))
  const told = Map.groupBy(notified, ({ event_id, step }) => stepOf(event_id, step))
  return {
    agents: new Map(agents.map(({ id, name }) => [id, name])),
    requests: new Map(requests.map(({ id, title }) => [id, title])),
    failed_for: new Map(
      calls.flatMap(({ execution_id, tool_name }) => {
        const category = toolNamed(tool_name)?.works_in
        return category ? [[execution_id, category] as const] : []
      }),
    ),
    told: new Map([...told].map(([step, rows]) => [step, rows.map(({ technician_id }) => technician_id)])),
    headlines: CAUSES,
    labels: LABELS,
  }
}

async function settlingFactsOf(ctx: DatabaseContext, events: readonly FeedEvent[]): Promise<SettlingFacts> {
  const completed = events.flatMap(({ type, entity_id, data }) =>
    type === 'execution.completed' && data.trigger === 'RETRY' ? [entity_id] : [],
  )
  const retries = await rowsOf(completed, (ids) => retriesAmong(ctx, ids))
  const claimed = await rowsOf(entities(events, 'escalation.acknowledged'), (ids) => claimants(ctx, ids))
  return {
    categories: CATEGORIES,
    retried: new Map(
      retries.map(({ execution_id, retry_of_execution_id }) => [execution_id, retry_of_execution_id]),
    ),
    claimed_by: new Map(claimed.map(({ id, acknowledged_by_id }) => [id, acknowledged_by_id])),
  }
}

export const factsOf = async (
  ctx: DatabaseContext,
  events: readonly FeedEvent[],
): Promise<Facts & SettlingFacts> => ({
  ...(await openingFactsOf(ctx, events)),
  ...(await settlingFactsOf(ctx, events)),
})
