/** A memory, as it is stored and as callers see it. */
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'

export type MemoryRow = Row<'AgentMemory'>

export const MemoryCategory = enumFrom('MemoryCategory')
export const MemoryAudience = enumFrom('MemoryAudience')
export const MemoryScopeType = enumFrom('MemoryScopeType')
export const MemoryDerivation = enumFrom('MemoryDerivation')

const from = madeOf<MemoryRow>()

export const AgentMemory = rowType('AgentMemory', {
  fields: (t) => ({
    ...t.columns('id', 'state', 'content', 'category', 'audiences', 'scope_type', 'scope_id'),
    ...t.columns('derivation', 'confidence', 'evidence', 'created_by', 'created_by_user_name'),
    restricted_to_agent_ids: t.idList({
      description: 'The ids of the agents that use the memory. Empty: every agent does.',
      ...from(['restricted_agent_ids'], (memory) => memory.restricted_agent_ids.map(String)),
    }),
    ...t.columns('test_mode'),
    pinned: t.boolean({
      description: 'True if the memory is pinned: automatic writers do not replace it.',
      ...from(['pinned_at'], ({ pinned_at }) => pinned_at !== null),
    }),
    ...t.columns('pinned_at', 'last_confirmed_at', 'superseded_by', 'supersedes_id', 'deleted_at'),
    ...t.columns('created_at', 'revision'),
  }),
})
