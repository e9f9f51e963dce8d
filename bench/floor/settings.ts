import type { FastifyInstance } from 'fastify'
import { newId } from '../../src/lib/ids.ts'
import { type Call, Refusal } from './call.ts'
import { rows, transaction } from './database.ts'
import { route } from './route.ts'

const FIELDS = `t.data_residency, t.referral_code, s.start_business_hours, s.end_business_hours,
  s.human_friendly_client_name, s.sleep_before_callback_processing_seconds, s.timezone, s.revision`

const LOCKED = {
  name: 'settings_locked',
  text: `select ${FIELDS} from settings s join tenant t on t.id = s.tenant_id
         where s.tenant_id = $1 and s.environment = $2 for update of s`,
}
const READ = {
  name: 'settings',
  text: `select ${FIELDS} from settings s join tenant t on t.id = s.tenant_id
         where s.tenant_id = $1 and s.environment = $2`,
}
const UPDATE = {
  name: 'settings_update',
  text: `update settings s set start_business_hours = $3, end_business_hours = $4, human_friendly_client_name = $5,
           sleep_before_callback_processing_seconds = $6, timezone = $7, updated_at = $8,
           revision = s.revision + 1
         from tenant t where t.id = s.tenant_id and s.tenant_id = $1 and s.environment = $2
         returning ${FIELDS}`,
}
const RECORD = {
  name: 'record',
  text: `insert into activity_entry (tenant_id, environment, id, occurred_at, action, actor_type, actor_id, actor_name,
           targets, context, before, after)
         values ($1, $2, $3, $4, 'settings.updated', 'API_KEY', $5, $6, $7, $8, $9, $10)`,
}

interface Settings {
  start_business_hours: number
  end_business_hours: number
  human_friendly_client_name: string
  sleep_before_callback_processing_seconds: number
  timezone: string | null
}
interface Stored extends Settings {
  revision: number
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: {
    start_business_hours: { type: 'integer', minimum: 0, maximum: 23 },
    end_business_hours: { type: 'integer', minimum: 1, maximum: 24 },
    human_friendly_client_name: { type: 'string', minLength: 1, maxLength: 120 },
    sleep_before_callback_processing_seconds: { type: 'integer', minimum: 0, maximum: 900 },
    timezone: { type: ['string', 'null'], maxLength: 100 },
  },
}
const ZONES = new Set(Intl.supportedValuesOf('timeZone'))
const TARGETS = JSON.stringify([{ type: 'settings', id: 'settings', name: 'Settings' }])

const tagOf = ({ revision }: Stored) => `"${revision}"`

/** The change, and the row that tells of it. */
async function update(call: Call, patch: Partial<Settings>, ifMatch: string | undefined): Promise<Stored> {
  const { tenant_id, environment, id, name, acting_user } = call.caller
  return await transaction(async (client) => {
    const [before] = await rows<Stored>(call, LOCKED, [tenant_id, environment], client)
    if (!before) throw new Error('A tenant without settings')
    if (ifMatch && ifMatch !== tagOf(before)) throw new Refusal(409, 'version_conflict')
    const next = { ...before, ...patch }
    if (next.timezone !== before.timezone && next.timezone !== null && !ZONES.has(next.timezone))
      throw new Refusal(422, 'invalid_timezone')
    if (next.start_business_hours >= next.end_business_hours) throw new Refusal(422, 'business_hours_order')
    const now = new Date()
    const values = [
      next.start_business_hours,
      next.end_business_hours,
      next.human_friendly_client_name,
      next.sleep_before_callback_processing_seconds,
      next.timezone,
      now,
    ]
    const [after] = await rows<Stored>(call, UPDATE, [tenant_id, environment, ...values], client)
    if (!after) throw new Error('The locked settings are gone')
    const context = { ip: call.ip, user_agent: call.user_agent, request_id: call.id, channel: null }
    const by = { ...context, acting_user_id: acting_user?.id ?? null }
    const entry = [newId('act'), now, id, name, TARGETS, by, before, after]
    await rows(call, RECORD, [tenant_id, environment, ...entry], client)
    return after
  })
}

export function settings(app: FastifyInstance): void {
  app.get(
    '/public-api/settings',
    route('settings:read', async (call, _request, reply) => {
      const [row] = await rows<Stored>(call, READ, [call.caller.tenant_id, call.caller.environment])
      if (!row) throw new Error('A tenant without settings')
      reply.header('etag', tagOf(row))
      return { data: row }
    }),
  )
  app.put<{ Body: Partial<Settings> }>(
    '/public-api/settings',
    { schema: { body } },
    route('settings:write', async (call, request, reply) => {
      const after = await update(call, request.body as Partial<Settings>, request.headers['if-match'])
      reply.header('etag', tagOf(after))
      return { data: after }
    }),
  )
}
