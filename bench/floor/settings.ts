import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { newId } from '../../src/lib/ids.ts'
import { contextOf } from './activity.ts'
import { type Call, Refusal } from './call.ts'
import { rows, transaction } from './database.ts'
import { findKept, type Kept, keptColumns } from './idempotency.ts'
import { route } from './route.ts'

const FIELDS = `t.data_residency, t.referral_code, s.start_business_hours, s.end_business_hours,
  s.human_friendly_client_name, s.sleep_before_callback_processing_seconds, s.timezone, s.revision`

const LOCKED = {
  name: 'settings_locked',
  text: `select ${FIELDS}, s.updated_at from settings s join tenant t on t.id = s.tenant_id
         where s.tenant_id = $1 and s.environment = $2 for update of s`,
}

/** The change, the row that records it and, if the request had a key, the answer: in one round trip. */
const write = (name: string, kept: string) => ({
  name,
  text: `with entry as (
           insert into activity_entry (tenant_id, environment, id, occurred_at, action, actor_type, actor_id, actor_name,
             targets, context, before, after)
           values ($1, $2, $3, $4, 'settings.updated', 'API_KEY', $5, $6, $7, $8, $9, $10)
         ) ${kept}
         update settings set start_business_hours = $11, end_business_hours = $12, human_friendly_client_name = $13,
           sleep_before_callback_processing_seconds = $14, timezone = $15, updated_at = $4, revision = $16
         where tenant_id = $1 and environment = $2`,
})
const WRITE = write('settings_write', '')
const WRITE_AND_KEEP = write('settings_write_and_keep', `, kept as (${keptColumns('$5', '$4', 17)})`)

interface Settings {
  start_business_hours: number
  end_business_hours: number
  human_friendly_client_name: string
  sleep_before_callback_processing_seconds: number
  timezone: string | null
}
interface Stored extends Settings {
  revision: number
  updated_at: Date
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

const etagOf = ({ revision }: Stored) => `"${revision}"`
const shown = ({ updated_at: _at, ...settings }: Stored) => settings

/** The settings after the change, judged by the rules. */
function changed(before: Stored, patch: Partial<Settings>, now: Date): Stored {
  const next = { ...before, ...patch, revision: before.revision + 1, updated_at: now }
  if (next.timezone !== before.timezone && next.timezone !== null && !ZONES.has(next.timezone))
    throw new Refusal(422, 'invalid_timezone')
  if (next.start_business_hours >= next.end_business_hours) throw new Refusal(422, 'business_hours_order')
  return next
}

const isSame = (stored: Stored, patch: Partial<Settings>): boolean =>
  Object.entries(patch).every(([name, value]) => stored[name as keyof Settings] === value)

function written(call: Call, before: Stored, after: Stored): unknown[] {
  const { tenant_id, environment, id, name } = call.caller
  return [
    tenant_id,
    environment,
    newId('act'),
    after.updated_at,
    id,
    name,
    TARGETS,
    contextOf(call),
    before,
    after,
    after.start_business_hours,
    after.end_business_hours,
    after.human_friendly_client_name,
    after.sleep_before_callback_processing_seconds,
    after.timezone,
    after.revision,
  ]
}

interface Change {
  patch: Partial<Settings>
  if_match: string | undefined
  key: string | undefined
}

interface Changed {
  data: unknown
  etag: string
}

async function update(call: Call, { patch, if_match, key }: Change): Promise<Changed> {
  const { tenant_id, environment } = call.caller
  return await transaction<Changed>(async (client) => {
    const request: Kept | null =
      key === undefined
        ? null
        : {
            operation: 'update_settings',
            key,
            fingerprint: createHash('sha256').update(JSON.stringify({ patch, if_match })).digest('hex'),
          }
    const kept = request && (await findKept(call, request, client))
    if (kept) return { result: { data: JSON.parse(kept.body).data, etag: kept.etag } }
    const [before] = await rows<Stored>(call, LOCKED, [tenant_id, environment], client)
    if (!before) throw new Error('A tenant without settings')
    if (if_match && if_match !== etagOf(before)) throw new Refusal(409, 'version_conflict')
    if (isSame(before, patch)) return { result: { data: shown(before), etag: etagOf(before) } }
    const after = changed(before, patch, new Date())
    const result = { data: shown(after), etag: etagOf(after) }
    const values = written(call, before, after)
    if (!request) return { result, last: () => rows(call, WRITE, values, client) }
    const { operation, key: sent, fingerprint } = request
    const body = JSON.stringify({ data: result.data })
    const own = [call.caller.acting_user?.id ?? '', operation, sent, fingerprint, body, result.etag, call.id]
    return { result, last: () => rows(call, WRITE_AND_KEEP, [...values, ...own], client) }
  })
}

export function settings(app: FastifyInstance): void {
  app.put<{ Body: Partial<Settings> }>(
    '/public-api/settings',
    { schema: { body } },
    route('settings:write', async (call, request, reply) => {
      const { 'if-match': if_match, 'idempotency-key': key } = request.headers as Record<string, string>
      const patch = request.body as Partial<Settings>
      const { data, etag } = await update(call, { patch, if_match, key })
      reply.header('etag', etag)
      return { data }
    }),
  )
}
