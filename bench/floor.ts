/**
 * The floor: what somebody would write by hand, on Fastify and pg, to do the same work for a caller. It judges
 * the key, its scopes and its limit, checks its input, reads by prepared statements, signs the cursor, and
 * answers in the same envelope with the same headers.
 */
import { createHmac, randomUUID } from 'node:crypto'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import pg from 'pg'

const { DATABASE_URL, KEY_PEPPER = '', SECRET = '', POOL = '4', PORT = '0' } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL) })
const app = Fastify()

const KEY = /^svc_sk_bench_[0-9A-Za-z]{46}$/
const STATUSES = new Set(['all', 'mapped', 'unmapped', 'manual'])

interface Caller {
  id: string
  tenant_id: string
  environment: string
  scopes: string[]
  expires_at: Date
  sunset_at: Date | null
  revoked_at: Date | null
  role: string
}

const AUTHENTICATE = {
  name: 'authenticate',
  text: `select k.id, k.tenant_id, k.environment, k.scopes, k.expires_at, k.sunset_at, k.revoked_at, u.role
         from api_key k
         left join tenant_user u on (u.tenant_id, u.environment, u.id) = (k.tenant_id, k.environment, k.created_by_user_id)
         where k.key_hash = $1`,
}

class Refusal extends Error {
  readonly status: number

  constructor(status: number) {
    super(`${status}`)
    this.status = status
  }
}

async function authenticate(request: FastifyRequest, scope: string): Promise<Caller> {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (!token || !KEY.test(token)) throw new Refusal(401)
  const hash = createHmac('sha256', KEY_PEPPER).update(token).digest()
  const { rows } = await pool.query<Caller>({ ...AUTHENTICATE, values: [hash] })
  const [caller] = rows
  const now = new Date()
  if (!caller || caller.revoked_at || caller.expires_at <= now) throw new Refusal(401)
  if (caller.sunset_at && caller.sunset_at <= now) throw new Refusal(401)
  if (!caller.scopes.includes(scope)) throw new Refusal(403)
  return caller
}

const QUOTA = 1_000_000_000
const used = new Map<string, number>()

function count(caller: Caller): number {
  const requests = (used.get(caller.id) ?? 0) + 1
  if (requests > QUOTA) throw new Refusal(429)
  used.set(caller.id, requests)
  return QUOTA - requests
}

function answer(
  reply: FastifyReply,
  started: number,
  data: unknown,
  left: number,
  pagination?: unknown,
): string {
  const request_id = randomUUID()
  const total = Math.round((performance.now() - started) * 100) / 100
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': request_id,
    'api-version': '1.0.0',
    'cache-control': 'no-store',
    'server-timing': `total;dur=${total}`,
    'x-content-type-options': 'nosniff',
    'ratelimit-policy': `"key";q=${QUOTA};w=60`,
    ratelimit: `"key";r=${left};t=60`,
  })
  const meta = { request_id, timings_ms: { total }, ...(pagination !== undefined && { pagination }) }
  return JSON.stringify({ data, meta })
}

const SETTINGS = {
  name: 'settings',
  text: `select t.data_residency, t.referral_code, s.start_business_hours, s.end_business_hours,
           s.human_friendly_client_name, s.sleep_before_callback_processing_seconds, s.timezone
         from settings s join tenant t on t.id = s.tenant_id
         where s.tenant_id = $1 and s.environment = $2`,
}

app.get('/public-api/settings', async (request, reply) => {
  const started = performance.now()
  const caller = await authenticate(request, 'settings:read')
  const left = count(caller)
  const { rows } = await pool.query({ ...SETTINGS, values: [caller.tenant_id, caller.environment] })
  return answer(reply, started, rows[0], left)
})

const COLUMNS = `system, external_id, external_name, psa_company_id, psa_company_name, link_state, match_method,
  confidence, is_primary, mapped_by, mapped_at, link_state = 'AUTO' and confidence < 0.95 as needs_review,
  mapped, sort_name`

const PAGE = {
  name: 'page',
  text: `select ${COLUMNS} from company_link
         where tenant_id = $1 and environment = $2 and system = $3 and not hidden
         order by mapped, sort_name, external_id limit $4`,
}
const AFTER = {
  name: 'after',
  text: `select ${COLUMNS} from company_link
         where tenant_id = $1 and environment = $2 and system = $3 and not hidden
           and (mapped, sort_name, external_id) > ($5, $6, $7)
         order by mapped, sort_name, external_id limit $4`,
}
const COUNTS = {
  name: 'counts',
  text: `select count(*)::int as total, count(*) filter (where mapped)::int as mapped
         from company_link where tenant_id = $1 and environment = $2 and system = $3 and not hidden`,
}

interface LinkRow {
  mapped: boolean
  sort_name: string
  external_id: string
}

const sign = (payload: string) =>
  createHmac('sha256', SECRET).update(payload).digest('base64url').slice(0, 22)

app.get<{ Querystring: Record<string, string> }>('/public-api/company-links', async (request, reply) => {
  const started = performance.now()
  const caller = await authenticate(request, 'end_companies:read')
  const left = count(caller)
  const { system, status = 'all', page_size = '50', cursor } = request.query
  const size = Number(page_size)
  if (!system || !STATUSES.has(status) || !Number.isInteger(size) || size < 1 || size > 200)
    throw new Refusal(422)
  const where = [caller.tenant_id, caller.environment, system]
  const [payload = '', tag] = cursor?.split('.') ?? []
  if (cursor && sign(payload) !== tag) throw new Refusal(400)
  const after: unknown[] = cursor ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : []
  const [page, counts] = await Promise.all([
    pool.query<LinkRow>({ ...(cursor ? AFTER : PAGE), values: [...where, size + 1, ...after] }),
    pool.query<{ total: number; mapped: number }>({ ...COUNTS, values: where }),
  ])
  const rows = page.rows.slice(0, size)
  const last = rows.at(-1)
  const has_more = page.rows.length > size
  const key =
    last && Buffer.from(JSON.stringify([last.mapped, last.sort_name, last.external_id])).toString('base64url')
  const next_cursor = has_more && key ? `${key}.${sign(key)}` : null
  const links = rows.map(({ mapped: _mapped, sort_name: _name, ...link }) => link)
  const { total = 0, mapped = 0 } = counts.rows[0] ?? {}
  const data = { links, counts: { total, mapped, unmapped: total - mapped } }
  return answer(reply, started, data, left, { next_cursor, has_more })
})

app.setErrorHandler((error, _request, reply) =>
  reply.code(error instanceof Refusal ? error.status : 500).send(),
)

console.log(await app.listen({ port: Number(PORT), host: '127.0.0.1' }))
