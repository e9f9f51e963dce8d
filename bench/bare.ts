/** The least that answers a caller: node:http and pg, the key's check and one row. What a cold start is compared with. */
import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

const { DATABASE_URL, KEY_PEPPER = '', ENVIRONMENT = '' } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 4 })

const KEY = `select k.tenant_id, k.scopes, k.expires_at, k.sunset_at, k.revoked_at, creator.role
  from api_key k left join tenant_user creator on creator.tenant_id = k.tenant_id
    and creator.environment = k.environment and creator.id = k.created_by_user_id
  where k.key_hash = $1 and k.environment = $2`
const SETTINGS = `select t.data_residency, t.referral_code, s.start_business_hours, s.end_business_hours,
    s.human_friendly_client_name, s.sleep_before_callback_processing_seconds, s.timezone
  from settings s join tenant t on t.id = s.tenant_id where s.tenant_id = $1 and s.environment = $2`

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function settings(res: ServerResponse, authorization = ''): Promise<void> {
  const hash = createHmac('sha256', KEY_PEPPER).update(authorization.replace('Bearer ', '')).digest()
  const { rows: keys } = await pool.query(KEY, [hash, ENVIRONMENT])
  const [key] = keys
  const now = new Date()
  if (!key?.role || key.revoked_at || key.expires_at <= now || (key.sunset_at && key.sunset_at <= now))
    return send(res, 401, { error: 'unauthenticated' })
  if (!key.scopes.includes('settings:read')) return send(res, 403, { error: 'insufficient_scope' })
  const { rows } = await pool.query(SETTINGS, [key.tenant_id, ENVIRONMENT])
  send(res, 200, { data: rows[0] })
}

const server = createServer((req, res) => {
  if (req.method !== 'GET' || req.url !== '/public-api/settings')
    return send(res, 404, { error: 'not_found' })
  settings(res, req.headers.authorization).catch(() => send(res, 500, { error: 'internal_error' }))
})

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
