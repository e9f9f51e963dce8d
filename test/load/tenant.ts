/** Tenants of a service of its own, which are connected to doubles and have an agent. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { developmentSecrets, developmentToken } from '../../src/access/credentials/development-issuer.ts'
import { activateAgent, type Call, callsOf } from '../doubles/connected-service.ts'
import type { PsaDouble } from '../setup/psa-doubles/double.ts'

const ROOT = join(import.meta.dirname, '../..')
const ENVIRONMENT = 'dev'
const TTL_SECONDS = 7200

export const NOTE = 'We are on it.'

/** The variables by which every process of the service works: the database and the folder of its secrets. */
export type Variables = Readonly<Record<string, string>>

const SYSTEMS: Readonly<Record<string, string>> = {
  'connectwise-psa': 'CONNECTWISE_PSA',
  'halo-psa': 'HALO_PSA',
  'autotask-psa': 'AUTOTASK_PSA',
}

export interface LoadTenant {
  id: string
  token: string
}

/** Makes a tenant. An embedded database must not be in use. */
export async function createTenant(variables: Variables, id: string): Promise<LoadTenant> {
  const subject = `owner@${id.replaceAll('_', '-')}.example`
  const args = ['create', '--id', id, '--name', id, '--owner-email', subject, '--data-residency', 'EU']
  await promisify(execFile)(process.execPath, [join(ROOT, 'src/commands/tenant.ts'), ...args, '--json'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...variables },
  })
  const secrets = await developmentSecrets(variables.DATA_DIR ?? '', ENVIRONMENT)
  const claims = { subject, tenant_id: id, environment: ENVIRONMENT, ttl_seconds: TTL_SECONDS }
  return { id, token: await developmentToken(secrets, claims) }
}

/** The calls of the tenant's owner. `list` reads all pages. */
export interface Calls {
  call: Call
  // biome-ignore lint/suspicious/noExplicitAny: each caller reads what the operation answers with.
  list(path: string): Promise<any[]>
}

const PAGE = 200

export function callsOfTenant(base: string, { token }: LoadTenant): Calls {
  const list = async (path: string): Promise<unknown[]> => {
    const rows: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = `page_size=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      const separator = path.includes('?') ? '&' : '?'
      const response = await fetch(`${base}/public-api${path}${separator}${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}`)
      const { data, meta } = (await response.json()) as {
        data: unknown[]
        meta: { pagination: { next_cursor: string | null } }
      }
      rows.push(...data)
      cursor = meta.pagination.next_cursor
    }
    return rows
  }
  return { call: callsOf(base, token, AbortSignal.timeout(TTL_SECONDS * 1000)), list }
}

/** Connects the tenant to the double, and makes an agent that writes a note on each new ticket. */
export async function connect({ call }: Calls, double: PsaDouble): Promise<void> {
  const { name, draft } = double
  await call('PUT', '/company-filters', { filters: [] })
  await call('PUT', '/settings', { sleep_before_callback_processing_seconds: 0 })
  await call('PUT', `/integrations/${name}/connection`, { ...draft, poll_interval_seconds: 0 })
  await activateAgent(call, {
    name: 'Writer',
    integrations: { grants: [{ system: SYSTEMS[name], permission_groups: ['TICKETS'], access: 'WRITE' }] },
    actions: [{ type: 'ticket.add_note', params: { text: NOTE, visibility: 'INTERNAL' } }],
  })
  await quiet(double)
}

const QUIET_MS = 3000
const LOOK_MS = 100

/** Resolves once webhooks are registered, and the service has asked the PSA nothing for a while. */
async function quiet({ vendor, webhooks }: PsaDouble): Promise<void> {
  let count = -1
  let since = 0
  while (webhooks().length === 0 || performance.now() - since < QUIET_MS) {
    if (vendor.requests.length !== count) since = performance.now()
    count = vendor.requests.length
    await sleep(LOOK_MS)
  }
}
