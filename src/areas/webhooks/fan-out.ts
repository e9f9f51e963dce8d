/** Making deliveries of events: of those that happen, once each, and of those that are replayed. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { select } from '../../db/query/fragment.ts'
import { declaredEvent } from '../../schema/events/declare.ts'
import { seenBy, typesNamed } from '../events/index.ts'
import type { EndpointRow } from './endpoint.ts'
import { OWNED, OWNER, type Owned, ownerOf } from './owner.ts'
import { CURSOR } from './queries.ts'

type Wanting = Pick<EndpointRow, 'id' | 'event_types' | 'agent_ids' | 'end_company_ids' | 'severities'> &
  Owned

type Context = DatabaseContext & { now: Date }

const WANTING = scoped(
  'webhooks.wanting_endpoints',
  `select w.id, w.event_types, w.agent_ids, w.end_company_ids, w.severities, ${OWNED}
   from webhook_endpoint w ${OWNER}
   where w.tenant_id = $1 and w.environment = $2 and w.status = 'ENABLED' and ($3::text is null or w.id = $3::text)`,
)

/** The types of events that the endpoint gets, by its patterns and severities. */
const wantedTypes = ({ event_types, severities }: Wanting): string[] =>
  [...(typesNamed(event_types) ?? [])].filter(
    (type) => severities.length === 0 || severities.includes(declaredEvent(type)?.severity ?? ''),
  )

// A request is for the customer of its execution.
const COMPANY = `coalesce(e.data ->> 'psa_company_id', (select x.psa_company_id from execution x
  where x.tenant_id = $1 and x.environment = $2 and x.execution_id = e.data ->> 'execution_id'))`

const IS_WANTED = `e.type = any(w.types) and (w.agent_ids = '{}' or e.agent_id = any(w.agent_ids))
  and (w.end_company_ids = '{}' or exists (select from end_company c
    where c.tenant_id = $1 and c.environment = $2 and c.id = any(w.end_company_ids) and c.psa_company_id = ${COMPANY}))`

// A step of an escalation that tells the endpoint by its id.
const IS_TOLD = `e.type = 'escalation.notified' and e.data -> 'webhook_endpoint_ids' @> to_jsonb(w.id)`

const ONCE = 'do nothing'

const AGAIN = `do update set status = 'PENDING', tries = 0, next_attempt_at = $now::timestamptz, delivered_at = null,
  updated_at = $now::timestamptz, revision = webhook_delivery.revision + 1 where webhook_delivery.status <> 'PENDING'`

interface Chosen {
  /** SQL: the condition on events `e`, and its parameters. */
  where: string
  parameters: Readonly<Record<string, unknown>>
  /** SQL: the effect on a delivery that is stored already. */
  existing: string
}

/** Makes the deliveries of the chosen events that the endpoints want and their owners see. Answers with their number. */
async function makeDeliveries(
  ctx: Context,
  endpoints: readonly Wanting[],
  { where, parameters, existing }: Chosen,
): Promise<number> {
  let made = 0
  const of_readers = Map.groupBy(endpoints, (endpoint) => JSON.stringify(ownerOf(endpoint)))
  for (const group of of_readers.values()) {
    const [first] = group
    const reader = first ? ownerOf(first) : null
    if (!reader) continue
    const text = `with made as (
        insert into webhook_delivery (tenant_id, environment, id, endpoint_id, event_id, event_type, next_attempt_at,
          created_at, updated_at)
        select $1, $2, 'whd_' || substr(new_event_id(), 5), w.id, e.event_id, e.type, $now::timestamptz,
          $now::timestamptz, $now::timestamptz
        from live_event e join jsonb_to_recordset($endpoints::jsonb) as w (id text, types text[], agent_ids int[],
          end_company_ids text[]) on (${IS_WANTED}) or (${IS_TOLD})
        where e.tenant_id = $1 and e.environment = $2 and e.sequence is not null and ${where} and ${seenBy(reader)}
        order by e.sequence
        on conflict (tenant_id, environment, endpoint_id, event_id) ${existing}
        returning endpoint_id
      ) select count(*)::int as count from made`
    const wanted = group.map((endpoint) => ({ ...endpoint, types: wantedTypes(endpoint) }))
    const given = { ...parameters, ...reader, endpoints: JSON.stringify(wanted), now: ctx.now }
    const [row] = await select<{ count: number }>(ctx, 'webhooks.make_deliveries', { text }, given)
    made += row?.count ?? 0
  }
  return made
}

/** Makes the deliveries of the next events of the feed, in a transaction. False: there are none, or another process does. */
export const fanOut = (ctx: Context): Promise<boolean> =>
  CURSOR.advance(ctx, async (events) => {
    const endpoints = await sql<Wanting>(ctx, WANTING, [null])
    await makeDeliveries(ctx, endpoints, {
      where: 'e.sequence > $from::bigint and e.sequence <= $upto::bigint',
      parameters: { ...events },
      existing: ONCE,
    })
  })

interface Replayed {
  since: Date
  until: Date
  event_types?: readonly string[] | null | undefined
}

/** Makes the deliveries of kept events of a time anew. Answers with their number. */
export async function replayDeliveries(
  ctx: Context,
  { id }: Pick<EndpointRow, 'id'>,
  { since, until, event_types }: Replayed,
): Promise<number> {
  const endpoints = await sql<Wanting>(ctx, WANTING, [id])
  const among = typesNamed(event_types)
  return await makeDeliveries(ctx, endpoints, {
    where: `e.at >= $since::timestamptz and e.at < $until::timestamptz
      and ($among::text[] is null or e.type = any($among::text[]))`,
    parameters: { since, until, among: among && [...among] },
    existing: AGAIN,
  })
}
