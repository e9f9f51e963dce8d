/**
 * Twenty agents with their latest executions, as one route would answer that was written for one dashboard. Two
 * statements: one with a join would send and read the columns of an agent again with each of its executions.
 */
import type { FastifyInstance } from 'fastify'
import { decode, paged, pageQuery } from './cursor.ts'
import { rows } from './database.ts'
import { route } from './route.ts'
import { visibleTo } from './visible.ts'

const LATEST = 5

const page = (name: string, and: string) => ({
  name,
  text: `select a.id, a.name, a.state, a.autonomy_type, a.trigger_type, a.entity_type, a.supervised, a.created_by_name,
           a.created_at, a.updated_at
         from agent a
         where a.tenant_id = $1 and a.environment = $2 and a.state <> 'ARCHIVED' ${and}
         order by a.created_at desc, a.id desc limit $3`,
})

/** The statement for a caller and a place in the list, and the values it takes beyond the first three. */
function pageFor(restricted_to: string | null, after: readonly unknown[]) {
  const visible = restricted_to ? `and ${visibleTo('$4')}` : ''
  const own = restricted_to ? [restricted_to] : []
  const [created_at, id] = [own.length + 4, own.length + 5]
  const later = after.length > 0 ? `and (a.created_at, a.id) < ($${created_at}, $${id})` : ''
  const name = `agents${restricted_to ? '_visible' : ''}${later && '_after'}`
  return { statement: page(name, `${visible} ${later}`), values: [...own, ...after] }
}

const EXECUTIONS = {
  name: 'executions_of_agents',
  text: `select wanted.id as agent_id, e.execution_id, e.status, e.resolution, e.entity_number, e.seconds_spent,
           e.message_for_dashboard, e.created_at, e.finished_at
         from unnest($3::int[]) with ordinality as wanted (id, place) cross join lateral (
           select * from execution
           where tenant_id = $1 and environment = $2 and agent_id = wanted.id
           order by created_at desc, execution_id desc limit ${LATEST + 1}
         ) e
         order by wanted.place, e.created_at desc, e.execution_id desc`,
}

interface Agent {
  id: number
  created_at: Date
}

interface Execution {
  agent_id: number
}

/** The latest executions of one agent; one more than is shown was read. */
function latest(read: Execution[] = []) {
  const items = read.slice(0, LATEST).map(({ agent_id: _agent, ...execution }) => execution)
  return { items, pagination: { has_more: read.length > LATEST } }
}

interface Query {
  page_size: number
  cursor?: string
}

const querystring = { type: 'object', additionalProperties: false, properties: pageQuery }

export function agents(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>(
    '/public-api/agents-at-work',
    { schema: { querystring } },
    route('agents:read', async (call, { query }) => {
      const { page_size, cursor } = query as Query
      const { caller } = call
      const tenancy = [caller.tenant_id, caller.environment]
      const { statement, values } = pageFor(
        caller.restricted_to,
        cursor ? decode('agents', caller, cursor) : [],
      )
      const read = await rows<Agent>(call, statement, [...tenancy, page_size + 1, ...values])
      const { items, pagination } = paged('agents', caller, read, page_size, (agent) => [
        agent.created_at.toISOString(),
        agent.id,
      ])
      const executions = await rows<Execution>(call, EXECUTIONS, [...tenancy, items.map(({ id }) => id)])
      const byAgent = Map.groupBy(executions, ({ agent_id }) => agent_id)
      return {
        data: items.map((agent) => ({ ...agent, executions: latest(byAgent.get(agent.id)) })),
        pagination,
      }
    }),
  )
}
