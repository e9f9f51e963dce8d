/** A memory, as it is stored and as callers see it. */
import { REVISION } from '../../gateway/entity-tags.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'

export type MemoryRow = Row<'AgentMemory'>

export const MemoryState = enumFrom('MemoryState')
export const MemoryCategory = enumFrom('MemoryCategory')
export const MemoryAudience = enumFrom('MemoryAudience')
export const MemoryScopeType = enumFrom('MemoryScopeType')
export const MemoryDerivation = enumFrom('MemoryDerivation')
export const MemoryCreator = enumFrom('MemoryCreator')

const from = madeOf<MemoryRow>()

export const AgentMemory = rowType('AgentMemory', {
  fields: (t) => ({
    id: t.exposeID('id'),
    state: t.expose('state', { type: MemoryState }),
    content: t.exposeString('content'),
    category: t.expose('category', { type: MemoryCategory }),
    audiences: t.expose('audiences', { type: [MemoryAudience] }),
    scope_type: t.expose('scope_type', { type: MemoryScopeType }),
    scope_id: t.exposeID('scope_id', { nullable: true }),
    derivation: t.expose('derivation', { type: MemoryDerivation }),
    confidence: t.exposeFloat('confidence'),
    evidence: t.exposeString('evidence', { nullable: true }),
    created_by: t.expose('created_by', { type: MemoryCreator }),
    created_by_user_name: t.exposeString('created_by_user_name', { nullable: true }),
    restricted_to_agent_ids: t.idList({
      description: 'The ids of the agents that use the memory. Empty: every agent does.',
      ...from(['restricted_agent_ids'], (memory) => memory.restricted_agent_ids.map(String)),
    }),
    test_mode: t.exposeBoolean('test_mode'),
    pinned: t.boolean({
      description: 'True if the memory is pinned: automatic writers do not replace it.',
      ...from(['pinned_at'], ({ pinned_at }) => pinned_at !== null),
    }),
    pinned_at: t.expose('pinned_at', { type: 'DateTime', nullable: true }),
    last_confirmed_at: t.expose('last_confirmed_at', { type: 'DateTime', nullable: true }),
    superseded_by: t.exposeString('superseded_by', { nullable: true }),
    supersedes_id: t.exposeID('supersedes_id', { nullable: true }),
    deleted_at: t.expose('deleted_at', { type: 'DateTime', nullable: true }),
    created_at: t.expose('created_at', { type: 'DateTime' }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})
