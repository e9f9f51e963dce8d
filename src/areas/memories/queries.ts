/** The SQL of memories, and how changes reach them. */

import { restrictedUser, SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { descending, type OrderKey } from '../../db/query/keyset.ts'
import type { Condition } from '../../db/query/list.ts'
import type { Facets } from '../../db/query/ranges.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { facet, searchFor } from '../../schema/lists/list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { isTechnician } from '../tenant/index.ts'
import { eventsOfChange } from './events.ts'
import { AgentMemory, MemoryAudience, type MemoryRow } from './memory.ts'
import { goneBefore } from './rules.ts'

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

/** Memories for every agent, and those for an agent that the user sees. */
const IS_SEEN = `(m.restricted_agent_ids = '{}' or m.restricted_agent_ids && array(${SEEN_AGENTS}))`

const USED_BY_AGENT = `(m.restricted_agent_ids = '{}' or $agent_id::int = any(m.restricted_agent_ids))`

const usual = (text: string): Condition => ({ text, facet: text, is_usual: true })

const IS_GONE = `m.state = 'DELETED' and m.deleted_at < $gone_before::timestamptz`

const REFUSALS = { DELETED: 'memory_deleted', SUPERSEDED: 'memory_superseded', ACTIVE: null } as const

/** The title of a memory in activities. */
export const titleOf = ({ content }: Pick<MemoryRow, 'content'>): string =>
  content.slice(0, 80).toWellFormed()

/** Memories are seen in whatever state, but for those for agents that the caller does not see. */
export const MEMORY = defineTable<MemoryRow, MemoryRow['state']>()('AgentMemory', {
  alias: 'm',
  noun: 'memory',
  type: AgentMemory,
  argument: 'memory_id',
  description: 'The id of the memory.',
  not_found: 'memory_not_found',
  prefix: 'mem',
  title: titleOf,
  where: `not (${IS_GONE})`,
  visible: (ctx) => (user(ctx) === null ? null : { text: IS_SEEN, facet: IS_SEEN }),
  parameters: { user, gone_before: ({ now }) => goneBefore(now) },
  constant: ['content', 'scope_type', 'scope_id', 'derivation', 'created_by', 'test_mode'],
  unread: ['search_text'],
  events: eventsOfChange,
  state: {
    of: ({ state }) => state,
    refusal: ({ superseded_by, deleted_at }, state) => {
      const code = REFUSALS[state]
      if (code === null) throw new Error('Every change is possible while a memory is active')
      return new ApiError(code, { details: state === 'DELETED' ? { deleted_at } : { superseded_by } })
    },
  },
})

const FACETS = {
  state: 'm.state',
  test_mode: 'm.test_mode',
  category: 'm.category',
  scope_type: 'm.scope_type',
  derivation: 'm.derivation',
  created_by: 'm.created_by',
}
const LATER_FACETS = { audiences: 'm.audiences', restricted_agent_ids: 'm.restricted_agent_ids' }

/** The greater, the greater is the confidence: even for each hundredth, and odd for all that is between two. */
const hundredths = (confidence: string): string =>
  `(floor(${confidence}::numeric * 100) + ceil(${confidence}::numeric * 100))::int`

/** A confidence can be any number, which is no facet. Nearly all are hundredths, which are. */
const FACETS_OF_CONFIDENCE = {
  state: 'm.state',
  test_mode: 'm.test_mode',
  restricted_agent_ids: 'm.restricted_agent_ids',
  hundredths: hundredths('m.confidence'),
}

/**
 * Each order has an index of its own. PostgreSQL takes a combination of so many columns for hardly any rows, which it might
 * sort: so the two say whether a memory is pinned in different words, and neither index serves the other order.
 */
const facetsOf = ([first]: readonly OrderKey[]): Facets[] =>
  first?.column === 'confidence'
    ? [{ ...FACETS, pinned: 'num_nonnulls(m.pinned_at)', ...LATER_FACETS }]
    : [{ ...FACETS, pinned: '(m.pinned_at is not null)::int', ...LATER_FACETS }, FACETS_OF_CONFIDENCE]

/** The memories that the caller sees. Those that are deleted, replaced or made by tests only if they are asked for. */
export const MEMORIES = MEMORY.list({
  name: 'memories',
  parameters: { agent_id: (_ctx, args) => args.agent_id },
  facets: facetsOf,
  // Contract silent: the newest memories come first, unless the surest are asked for.
  order: {
    type: 'MemorySort',
    by: {
      created_at: {
        description: 'The newest first, then by `id` downwards.',
        keys: [descending('created_at', 'timestamptz'), descending('id', 'text')],
      },
      confidence: {
        description: 'The greatest `confidence` first, then by `id` downwards.',
        keys: [descending('confidence', 'float8'), descending('id', 'text')],
      },
    },
  },
  filters: {
    scope_type: MEMORY.by.is('scope_type', 'Only memories about this kind of thing.', 'facet'),
    scope_id: MEMORY.by.is('scope_id', 'Only memories about the thing with this id.', 'indexed'),
    category: MEMORY.by.is('category', 'Only memories of this sort.', 'facet'),
    audience: {
      type: MemoryAudience,
      description: 'Only memories for these readers; those for everybody are among them.',
      where: facet(`m.audiences && array['ALL', ?::text]::memory_audience[]`),
    },
    derivation: MEMORY.by.is('derivation', 'Only memories from this source.', 'facet'),
    created_by: MEMORY.by.is('created_by', 'Only memories by this kind of writer.', 'facet'),
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only memories that this agent uses, by its `id`: those for every agent are among them.',
      where: () => ({ text: USED_BY_AGENT, facet: USED_BY_AGENT }),
    },
    pinned: {
      type: 'Boolean',
      description: 'true: only pinned memories. false: only the others.',
      where: (pinned) => ({
        text: '(m.pinned_at is not null) = ?::boolean',
        values: [pinned],
        facet: 'm.pinned = ?::boolean::int',
      }),
    },
    min_confidence: {
      type: 'Float',
      min: 0,
      max: 1,
      description: 'Only memories with at least this `confidence`.',
      where: (least) => ({
        text: 'm.confidence >= ?::float8',
        values: [least],
        facet: `m.hundredths >= (select ${hundredths('given.least')} from (select ?::float8 as least) given)`,
        is_coarse: true,
      }),
    },
    state: {
      ...MEMORY.by.isOneOf(
        'state',
        'Only memories in one of these states',
        'facet',
        ' ACTIVE if it is left out.',
      ),
      otherwise: usual(`m.state = 'ACTIVE'`),
    },
    test_mode: {
      type: 'Boolean',
      description: 'true: only memories that tests of agents made. They are left out otherwise.',
      where: facet('m.test_mode = ?::boolean'),
      otherwise: usual('m.test_mode = false'),
    },
    search: searchFor('m.search_text', 'Only memories with this in their `content`.'),
  },
})

/** The kind of writer that the caller is. */
export async function writerOf(ctx: Context): Promise<MemoryRow['created_by']> {
  const { person } = callerOf(ctx)
  if (!person) return 'API_KEY'
  return (await isTechnician(ctx, person.id)) ? 'TECHNICIAN' : 'USER'
}
