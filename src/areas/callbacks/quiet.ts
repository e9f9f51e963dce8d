/** Open tickets that nobody touched for long, as far as is known: no PSA is asked, and an index alone is read. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { latestAgentOn } from '../executions/index.ts'
import { PRESENT_PSA } from '../integrations/index.ts'

/** The tickets to find: in the status, and not touched since `before`. */
export interface QuietLimit {
  status: string
  before: Date
  /** Only tickets on which one of these agents worked last. null: all. */
  agent_ids: readonly number[] | null
}

/** A ticket, as it was when it was last read. */
export interface QuietTicket {
  ticket_id: string
  open_status: string
  quiet_since: Date
  /** The agent of its latest execution. null: there is none. */
  agent_id: number | null
}

const PREFIX = 'TICKET/'
const TICKET_ID = `substr(v.entity, ${PREFIX.length + 1})`
const LIMIT = 'status text, before timestamptz, agent_ids int[]'
const IS_WITHIN = `v.psa_key = ${PRESENT_PSA} and v.open_status = l.status and v.quiet_since <= l.before
  and (l.agent_ids is null or ${latestAgentOn('v', TICKET_ID)} = any(l.agent_ids))`

const HAS_QUIET = scoped(
  'callbacks.has_quiet_tickets',
  `select 1 as has_one from jsonb_to_recordset($3::jsonb) as l (${LIMIT})
   cross join lateral (
     select from callback_entity v
     where v.tenant_id = $1 and v.environment = $2 and ${IS_WITHIN} limit 1
   ) q limit 1`,
)

/** True if the tenant has a ticket within one of the limits. */
export const hasQuiet = async (ctx: DatabaseContext, limits: readonly QuietLimit[]): Promise<boolean> =>
  (await sql(ctx, HAS_QUIET, [JSON.stringify(limits)])).length > 0

const QUIET = scoped(
  'callbacks.quiet_tickets',
  `select distinct q.* from jsonb_to_recordset($3::jsonb) as l (${LIMIT})
   cross join lateral (
     select ${TICKET_ID} as ticket_id, v.open_status, v.quiet_since, ${latestAgentOn('v', TICKET_ID)} as agent_id
     from callback_entity v where v.tenant_id = $1 and v.environment = $2 and ${IS_WITHIN}
     order by v.quiet_since limit $4::int
   ) q
   order by q.quiet_since, q.ticket_id limit $4::int`,
)

/** The tickets within one of the limits, at most `most`: the longest quiet first. */
export const quietTickets = (
  ctx: DatabaseContext,
  limits: readonly QuietLimit[],
  most: number,
): Promise<QuietTicket[]> => sql<QuietTicket>(ctx, QUIET, [JSON.stringify(limits), most])

const SETTLE = scoped(
  'callbacks.settle_quiet_ticket',
  `update callback_entity v set open_status = $5::text, quiet_since = $6::timestamptz
   where v.tenant_id = $1 and v.environment = $2 and v.psa_key = ${PRESENT_PSA}
     and v.entity = $3::text and v.quiet_since = $4::timestamptz
   returning 1 as settled`,
)

/**
 * Stores what the PSA told of the ticket: `open_status` null for one that is not open, `quiet_since` null for one whose
 * stall is told. False if the ticket was touched meanwhile, or another process stored it; then nothing is stored.
 */
export async function settleQuiet(
  ctx: DatabaseContext,
  { ticket_id, quiet_since }: QuietTicket,
  now: { open_status: string | null; quiet_since: Date | null },
): Promise<boolean> {
  const values = [`${PREFIX}${ticket_id}`, quiet_since, now.open_status, now.quiet_since]
  return (await sql(ctx, SETTLE, values)).length > 0
}
