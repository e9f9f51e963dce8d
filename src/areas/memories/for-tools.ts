/** The memories, as the tools of agents ask for them. */
import { hash } from 'node:crypto'
import type { MemoriesConnector } from '../../connectors/memories.ts'
import { db, scoped, sql } from '../../db/db.ts'
import { raisingInsert } from '../../db/live/raise.ts'
import { rowInsert } from '../../db/query/insert.ts'
import { holdsSecret } from '../../gateway/redact.ts'
import { wordPatterns } from '../../lib/like-pattern.ts'
import { END_USERS_WITH_COMPANIES } from '../end-users/index.ts'
import { eventsOfChange } from './events.ts'
import type { MemoryRow } from './memory.ts'
import { newConfidence, scopeProblems } from './rules.ts'

const FOUND = `from agent_memory m
   where m.tenant_id = $1 and m.environment = $2 and m.state = 'ACTIVE' and not m.test_mode
     and (m.restricted_agent_ids = '{}' or $3::int = any(m.restricted_agent_ids))
     and m.search_text like all($4::text[])`

// Contract silent: what is about a location, whose company is not known, is read if every company is.
const SEARCH = scoped(
  'memories.search_for_tools',
  `select m.id as memory_id, m.content ${FOUND} and m.audiences && array['ALL', $6::text]::memory_audience[]
     and (not $7::boolean or m.scope_type in ('TENANT', 'TECHNICIAN')
       or (m.scope_type = 'AGENT' and m.scope_id = $3::int::text)
       or (m.scope_type = 'CLIENT' and m.scope_id = $8::text)
       or (m.scope_type = 'DEVICE' and m.scope_id = any($10::text[]))
       or (m.scope_type = 'END_USER' and exists (${END_USERS_WITH_COMPANIES} and u.id = m.scope_id and c.psa_company_id = $8::text
         and ($9::text is null or u.psa_contact_id = $9::text))))
   order by m.confidence desc, m.id desc limit $5::int`,
)

const DEVICES = scoped(
  'memories.devices_for_tools',
  `select distinct m.scope_id ${FOUND} and m.scope_type = 'DEVICE' order by m.scope_id limit 200`,
)

const IS_END_USER_OF = scoped(
  'memories.is_end_user_of',
  `select exists (${END_USERS_WITH_COMPANIES} and u.id = $3::text and c.psa_company_id = $4::text) as is_theirs`,
)

const DERIVATION = 'OBSERVED'

const COLUMNS = [
  'id',
  'content',
  'category',
  'audiences',
  'scope_type',
  'scope_id',
  'derivation',
  'confidence',
  'created_by',
  'created_at',
  'updated_at',
] as const

const INSERT = rowInsert('AgentMemory', {
  columns: COLUMNS,
  on_conflict: 'do nothing',
  returning: ['id'],
})

// The tool is executed outside of a transaction: the memory and its event are one statement.
const SAVE = raisingInsert('memories.save', INSERT.text, 3 + COLUMNS.length)

/** The columns that each memory of an agent has alike. */
const NEW = { state: 'ACTIVE', supersedes_id: null, superseded_by: null, test_mode: false } as const

/** The id of the memory that a write with the key makes. */
const idOf = (key: string): string => `mem_${hash('sha256', key).slice(0, 22)}`

export const memoriesForTools: MemoriesConnector = (ctx) => ({
  search({ words, agent_id, audience, about, limit }) {
    const { psa_company_id = null, contact_id = null, device_ids = [] } = about ?? {}
    const narrowed = [about !== null, psa_company_id, contact_id, device_ids]
    return sql(ctx, SEARCH, [agent_id, wordPatterns(words), limit, audience, ...narrowed])
  },
  async devicesIn({ words, agent_id }) {
    const rows = await sql<{ scope_id: string }>(ctx, DEVICES, [agent_id, wordPatterns(words)])
    return rows.map(({ scope_id }) => scope_id)
  },
  async isEndUserOf(end_user_id, psa_company_id) {
    const [row] = await sql<{ is_theirs: boolean }>(ctx, IS_END_USER_OF, [end_user_id, psa_company_id])
    return row?.is_theirs ?? false
  },
  async save({ content, scope_type, scope_id }, key) {
    if (holdsSecret(content)) return { problem: 'SECRET_IN_CONTENT' }
    if (scopeProblems(scope_type, scope_id).length > 0) return { problem: 'SCOPE_INVALID' }
    const memory_id = idOf(key)
    const memory = {
      id: memory_id,
      content,
      category: 'SEMANTIC',
      // Contract silent: what an agent remembers is for technicians and for every agent, and stands as seen in its work.
      audiences: ['TECHNICIANS'],
      scope_type: scope_type as MemoryRow['scope_type'],
      scope_id,
      derivation: DERIVATION,
      confidence: newConfidence({ derivation: DERIVATION, confidence: null, by_person: false }),
      created_by: 'AGENT',
      created_at: ctx.now,
      updated_at: ctx.now,
    } as const
    const events = eventsOfChange('created', { ...memory, ...NEW })
    await sql(ctx, SAVE, [...INSERT.values(memory), JSON.stringify(events)])
    return { memory_id }
  },
  outcomeOf: async (key) =>
    (await db(ctx).agentMemory.count({ where: { id: idOf(key) } })) > 0 ? 'MADE' : 'NOT_MADE',
})
