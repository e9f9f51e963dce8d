/** The SQL of callbacks and their matches. */

import { restrictedUser, SEEN_AGENTS, seesAgentOf, visibleAgent } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { db, ownKey } from '../../db/db.ts'
import { ascending, descending } from '../../db/query/keyset.ts'
import type { Condition } from '../../db/query/list.ts'
import { projection } from '../../db/query/projection.ts'
import { found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { filtersOf } from '../../schema/lists/column-filters.ts'
import { type Arguments, defineList, facet, searchFor } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { agentName } from '../agents/index.ts'
import { ChangeType } from '../change-types/index.ts'
import { type CallbackRow, callbackId, withMatches } from './callback.ts'
import type { MatchRow } from './callback-match.ts'
import { readWait, waitingFor } from './waiting-for.ts'

const matchesBy = filtersOf('CallbackMatch', 'm')

const by = filtersOf('Callback', 'c')

const parameters = { user: (ctx: Context) => restrictedUser(callerOf(ctx)) }

const agent_id = (_ctx: Context, args: Arguments): unknown => args.agent_id

const now = (ctx: Context): Date => ctx.now

/** The match `m` is one that the caller sees: its agent is one that the user `$user` sees; null sees every agent. */
const IS_SEEN = seesAgentOf('m')

const OF_CALLBACK = `callback_match m where m.tenant_id = c.tenant_id and m.environment = c.environment
  and m.callback_id = c.id and ${IS_SEEN}`

const MATCHED = `select from ${OF_CALLBACK} and m.result = 'MATCHED'`

const columns = projection('Callback', 'c', {
  computed: {
    matched_count: `(select count(*)::int from ${OF_CALLBACK} and m.result = 'MATCHED')`,
    waiting_for: waitingFor('$now'),
    execution_ids: `array(select m.execution_id from ${OF_CALLBACK} and m.execution_id is not null order by m.agent_id)`,
  },
  always: ['id'],
})

/** The rows of matches, which have the order of the list. */
const MATCHES_WALK = {
  join: `join callback_match w on w.tenant_id = c.tenant_id and w.environment = c.environment
    and w.callback_id = c.id and w.tenant_id = $1 and w.environment = $2`,
  alias: 'w',
  columns: { id: 'callback_id' },
}

/** The callbacks by the matches of each agent that the caller sees: a callback with several comes with the first agent. */
const BY_MATCHES: Condition = {
  text: `exists (${MATCHED})`,
  ranges: {
    rows: `(${SEEN_AGENTS}) a`,
    alias: 'a',
    columns: ['id'],
    on: `w.agent_id = a.id and w.result = 'MATCHED' and not exists (${MATCHED} and m.agent_id < a.id)`,
    walk: MATCHES_WALK,
  },
}

/** The callbacks by the matches of the agent `$agent_id`, if the caller sees it: a range for each result. */
const BY_AGENT: Condition = {
  text: `exists (select from ${OF_CALLBACK} and m.agent_id = $agent_id::int)`,
  ranges: {
    rows: `(select a.id, result from unnest(enum_range(null::callback_match_result)) result
      cross join (${SEEN_AGENTS} and a.id = $agent_id::int) a) a`,
    alias: 'a',
    columns: ['id', 'result'],
    on: 'w.agent_id = a.id and w.result = a.result',
    walk: MATCHES_WALK,
  },
}

// Contract silent: every caller sees every callback of the tenant; matches and executions are seen with their agents.
/** The tenant’s callbacks. */
export const CALLBACKS = defineList<CallbackRow>()({
  name: 'callbacks',
  from: 'callback c',
  columns,
  order: [descending('received_at', 'timestamptz'), descending('id', 'text')],
  facets: { status: 'c.status', entity_type: 'c.entity_type', change_types: 'c.change_types' },
  parameters: { ...parameters, now, agent_id },
  filters: {
    status: by.isOneOf('status', 'Only callbacks with one of these statuses', 'facet'),
    change_type: {
      type: ChangeType,
      description: 'Only callbacks that report this change.',
      where: facet('c.change_types @> array[?::text]'),
    },
    entity_type: by.is('entity_type', 'Only callbacks about this kind of entity.', 'facet'),
    entity_id: by.is('entity_id', 'Only callbacks about the entity with this id in the PSA.', 'indexed'),
    psa_company_id: by.is(
      'psa_company_id',
      'Only callbacks about entities of the company with this id in the PSA.',
      'indexed',
    ),
    matched: {
      type: 'Boolean',
      description:
        'true: only callbacks that made an agent run that the caller sees. false: only the others.',
      where: (matched) => (matched ? BY_MATCHES : { text: `not exists (${MATCHED})` }),
    },
    agent_id: {
      type: 'Int',
      min: 1,
      description:
        'Only callbacks with a match of this agent, whatever its result. None if the caller does not see the agent.',
      where: () => BY_AGENT,
    },
    search: searchFor(
      'c.search_text',
      'Only callbacks with this in their `entity_number`, in any letter case.',
    ),
    from: by.since('received_at', 'callbacks received'),
    to: by.before('received_at', 'callbacks received'),
  },
})

/** The statuses in which a callback waits for nothing. */
const HAS_BEGUN = new Set<string>(['PROCESSING', 'PROCESSED', 'FILTERED_OUT', 'FAILED'])

/**
 * The callback, with the matches that the caller sees if fields that are made of them are wanted, or 404. `query` is of the
 * field that answers with it.
 */
export async function readCallback(
  ctx: Context,
  id: string,
  wanted: ReadonlySet<string>,
  query: object = {},
): Promise<CallbackRow> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }) }
  const seen = {
    where: { agent: visibleAgent(callerOf(ctx)) },
    select: { result: true, execution_id: true },
    orderBy: { agent_id: 'asc' as const },
  }
  const isMatched = wanted.has('matched_count') || wanted.has('execution_ids')
  const include = { matches: isMatched && seen }
  const row = found(await db(ctx).callback.findUnique({ ...query, include, where }), 'callback_not_found', id)
  const callback = withMatches(row, row.matches ?? [])
  const waits = wanted.has('waiting_for') && !HAS_BEGUN.has(row.status)
  return { ...callback, waiting_for: waits ? await readWait(ctx, id) : null }
}

const matches = {
  from: 'callback_match m',
  where: IS_SEEN,
  columns: projection('CallbackMatch', 'm', {
    computed: {
      agent_name: agentName('m'),
    },
    always: ['callback_id', 'agent_id'],
  }),
  order: [ascending('agent_id', 'int')],
  parameters,
}

/** The matches of one callback with the agents that the caller sees. */
export const MATCHES = defineList<MatchRow>()({
  ...matches,
  name: 'callback_matches',
  filters: {
    callback_id: { ...callbackId, where: 'm.callback_id = ?::text' },
    result: matchesBy.is('result', 'Only matches with this result.'),
  },
})

/** The same of each callback of a list. */
export const MATCHES_OF_CALLBACK = defineNestedList<MatchRow>({
  ...matches,
  name: 'Callback.matches',
  parent: { column: 'm.callback_id', type: 'text' },
})
