/** The declared limits, and their quotas from the variable `LIMITS`. */
import type { Rate } from './rules.ts'
import { type Limit, limitOf } from './state.ts'

/** A limit with its usual quota. A kind of viewers declares those of its own. */
export interface LimitDeclaration extends Rate {
  /** Its name in the `RateLimit` headers. */
  item: string
}

const declared = <const Name extends string>(
  name: Name,
  item: string,
  quota: number,
  window_seconds = 60,
): LimitDeclaration & { name: Name } => ({ name, item, quota, window_seconds })

/** Counts everything that callers of a tenant do. */
export const TENANT = declared('tenant', 'tenant', 3000)
/** Counts what the operations of a caller cost. */
export const GRAPHQL_POINTS = declared('graphql_points', 'points', 20_000)

/** Counts how often a caller starts agents. */
export const RUN_NOW = declared('run_now', 'run-now', 60)

/** Counts how often a caller verifies the audit log, which takes seconds for a day of many calls. */
export const VERIFY_AUDIT_LOG = declared('verify_audit_log', 'verify-audit-log', 30)

/** The limits of single operations, which a caller has besides those of its kind. */
const OF_OPERATIONS = [RUN_NOW, VERIFY_AUDIT_LOG]

/** The limits by address. */
const BY_ADDRESS = [
  declared('anonymous_ip', 'ip', 60),
  declared('failed_credentials_ip', 'failed-credentials', 20),
  // Lookups of unknown credentials by an address that has used up another limit.
  declared('unknown_credentials_ip', 'unknown-credentials', 10),
]

export type AddressLimit = (typeof BY_ADDRESS)[number]['name']

/** Counts the events that a connected system sends to the address of its connection; a request without any counts as one. */
const INGEST_CONNECTION = declared('ingest_connection', 'ingest', 200, 1)

// Contract silent: less than what the vendors allow an MSP, or slow down beyond, since other integrations share it.
/** Count the requests that the service makes to a vendor for a tenant. */
const TO_VENDORS = [
  declared('connectwise_psa_requests', 'connectwise-psa', 500),
  declared('halo_psa_requests', 'halo-psa', 240, 300),
  declared('autotask_psa_requests', 'autotask-psa', 5000, 3600),
  declared('ninjaone_requests', 'ninjaone', 300),
]

/** Counts the kilobytes of what vendors answer to a tenant, but for small answers. */
export const FROM_VENDORS = declared('vendor_kilobytes', 'vendor-kilobytes', 500_000)

/** The limits as they are configured, by name. */
export type Limits = Readonly<Record<AddressLimit | (typeof INGEST_CONNECTION)['name'], Limit>> &
  Readonly<Record<string, Limit>>

const MAX_QUOTA = 1_000_000_000

/** The rate with another quota, which scales its burst. */
function withQuota({ burst, ...rate }: Rate, quota: number): Rate {
  if (!burst) return { ...rate, quota }
  const scaled = Math.max(1, Math.round((burst.quota * quota) / rate.quota))
  return { ...rate, quota, burst: { ...burst, quota: scaled } }
}

/** The limits, with the quotas of `service_key=100000,tenant=…`; an Error names every problem. */
export function readLimits(override: string | undefined, of_viewers: readonly LimitDeclaration[]): Limits {
  const all = new Map(
    [...of_viewers, ...OF_OPERATIONS, ...BY_ADDRESS, INGEST_CONNECTION, ...TO_VENDORS, FROM_VENDORS].map(
      (declaration) => [declaration.name, declaration],
    ),
  )
  const quotas = new Map<string, number>()
  const problems: string[] = []
  for (const entry of (override ?? '').split(',').filter((text) => text.trim() !== '')) {
    const [name = '', number = '', ...more] = entry.split('=').map((text) => text.trim())
    const quota = /^\d+$/.test(number) ? Number(number) : 0
    if (!all.has(name)) problems.push(`${name || entry.trim()} is not a limit`)
    else if (more.length > 0 || quota < 1 || quota > MAX_QUOTA) {
      problems.push(`${name} must be a whole number from 1 to ${MAX_QUOTA}`)
    } else if (quotas.has(name)) problems.push(`${name} is set twice`)
    else quotas.set(name, quota)
  }
  if (problems.length > 0) throw new Error(`LIMITS: ${problems.join('; ')}`)
  const limits = [...all.values()].map(({ item, ...rate }) => {
    const quota = quotas.get(rate.name)
    return [rate.name, limitOf(item, quota === undefined ? rate : withQuota(rate, quota))]
  })
  return Object.fromEntries(limits) as Limits
}
