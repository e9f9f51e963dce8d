/**
 * The warm-up: requests of the service's own, before it is ready, make what the first request would otherwise make: the
 * database reads its catalogues and plans statements, and code is loaded and compiled. They go the way of every request,
 * except for the server and its log and metrics. Their caller is of a tenant that does not exist, so they find no rows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { print } from 'graphql'
import { apiKey } from '../access/credentials/api-key.ts'
import type { ServiceAccount } from '../access/credentials/api-key-credential.ts'
import { newSecret } from '../access/credentials/api-key-secret.ts'
import { authenticate, type Credential } from '../access/credentials/credential.ts'
import { lease } from '../access/limits/rows.ts'
import { SCOPES } from '../access/policies/scopes.ts'
import { EVERY_TABLE } from '../db/query/models.ts'
import { statement } from '../db/sql.ts'
import type { Call } from '../gateway/call.ts'
import type { Services } from '../gateway/context.ts'
import type { Exchange } from '../http/connections.ts'
import { type OwnRequest, ownRequest } from '../http/own-request.ts'
import type { HttpRequest } from '../http/request.ts'
import { BASE_PATH, GRAPHQL_PATH } from '../lib/api.ts'

type Handle = (exchange: Exchange<Call>) => Promise<void>

interface Handlers {
  rest: Handle
  graphql: Handle
  callOf: (request: HttpRequest) => Call
}

interface WarmUp {
  /** Authenticates the requests of the warm-up, and no other. */
  credential: Credential
  /** Never rejects: the first requests then make what it could not. */
  run(handlers: Handlers): Promise<void>
}

/** A list, and the read of one of its rows. */
const LIST = 'executions'
const READ = 'execution'

/** The embedded database prepares a statement at its second use. */
const ROUNDS = 2

/** The longest time that a start waits for the warm-up. */
const MAX_MS = 5000

// The catalogue entries of a table and of its indexes are read when a statement on it is planned.
const TABLES = {
  ...statement(
    'warm_up.tables',
    EVERY_TABLE.map((table) => `select from ${table} where false`).join(' union all '),
  ),
  custom_plan: true,
} as const

const NOBODY = ''

const accountIn = (environment: string): ServiceAccount => ({
  // Their limits would be stored.
  kind: { ...apiKey, limits: [], seen_in: null },
  tenant_id: NOBODY,
  environment,
  id: NOBODY,
  name: NOBODY,
  scopes: new Set(SCOPES),
  own_scopes: new Set(SCOPES),
  person: null,
  acting_user: null,
  creator_role: 'OWNER',
  expires_at: null,
  sunset_at: null,
})

export function createWarmUp(
  { environment, database, limits, documentOf, operations }: Services,
  credentials: readonly Credential[],
): WarmUp {
  const own = new WeakSet<object>()
  const account = accountIn(environment)

  const credential: Credential = {
    authenticate: (presented) => (own.has(presented.request) ? lookUp(presented.now) : null),
  }

  /** Looks a key up that there is not, as each request looks up its own. */
  async function lookUp(now: Date): Promise<ServiceAccount> {
    const { request } = ownRequest({ method: 'GET', url: BASE_PATH })
    request.headers.authorization = `Bearer ${newSecret(environment)}`
    const guard = { key: async () => {}, user: async () => () => {} }
    await authenticate(credentials, { request, ip: null, now, guard }).catch(() => {})
    return account
  }

  /** Leases a token in a transaction that is rolled back. */
  async function leaseNothing(): Promise<void> {
    const rollback = new Error('rollback')
    const asked = { need: 1, want: 1, now: null }
    await database.transaction(MAX_MS, async (connection) => {
      await lease(connection, `${apiKey.type}:${NOBODY}`, limits.anonymous_ip, asked)
      throw rollback
    })
  }

  async function send(handle: Handle, callOf: Handlers['callOf'], sent: OwnRequest): Promise<void> {
    const { request, res } = ownRequest(sent)
    own.add(request)
    await handle({ request, res, call: callOf(request), begun: true })
  }

  async function warm({ rest, graphql, callOf }: Handlers): Promise<void> {
    await database.sql.rows(TABLES, [])
    for (let round = 0; round < ROUNDS; round++) {
      await leaseNothing().catch(() => {})
      for (const { name, rest: route } of operations()) {
        if (name !== LIST && name !== READ) continue
        const url = `${BASE_PATH}${route.path.replace(/\{\w+\}/, 'none')}`
        await send(rest, callOf, { method: 'GET', url }).catch(() => {})
      }
      const body = JSON.stringify({ query: print(documentOf(LIST)) })
      await send(graphql, callOf, { method: 'POST', url: GRAPHQL_PATH, body }).catch(() => {})
    }
  }

  return {
    credential,
    run: (handlers) =>
      Promise.race([warm(handlers).catch(() => {}), sleep(MAX_MS, undefined, { ref: false })]),
  }
}
