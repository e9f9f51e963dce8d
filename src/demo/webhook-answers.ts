/** The answers of the receivers of the demo's webhooks. */
import type { Attempt } from '../areas/webhooks/delivery.ts'
import type { Outcome } from '../areas/webhooks/rules.ts'
import type { Random, Seeding } from './seeding.ts'
import type { DemoEndpoint } from './webhook-endpoints.ts'

export interface Answer {
  outcome: Outcome
  attempt: Omit<Attempt, 'at'>
}

interface Attempted {
  at: Date
  /** The attempts with it. */
  tries: number
  random: Random
}

const answered = (
  status_code: number,
  response_excerpt: string,
  duration_ms: number,
  retry_after_seconds?: number,
): Answer => ({
  outcome: { status_code, retry_after_seconds },
  attempt: { status_code, duration_ms, error: null, response_excerpt },
})

const unanswered = (error: string, duration_ms: number): Answer => ({
  outcome: { status_code: null },
  attempt: { status_code: null, duration_ms, error, response_excerpt: null },
})

const BAD_GATEWAY = '<html>\n<head><title>502 Bad Gateway</title></head>\n</html>\n'

/** The answer of an endpoint that takes events: nearly always so. */
export function usualAnswer({ tries, random }: Attempted): Answer {
  const ms = random.int(38, 420)
  if (tries === 1 && random.fraction() < 0.05)
    return random.pick([
      answered(500, '{"error":"internal"}', ms),
      answered(502, BAD_GATEWAY, ms),
      unanswered('The connection was closed before an answer', ms),
    ])
  return random.pick([answered(204, '', ms), answered(204, '', ms), answered(200, '{"ok":true}', ms)])
}

/** Minutes until the end of the maintenance that `Retry-After` tells of. */
const MAINTENANCE_MINUTES = 290

/** The answer of an endpoint that takes no events. */
export function failingAnswer(
  { disabled_reason }: DemoEndpoint,
  { at, tries, random }: Attempted,
  { ago }: Seeding,
): Answer {
  const ms = random.int(38, 420)
  if (disabled_reason === 'GONE') return answered(410, 'This account is closed.', ms)
  if (disabled_reason === 'FAILING')
    return random.pick([
      unanswered('Could not be reached (ECONNREFUSED)', random.int(3, 40)),
      unanswered('No answer within 15 seconds', 15_000),
      answered(502, BAD_GATEWAY, ms),
    ])
  const ends_at = ago(0, -MAINTENANCE_MINUTES)
  const seconds = Math.ceil((ends_at.getTime() - at.getTime()) / 1000)
  return answered(503, 'Down for maintenance', ms, tries > 1 ? seconds : undefined)
}
