/** The ten MSPs of the data, with keys that are the same in every run. */
import { createHash } from 'node:crypto'
import { newSecret } from '../../src/access/credentials/api-key-secret.ts'
import { answers } from '../options.ts'

/** So many rows; fewer if nothing is measured. */
const amount = (measured: number, compared: number): number => (answers ? compared : measured)

export const ENVIRONMENT = 'bench'
export const KEY_PEPPER = 'the pepper of the benchmark'
export const TENANTS = 10
export const AGENTS = 50
export const LINKS = amount(2_000, 300)
export const EXECUTIONS = amount(30_000, 1_500)
export const DAYS = 100
/** Tickets of each tenant in the PSA that no agent has worked on. */
export const TICKETS = amount(20_000, 500)
/** Callbacks of the first tenant, over 35 days. The second has a tenth of them, and as many in the last day. */
export const CALLBACKS = amount(500_000, 20_000)
export const UPSTREAM_CALLS = amount(175_000, 7_000)
export const MEMORIES = amount(2_000, 200)
export const CALLBACK_DAYS = 35
export const SYSTEMS = [
  'HUDU',
  'SHAREPOINT',
  'NINJAONE',
  'DATTO_RMM',
  'HUNTRESS',
  'PAX8',
  'AUVIK',
  'MIMECAST',
  'SENTINELONE',
  'OKTA',
]

/** The systems that tools work on. */
export const TOOL_SYSTEMS = ['HALO_PSA', 'HALO_PSA', 'HALO_PSA', 'NINJAONE', 'HUDU']
/** The names of the integrations that are connected. */
export const CONNECTED = ['halo-psa', 'ninjaone', 'hudu', 'huntress', 'pax8', 'auvik', 'mimecast', 'okta']

export interface Tenant {
  id: string
  /** Of a key with no acting user, which sees every agent. */
  key: string
  /** Of a key whose acting user is a USER, who sees the agents that they created or were shared. */
  user_key: string
}

/** As good as random, and the same for the same name. */
function bytesOf(name: string): (size: number) => Uint8Array {
  let block = 0
  return () => createHash('sha512').update(`${name} ${block++}`).digest()
}

/** So many tenants, whose ids begin with the prefix. */
export const tenantsNamed = (prefix: string, count: number): readonly Tenant[] =>
  Array.from({ length: count }, (_, index) => {
    const id = `${prefix}_${index + 1}`
    return {
      id,
      key: newSecret(ENVIRONMENT, bytesOf(`${id} key`)),
      user_key: newSecret(ENVIRONMENT, bytesOf(`${id} user key`)),
    }
  })

export const tenants = tenantsNamed('ten_bench', TENANTS)
