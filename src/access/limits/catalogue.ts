/** The limits there are, and what `LIMITS` changes about them. */
import type { Rate } from './rules.ts'
import { type Limit, limitOf } from './state.ts'

const DEFAULTS = {
  service_key: { quota: 600, window_seconds: 60, burst: { quota: 60, window_seconds: 1 } },
  service_key_writes: { quota: 120, window_seconds: 60 },
  dashboard_user: { quota: 1200, window_seconds: 60 },
  tenant: { quota: 3000, window_seconds: 60 },
  anonymous_ip: { quota: 60, window_seconds: 60 },
  failed_credentials_ip: { quota: 20, window_seconds: 60 },
  /** For credentials that nobody knows yet, of an address that has used up another limit. */
  unknown_credentials_ip: { quota: 10, window_seconds: 60 },
  graphql_points: { quota: 20_000, window_seconds: 60 },
} satisfies Record<string, Omit<Rate, 'name'>>

export type LimitName = keyof typeof DEFAULTS
export type Limits = Readonly<Record<LimitName, Limit>>

/** Their names in the `RateLimit` headers. */
const ITEMS: Record<LimitName, string> = {
  service_key: 'key',
  service_key_writes: 'writes',
  dashboard_user: 'user',
  tenant: 'tenant',
  anonymous_ip: 'ip',
  failed_credentials_ip: 'failed-credentials',
  unknown_credentials_ip: 'unknown-credentials',
  graphql_points: 'points',
}

const MAX_QUOTA = 1_000_000_000
const names = Object.keys(DEFAULTS) as LimitName[]

function rate(name: LimitName, quota: number | undefined): Rate {
  const usual: Omit<Rate, 'name'> = DEFAULTS[name]
  if (quota === undefined || !usual.burst) return { name, ...usual, quota: quota ?? usual.quota }
  const burst = Math.max(1, Math.round((usual.burst.quota * quota) / usual.quota))
  return { name, ...usual, quota, burst: { ...usual.burst, quota: burst } }
}

/** The limits with the quotas of `service_key=100000,tenant=…`, which scale bursts; an Error names every problem. */
export function readLimits(override: string | undefined): Limits {
  const quotas = new Map<string, number>()
  const problems: string[] = []
  for (const entry of (override ?? '').split(',').filter((text) => text.trim() !== '')) {
    const [name = '', number = '', ...more] = entry.split('=').map((text) => text.trim())
    const quota = /^\d+$/.test(number) ? Number(number) : 0
    if (!(names as string[]).includes(name)) problems.push(`${name || entry.trim()} is not a limit`)
    else if (more.length > 0 || quota < 1 || quota > MAX_QUOTA) {
      problems.push(`${name} must be a whole number from 1 to ${MAX_QUOTA}`)
    } else if (quotas.has(name)) problems.push(`${name} is set twice`)
    else quotas.set(name, quota)
  }
  if (problems.length > 0) throw new Error(`LIMITS: ${problems.join('; ')}`)
  return Object.fromEntries(
    names.map((name) => [name, limitOf(ITEMS[name], rate(name, quotas.get(name)))]),
  ) as Limits
}
