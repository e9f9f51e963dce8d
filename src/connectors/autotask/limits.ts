/**
 * The limits of Autotask PSA. Over one of them it refuses requests, and of the hour those of every other integration of the
 * tenant too. Sources as in `api.ts`.
 */
import { z } from 'zod'
import { VendorFailure } from '../http/failure.ts'
import { createKept } from '../kept.ts'

/** Requests at once to one kind of object, for each integration code. [HP ThreadLimiting] */
export const THREADS = 3

/** Requests between two looks at how much of the hour is used. */
const REQUESTS_PER_LOOK = 100
/** The part of the hour's requests that is left to other integrations. */
const LEFT_TO_OTHERS = 0.1
const PAUSE_SECONDS = 60

/** [HP ThresholdInformation] */
const THRESHOLD = z.object({
  externalRequestThreshold: z.number().positive(),
  currentTimeframeRequestCount: z.number().nonnegative(),
})

export interface Usage {
  used: number
  allowed: number
}

/** null: the PSA does not tell. */
export function usageOf(body: unknown): Usage | null {
  const { data } = THRESHOLD.safeParse(body)
  return data ? { used: data.currentTimeframeRequestCount, allowed: data.externalRequestThreshold } : null
}

interface Hour {
  /** Requests until the next look. */
  until_look: number
  /** Monotonic milliseconds. */
  paused_until: number
}

export function createLimits({ elapsed = () => performance.now() } = {}) {
  const hours = createKept<Hour>(Number.POSITIVE_INFINITY)

  /** Counts a request, and looks now and then at how much of the hour is used. */
  async function take(connection_id: string, look: () => Promise<Usage | null>): Promise<void> {
    const hour = await hours.get(connection_id, async () => ({
      until_look: REQUESTS_PER_LOOK,
      paused_until: 0,
    }))
    const pause_ms = hour.paused_until - elapsed()
    if (pause_ms <= 0 && --hour.until_look < 0) {
      hour.until_look = REQUESTS_PER_LOOK
      // Whoever cannot see how much is used goes on.
      const usage = await look().catch(() => null)
      if (!usage || usage.used < usage.allowed * (1 - LEFT_TO_OTHERS)) return
      hour.paused_until = elapsed() + PAUSE_SECONDS * 1000
      hour.until_look = 0
    } else if (pause_ms <= 0) return
    throw new VendorFailure('The hour’s requests to AUTOTASK_PSA are almost used up', {
      kind: 'LIMIT',
      retry_after_seconds: Math.max(1, Math.ceil((hour.paused_until - elapsed()) / 1000)),
      not_made: true,
    })
  }

  return { take }
}
