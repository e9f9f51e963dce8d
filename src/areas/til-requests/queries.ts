/** The SQL of requests to technicians. */

import {
  isNamedOnRequest,
  ofVisibleAgents,
  restrictedUser,
  technicianOfUser,
  visibleAgent,
} from '../../access/policies/visibility.ts'
import { callerOf, personIdOf } from '../../access/viewer.ts'
import { db, ownKey } from '../../db/db.ts'
import { ascending } from '../../db/query/keyset.ts'
import { SHORT, spanning } from '../../db/query/lasting.ts'
import type { Condition } from '../../db/query/list.ts'
import { projection } from '../../db/query/projection.ts'
import type { Walk } from '../../db/query/ranges.ts'
import { found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { filtersOf } from '../../schema/lists/column-filters.ts'
import { type Arguments, defineList } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { agentName } from '../agents/index.ts'
import { keptRequests } from '../executions/index.ts'
import type { TilRequestRow } from './til-request.ts'

const by = filtersOf('TilRequest', 'r')

const columns = projection('TilRequest', 'r', {
  computed: {
    agent_name: agentName('r'),
    technician_ids: `array(select n.technician_id from til_request_technician n
      where n.tenant_id = r.tenant_id and n.environment = r.environment and n.til_request_id = r.id
      order by n.technician_id)`,
    approvals: `coalesce((
      select jsonb_agg(jsonb_build_object('technician_id', p.technician_id, 'name', p.name, 'decision', p.decision,
        'comment', p.comment, 'at', p.at, 'via', p.via) order by p.at, p.technician_id)
      from til_approval p
      where p.tenant_id = r.tenant_id and p.environment = r.environment and p.til_request_id = r.id), '[]')`,
  },
  always: ['id'],
})

/** Open requests, the oldest first, then closed ones, the last closed first. */
const ORDER = [ascending('list_position', 'float8'), ascending('id', 'text')]

// Contract silent: a user who sees only some agents also sees the calls of the API that they asked for themselves.
const OWN_CALL = `r.agent_id is null and r.requested_by_type = 'USER' and r.requested_by_id = $user::text`

const OF_VISIBLE_AGENTS = ofVisibleAgents('r.agent_id')
const OF_VISIBLE_AGENT = ofVisibleAgents('r.agent_id', '$agent_id::int')

const SEEN = `(${OF_VISIBLE_AGENTS.text} or ${isNamedOnRequest('$user::text')} or (${OWN_CALL}))`

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

/**
 * The requests that name the technician, in the order of the list, which the rows that name technicians have too: one
 * index has it for each agent, the other one for each status and kind.
 */
const walkOf = (technician: string, { agent_id }: Arguments): Walk => ({
  join: `join til_request_technician n on n.tenant_id = r.tenant_id and n.environment = r.environment
    and n.til_request_id = r.id and n.technician_id = ${technician}
    ${agent_id == null ? '' : 'and n.agent_id = $agent_id::int'}`,
  alias: 'n',
  columns: { id: 'til_request_id', agent_id: 'agent_id' },
  ...(agent_id == null && { facets: { status: 'n.status', kind: 'n.kind' } }),
})

/** The requests that the user sees. */
const seen = (args: Arguments): Condition => {
  const named = { text: isNamedOnRequest('$user::text'), walk: walkOf(technicianOfUser('$user::text'), args) }
  return {
    text: SEEN,
    either: [
      args.agent_id == null ? OF_VISIBLE_AGENTS : OF_VISIBLE_AGENT,
      ...(args.assigned_to_me === false ? [] : [named]),
      { text: OWN_CALL, is_indexed: true },
    ],
  }
}

const FACETS = { status: 'r.status', kind: 'r.kind' }

const raisedBefore = (instant: unknown) => ({ text: 'r.created_at < ?::timestamptz', values: [instant] })

/** The requests that were open at an instant and are closed. */
const openAt = spanning({ from: 'til_request r', id: 'id', began: 'created_at', ended: 'closed_at' })

const epoch = (instant: string): string => `extract(epoch from ${instant})::float8`

/** The requests that the caller sees. */
export const TIL_REQUESTS = defineList<TilRequestRow>()({
  name: 'til_requests',
  from: 'til_request r',
  columns,
  order: ORDER,
  facets: FACETS,
  facets_of_agents: FACETS,
  parameters: {
    user,
    person: (ctx) => personIdOf(callerOf(ctx)),
    agent_id: (_ctx, { agent_id }) => agent_id,
  },
  visible: (ctx, args) => (user(ctx) === null ? null : seen(args)),
  filters: {
    status: by.isOneOf('status', 'Only requests with one of these statuses', 'facet'),
    kind: by.isOneOf('kind', 'Only requests of one of these kinds', 'facet'),
    technician_id: {
      type: 'Int',
      min: 1,
      description: 'Only requests that this technician may decide.',
      where: (technician_id, args) => ({
        text: `r.id in (select n.til_request_id from til_request_technician n
          where n.tenant_id = $1 and n.environment = $2 and n.technician_id = ?::int)`,
        values: [technician_id],
        walk: { ...walkOf('?::int', args), values: [technician_id] },
      }),
    },
    assigned_to_me: {
      type: 'Boolean',
      description:
        'true: only requests that the user, or the key’s acting user, may decide as a technician. false: only the others.',
      where: (mine, args) =>
        mine
          ? {
              text: isNamedOnRequest('$person::text'),
              walk: walkOf(technicianOfUser('$person::text'), args),
            }
          : { text: `not ${isNamedOnRequest('$person::text')}` },
    },
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only requests of this agent, by its `id`.',
      where: () => ({ text: 'r.agent_id = $agent_id::int' }),
    },
    execution_id: by.is('execution_id', 'Only requests that this execution raised.', 'indexed'),
    from: {
      type: 'DateTime',
      description: 'Only requests raised at this instant or later.',
      // Whatever was closed before it was raised before it. An hour is more than clocks differ by.
      where: (from) => ({
        text: 'r.created_at >= ?::timestamptz',
        values: [from],
        of_keys: {
          text: `r.list_position <= (1e12 - extract(epoch from ?::timestamptz - interval '1 hour'))::float8`,
          values: [from],
        },
      }),
    },
    to: {
      type: 'DateTime',
      description: 'Only requests raised before this instant, which must be later than `from`.',
      // Open requests come in the order in which they were raised, and closed ones in that of their ends: those that
      // ended before the instant or shortly after it, and those that were open then for longer.
      where: (to) => ({
        ...raisedBefore(to),
        either: [
          {
            ...raisedBefore(to),
            of_keys: { text: `r.list_position < ${epoch('?::timestamptz')}`, values: [to] },
          },
          openAt(to),
          {
            ...raisedBefore(to),
            of_keys: {
              text: `r.list_position >= 1e12 - ${epoch(`?::timestamptz + ${SHORT}`)}`,
              values: [to],
            },
          },
        ],
      }),
    },
  },
})

/** The requests that one execution raised, in all its runs. */
export const EXECUTION_TIL_REQUESTS = defineList<TilRequestRow>()({
  name: 'execution_til_requests',
  from: 'til_request r',
  columns,
  where: `r.execution_id = $execution_id::text and ${keptRequests('r')}`,
  order: ORDER,
  parameters: { execution_id: (_ctx, { execution_id }) => execution_id },
  filters: {},
})

/** The requests that each of several executions raised. */
export const TIL_REQUESTS_OF_EXECUTION = defineNestedList<TilRequestRow>({
  name: 'Execution.til_requests',
  from: 'til_request r',
  columns,
  where: keptRequests('r'),
  order: ORDER,
  parent: { column: 'r.execution_id', type: 'text' },
})

/** The condition of Prisma on requests that the caller sees, as `SEEN` has it. */
function seenBy(ctx: Context) {
  const id = user(ctx)
  if (id === null) return {}
  const named = { technicians: { some: { technician: { user: { id } } } } }
  const own_call = { agent_id: null, requested_by_type: 'USER' as const, requested_by_id: id }
  return { OR: [{ agent: visibleAgent(callerOf(ctx)) }, named, own_call] }
}

interface ReadOptions {
  /** The query of the field that answers with the request. */
  query?: object
  /** Also if the caller does not see it, or sees it no more. */
  whoever_sees_it?: true
}

/** The request, with the fields that are wanted and those of its entity tag; 404 if the caller does not see it. */
export async function readTilRequest(
  ctx: Context,
  id: string,
  wanted: ReadonlySet<string>,
  { query, whoever_sees_it }: ReadOptions = {},
): Promise<TilRequestRow> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }), ...(whoever_sees_it ? {} : seenBy(ctx)) }
  const [by_id, by_time] = [{ technician_id: 'asc' as const }, { at: 'asc' as const }]
  const include = {
    agent: { select: { name: true } },
    technicians: wanted.has('technician_ids') && { orderBy: by_id },
    approvals: wanted.has('approvals') && { orderBy: [by_time, by_id] },
  }
  const row = found(
    await db(ctx).tilRequest.findUnique({ ...query, include, where }),
    'til_request_not_found',
    id,
  )
  const technician_ids = row.technicians?.map(({ technician_id }) => technician_id)
  return { ...row, agent_name: row.agent?.name ?? null, ...(technician_ids && { technician_ids }) }
}
