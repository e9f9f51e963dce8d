import type { FastifyInstance } from 'fastify'
import { decode, paged, pageQuery } from './cursor.ts'
import { rows } from './database.ts'
import { route } from './route.ts'
import { visibleTo } from './visible.ts'

/** Two statements for whoever sees every agent: pages after one begin at the key in `$4` and `$5`. */
const page = (name: string, and: string) => ({
  name,
  text: `select m.id, m.state, m.content, m.category, m.audiences::text[] as audiences, m.scope_type, m.scope_id,
           m.derivation, m.confidence, m.evidence, m.created_by, m.created_by_user_name,
           m.restricted_agent_ids::text[] as restricted_to_agent_ids, m.test_mode, m.pinned_at is not null as pinned,
           m.pinned_at, m.last_confirmed_at, m.superseded_by, m.supersedes_id, m.deleted_at, m.created_at, m.revision
         from agent_memory m
         where m.tenant_id = $1 and m.environment = $2 and m.state = 'ACTIVE' and m.test_mode = false ${and}
         order by m.created_at desc, m.id desc limit $3`,
})
const AFTER = 'and (m.created_at, m.id) < ($4, $5)'
const FIRST = page('memories', '')
const LATER = page('memories after', AFTER)

const seen = (user: string) => `and (m.restricted_agent_ids = '{}' or m.restricted_agent_ids && array(
  select a.id from agent a where a.tenant_id = $1 and a.environment = $2 and ${visibleTo(user)}))`
const FIRST_SEEN = page('memories seen', seen('$4'))
const LATER_SEEN = page('memories seen after', `${AFTER} ${seen('$6')}`)

interface Memory {
  id: string
  created_at: Date
}

interface Query {
  page_size: number
  cursor?: string
}

const querystring = { type: 'object', additionalProperties: false, properties: pageQuery }

export function memories(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>(
    '/public-api/memories',
    { schema: { querystring } },
    route('memories:read', async (call, { query }) => {
      const { page_size, cursor } = query as Query
      const { caller } = call
      const after = cursor ? decode('memories', caller, cursor) : []
      const [whole, restricted] = cursor ? [LATER, LATER_SEEN] : [FIRST, FIRST_SEEN]
      const values = [caller.tenant_id, caller.environment, page_size + 1, ...after]
      const read = caller.restricted_to
        ? await rows<Memory>(call, restricted, [...values, caller.restricted_to])
        : await rows<Memory>(call, whole, values)
      const { items: data, pagination } = paged('memories', caller, read, page_size, (memory) => [
        memory.created_at.toISOString(),
        memory.id,
      ])
      return { data, pagination }
    }),
  )
}
