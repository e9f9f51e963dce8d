/** `/livez`, `/readyz` and `/metrics`: for the machines that run the service, outside the public API. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Database } from '../db/database.ts'
import { ApiError, unavailable } from '../errors.ts'
import { within } from '../graphql/deadline.ts'
import type { HttpAnswer } from './answer.ts'
import type { Metrics } from './metrics.ts'

interface ProbeOptions {
  database: Database
  metrics: Metrics
  metrics_token: string | undefined
  /** Whether the process still takes requests. */
  isDraining: () => boolean
}

/** How long the database has to say that it is there. */
const PING_MS = 2000

const text = (body: string, content_type = 'text/plain; charset=utf-8'): HttpAnswer => ({
  status: 200,
  headers: { 'Content-Type': content_type, 'Cache-Control': 'no-store' },
  body,
})

const digest = (value: string) => createHash('sha256').update(value).digest()

const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

/** The probe at a path, or undefined. A probe answers or throws. */
export function createProbes({ database, metrics, metrics_token, isDraining }: ProbeOptions) {
  const probes: Record<string, (req: IncomingMessage) => Promise<HttpAnswer>> = {
    '/livez': async () => text('ok\n'),
    '/readyz': async () => {
      if (isDraining()) throw unavailable(5)
      await within(PING_MS, database.ping())
      return text('ok\n')
    },
    '/metrics': async (req) => {
      const given = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1]
      if (metrics_token && (!given || !isSame(given, metrics_token))) throw new ApiError('unauthenticated')
      return text(await metrics.text(), metrics.content_type)
    },
  }
  return (path: string) => (Object.hasOwn(probes, path) ? probes[path] : undefined)
}
