/** `/livez`, `/readyz` and `/metrics`: for the machines that run the service, outside the public API. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import { ApiError } from '../errors/errors.ts'
import type { Metrics } from './metrics.ts'
import type { HttpRequest } from './request.ts'
import type { HttpAnswer } from './send.ts'

interface ProbeOptions {
  /** True while the database answers. */
  isDatabaseUp: () => Promise<boolean>
  /** The reason why this release cannot work on the tables of the database; null if it can. */
  schemaProblem: () => Promise<string | null>
  /** False if the clock of the process is not the database's. */
  clockAgrees: () => boolean
  /** False if the process is to run jobs, and cannot look for any. */
  isWorking: () => boolean
  metrics: Metrics
  metrics_token: string | undefined
  /** True if the metrics are for anyone who has no token. */
  open_metrics: boolean
  /** True once the process has been asked to stop. */
  isDraining: () => boolean
  log: Logger
}

/** Expected errors of a probe are returned, not thrown: each thrown one would be a log line. */
export type Probe = (request: HttpRequest) => Promise<HttpAnswer | ApiError>

const text = (body: string, content_type = 'text/plain; charset=utf-8'): HttpAnswer => ({
  status: 200,
  headers: { 'Content-Type': content_type, 'Cache-Control': 'no-store' },
  body,
})

const digest = (value: string) => createHash('sha256').update(value).digest()

const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

const STOPPING = 'The process is stopping.'
export const NOT_MIGRATED = 'Migrations are missing.'
/** Reasons that operators bring about when they stop or update the service. */
const PLANNED = new Set([STOPPING, NOT_MIGRATED])

/** The probe at a path, or undefined. */
export function createProbes(options: ProbeOptions): (path: string) => Probe | undefined {
  const {
    isDatabaseUp,
    schemaProblem,
    clockAgrees,
    isWorking,
    metrics,
    metrics_token,
    open_metrics,
    isDraining,
    log,
  } = options
  let last_reason: string | null = null

  async function reasonNotReady(): Promise<string | null> {
    if (isDraining()) return STOPPING
    if (!(await isDatabaseUp())) return 'The database does not answer.'
    const problem = await schemaProblem()
    if (problem !== null) return problem
    if (!clockAgrees()) return 'The clocks of the process and of the database differ by more than a minute.'
    return isWorking() ? null : 'Jobs cannot be looked for.'
  }

  function logChange(reason: string | null): void {
    if (reason === last_reason) return
    last_reason = reason
    if (reason === null) log.info('ready')
    else log[PLANNED.has(reason) ? 'info' : 'warn']({ reason }, 'not ready')
  }

  const probes: Record<string, Probe> = {
    '/livez': async () => text('ok\n'),
    '/readyz': async () => {
      const reason = await reasonNotReady()
      logChange(reason)
      if (reason === null) return text('ok\n')
      const headers = { 'Retry-After': '1' }
      return new ApiError('service_unavailable', { message: reason, headers, is_logged: true })
    },
    '/metrics': async ({ headers }) => {
      if (!metrics_token) {
        return open_metrics ? text(await metrics.text(), metrics.content_type) : new ApiError('not_found')
      }
      const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
      if (!given || !isSame(given, metrics_token)) return new ApiError('unauthenticated')
      return text(await metrics.text(), metrics.content_type)
    },
  }
  return (path) => (Object.hasOwn(probes, path) ? probes[path] : undefined)
}
