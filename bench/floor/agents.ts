/** Twenty agents with their latest executions, as one route would answer that was written for one dashboard. */
import type { FastifyInstance } from 'fastify'
import { decode, paged, pageQuery } from './cursor.ts'
import { rows } from './database.ts'
import { route } from './route.ts'
import { visible } from './visible.ts'

const LATEST = 5

const page = (after: boolean) => ({
  name: after ? 'agents_after' : 'agents',
  text: `select a.id, a.name, a.state, a.autonomy_type, a.trigger_type, a.entity_type, a.supervised, a.created_by_name,
           a.created_at, a.updated_at,
           e.execution_id, e.status, e.resolution, e.entity_number, e.seconds_spent, e.message_for_dashboard,
           e.created_at as execution_created_at, e.finished_at
         from (
           select * from agent a
           where a.tenant_id = $1 and a.environment = $2 and a.state <> 'ARCHIVED' and ${visible('$4')}
             ${after ? 'and (a.created_at, a.id) < ($5, $6)' : ''}
           order by a.created_at desc, a.id desc limit $3
         ) a
         left join lateral (
           select * from execution e
           where e.tenant_id = a.tenant_id and e.environment = a.environment and e.agent_id = a.id
           order by e.created_at desc, e.execution_id desc limit ${LATEST + 1}
         ) e on true
         order by a.created_at desc, a.id desc, e.created_at desc, e.execution_id desc`,
})
const FIRST = page(false)
const AFTER = page(true)

interface Row {
  id: number
  name: string
  state: string
  autonomy_type: string
  trigger_type: string
  entity_type: string
  supervised: boolean
  created_by_name: string
  created_at: Date
  updated_at: Date
  execution_id: string | null
  status: string
  resolution: string
  entity_number: string | null
  seconds_spent: number
  message_for_dashboard: string | null
  execution_created_at: Date
  finished_at: Date | null
}

const executionOf = (row: Row) => ({
  execution_id: row.execution_id,
  status: row.status,
  resolution: row.resolution,
  entity_number: row.entity_number,
  seconds_spent: row.seconds_spent,
  message_for_dashboard: row.message_for_dashboard,
  created_at: row.execution_created_at,
  finished_at: row.finished_at,
})

function agentOf(row: Row) {
  const { id, name, state, autonomy_type, trigger_type, entity_type, supervised, created_by_name } = row
  const executions = { items: [] as ReturnType<typeof executionOf>[], pagination: { has_more: false } }
  return {
    id,
    name,
    state,
    autonomy_type,
    trigger_type,
    entity_type,
    supervised,
    created_by_name,
    created_at: row.created_at,
    updated_at: row.updated_at,
    executions,
  }
}

/** The rows of one agent follow each other. */
function grouped(read: Row[]): ReturnType<typeof agentOf>[] {
  const agents: ReturnType<typeof agentOf>[] = []
  for (const row of read) {
    let agent = agents.at(-1)
    if (agent?.id !== row.id) {
      agent = agentOf(row)
      agents.push(agent)
    }
    const { items, pagination } = agent.executions
    if (items.length === LATEST) pagination.has_more = true
    else if (row.execution_id !== null) items.push(executionOf(row))
  }
  return agents
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
      const after = cursor ? decode('agents', caller, cursor) : []
      const values = [caller.tenant_id, caller.environment, page_size + 1, caller.restricted_to, ...after]
      const read = grouped(await rows<Row>(call, cursor ? AFTER : FIRST, values))
      const { items, pagination } = paged('agents', caller, read, page_size, (agent) => [
        agent.created_at.toISOString(),
        agent.id,
      ])
      return { data: items, pagination }
    }),
  )
}
