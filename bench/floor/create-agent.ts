/** An agent is created in one round trip: the row, its first revision, and the record of it. */
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { insertOfNew, valuesOfNew } from './activity.ts'
import { judged, systemsOf } from './agent-rules.ts'
import { rows } from './database.ts'
import { route } from './route.ts'

const CONFIG = [
  'agent_settings',
  'agent_settings_edits',
  'toolbox',
  'integrations',
  'schedule',
  'callback_settings',
  'actions',
  'ticket_conditions',
  'time_entry_conditions',
]
/** The columns that the body decides about. */
const COLUMNS = [
  'state',
  'name',
  'description',
  'autonomy_type',
  'trigger_type',
  'entity_type',
  ...CONFIG,
  'supervised',
  'supervisor_technician_ids',
]
const CONFIGURATION = COLUMNS.filter((name) => name !== 'state')

const CREATE = {
  name: 'agent_create',
  text: `with drafted as (
      insert into agent (tenant_id, environment, created_by_user_id, created_by_name, created_at, updated_at,
        ${COLUMNS.join(', ')})
      values ($1, $2, $3, $4, $5::timestamptz, $5::timestamptz, ${COLUMNS.map((_, index) => `$${index + 14}`).join(', ')})
      returning id, revision, name
    ), revised as (
      insert into agent_revision (tenant_id, environment, agent_id, revision, changed_at, changed_by_name,
        changed_by_user_ids, changed_paths, snapshot)
      select $1, $2, id, revision, $5, $4, $8::text[], $6, $7 from drafted
    ), recorded as (
      ${insertOfNew('agent.created', 9, {
        at: '$5',
        targets: `jsonb_build_array(jsonb_build_object('type', 'agent', 'id', id::text, 'name', name))`,
      })} from drafted
    )
    select id, revision, array(
      select name from integration_connection where tenant_id = $1 and environment = $2 and connected
    ) as connected from drafted`,
}

interface Created {
  id: number
  revision: number
  connected: string[]
}

const etagOf = (revision: number): string =>
  `"${revision}.${createHash('sha256').update('[false,null]').digest('base64url').slice(0, 22)}"`

export function createAgent(app: FastifyInstance): void {
  app.post<{ Body: Record<string, unknown> }>(
    '/public-api/agents',
    route('agents:write', async (call, request, reply) => {
      const { draft, warnings, granted } = judged(request.body as Record<string, unknown>)
      const { caller } = call
      const now = new Date()
      const changed = CONFIGURATION.filter((name) => draft[name] !== null)
      const snapshot = Object.fromEntries(CONFIGURATION.map((name) => [name, draft[name]]))
      const columns = COLUMNS.map((name) =>
        CONFIG.includes(name) && draft[name] !== null ? JSON.stringify(draft[name]) : draft[name],
      )
      const [created] = await rows<Created>(call, CREATE, [
        caller.tenant_id,
        caller.environment,
        caller.acting_user?.id ?? null,
        caller.name,
        now,
        changed,
        JSON.stringify(snapshot),
        caller.user_ids,
        ...valuesOfNew(call, draft),
        ...columns,
      ])
      if (!created) throw new Error('An insert without a row')
      const { id, revision, connected } = created
      const reached = systemsOf(connected)
      for (const system of granted)
        if (!reached.has(system)) warnings.push(`integration_not_connected: ${system}`)
      reply.headers({ etag: etagOf(revision), location: `/public-api/agents/${id}` })
      return {
        data: { id, name: draft.name, state: draft.state, created_at: now, updated_at: now },
        warnings,
      }
    }),
  )
}
