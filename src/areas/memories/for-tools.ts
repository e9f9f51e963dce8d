/** The memories, as the tools of agents ask for them. */
import { hash } from 'node:crypto'
import type { MemoriesConnector } from '../../connectors/memories.ts'
import { scoped, scopedInsert, sql } from '../../db/db.ts'
import { holdsSecret } from '../../gateway/redact.ts'
import { wordPatterns } from '../../lib/like-pattern.ts'
import { newConfidence, scopeProblems } from './rules.ts'

const SEARCH = scoped(
  'memories.search_for_tools',
  `select m.id as memory_id, m.content from agent_memory m
   where m.tenant_id = $1 and m.environment = $2 and m.state = 'ACTIVE' and not m.test_mode
     and (m.restricted_agent_ids = '{}' or $3::int = any(m.restricted_agent_ids))
     and m.search_text like all($4::text[])
   order by m.confidence desc, m.id desc limit $5::int`,
)

const DERIVATION = 'OBSERVED'

// Contract silent: what an agent remembers is for technicians and for every agent, and stands as seen in its work.
const SAVE = scopedInsert(
  'memories.save_for_tools',
  `insert into agent_memory (tenant_id, environment, id, content, category, audiences, scope_type, scope_id, derivation,
     confidence, created_by, created_at, updated_at)
   values ($1, $2, $3, $4, 'SEMANTIC', array['TECHNICIANS']::memory_audience[], $5::text::memory_scope_type, $6,
     '${DERIVATION}', $7, 'AGENT', $8, $8)
   on conflict do nothing`,
)

const EXISTS = scoped(
  'memories.saved_for_tools',
  'select 1 from agent_memory where tenant_id = $1 and environment = $2 and id = $3::text',
)

/** The id of the memory that a write with the key makes. */
const idOf = (key: string): string => `mem_${hash('sha256', key).slice(0, 22)}`

export const memoriesForTools: MemoriesConnector = (ctx) => ({
  search: (words, agent_id, limit) => sql(ctx, SEARCH, [agent_id, wordPatterns(words), limit]),
  async save({ content, scope_type, scope_id }, key) {
    if (holdsSecret(content)) return { problem: 'SECRET_IN_CONTENT' }
    if (scopeProblems(scope_type, scope_id).length > 0) return { problem: 'SCOPE_INVALID' }
    const memory_id = idOf(key)
    const confidence = newConfidence({ derivation: DERIVATION, confidence: null, by_person: false })
    await sql(ctx, SAVE, [memory_id, content, scope_type, scope_id, confidence, ctx.now])
    return { memory_id }
  },
  outcomeOf: async (key) => ((await sql(ctx, EXISTS, [idOf(key)])).length > 0 ? 'MADE' : 'NOT_MADE'),
})
