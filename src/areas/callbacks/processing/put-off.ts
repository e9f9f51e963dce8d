/** Puts callbacks off whose entity cannot be read yet. */
import { ApiError } from '../../../errors/errors.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { lookAgainAt, PATIENCE_MINUTES, retryAt } from '../rules/retries.ts'
import { end, type Found, type Work } from './end.ts'
import { PROCESS_CALLBACK } from './job.ts'
import { noteFailure, noteLimit } from './slots.ts'

export const isAway = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'upstream_unavailable'

const reasonIn = ({ details }: ApiError): unknown => details?.reason

const retryAfter = ({ headers }: ApiError): number => Number(headers?.['Retry-After'] ?? 1)

const WAITS = { status: 'QUEUED', filter_reason: null } as const

/**
 * Puts the callback off: its slot is another one's meanwhile. While the PSA is away the callback waits for its turn to try it; else
 * it is tried by itself later. An attempt for which there were no requests left was none.
 */
export async function putOff(work: Work, error: ApiError): Promise<void> {
  const { ctx, callback } = work
  const message = error.message.replace(/\.$/, '')
  const reason = reasonIn(error)
  if (reason === 'LIMIT') {
    await noteLimit(ctx, retryAfter(error))
    const { away_since } = callback
    return await end(work, { ...WAITS, away_since, error: null, waits_for: 'QUEUE' })
  }
  const away_since = callback.away_since ?? ctx.now
  const start_after = retryAt(callback.attempts + 1, away_since, ctx.now)
  if (!start_after) {
    const over = `INTEGRATION: ${message} for ${PATIENCE_MINUTES} minutes.`
    return await end(work, { status: 'FAILED', filter_reason: null, error: over })
  }
  // An answer of one entity that cannot be used says nothing of the others.
  const is_away = reason === 'OUTAGE' && (await noteFailure(ctx))
  const told = { ...WAITS, away_since, error: `INTEGRATION: ${message}. It is asked again.` }
  await end(work, { ...told, waits_for: is_away ? 'OUTAGE' : null })
  if (!is_away) await enqueue(ctx, PROCESS_CALLBACK, { callback_id: callback.id }, { start_after })
}

/** Puts the callback off, whose entity the PSA does not show yet; false if that was looked for often enough. */
export async function lookAgain(work: Work, found: NonNullable<Found>): Promise<boolean> {
  const { ctx, callback } = work
  const start_after = lookAgainAt(callback.looks, found.began_at)
  if (!start_after) return false
  const thing = callback.entity_type === 'TICKET' ? 'ticket' : 'time entry'
  const error = `INTEGRATION: The PSA does not show the ${thing} yet. It is looked at again.`
  await end(work, { ...WAITS, error, looks: callback.looks + 1 }, found)
  await enqueue(ctx, PROCESS_CALLBACK, { callback_id: callback.id }, { start_after })
  return true
}
