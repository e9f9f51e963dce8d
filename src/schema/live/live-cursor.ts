/** The ids of updates: positions in the events of a tenant, from which a subscription can go on. */

import { tenancyOf } from '../../db/db.ts'
import type { LivePosition } from '../../db/live/events.ts'
import { parseSnapshot, snapshotOf } from '../../db/live/snapshot.ts'
import { decodeCursor, encodeCursor } from '../../db/query/cursor.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'

/** A position, and the instant of its last event. */
interface Passed {
  position: LivePosition
  at: Date
}

/** A snapshot in few characters: transactions as their distance from the first one. */
export function shortSnapshot(text: string): string {
  const { xmin, xmax, running } = snapshotOf(text)
  return `${xmin}:${xmax - xmin}:${[...running].map((id) => id - xmin).join()}`
}

/** The snapshot that was shortened; null if the text is none. */
export function longSnapshot(text: string): string | null {
  const short = parseSnapshot(text)
  if (!short) return null
  const { xmin, xmax, running } = short
  return `${xmin}:${xmin + xmax}:${[...running].map((id) => id + xmin).join()}`
}

const scopeOf = (ctx: Context, operation: string, filters: Record<string, unknown>) => {
  const { tenant_id, environment } = tenancyOf(ctx)
  return { tenant_id, environment, operation, filters }
}

/** The id of the update at the position. It is signed, and belongs to one subscription with one set of arguments. */
export function updateId(
  ctx: Context,
  operation: string,
  filters: Record<string, unknown>,
  { position: { seen, within }, at }: Passed,
): string {
  const rest = within ? [shortSnapshot(within.reading), ...within.last] : []
  const key = [at.getTime(), shortSnapshot(seen), ...rest]
  return encodeCursor(ctx.services.signing_secrets, scopeOf(ctx, operation, filters), key, ctx.services.now())
}

/** The position after the update with the id; 400 `invalid_cursor` if it is not one of this subscription. */
export function passedBy(
  ctx: Context,
  operation: string,
  filters: Record<string, unknown>,
  id: string,
): Passed {
  const scope = scopeOf(ctx, operation, filters)
  const [at, seen, reading, ...last] = decodeCursor(
    ctx.services.signing_secrets,
    scope,
    id,
    ctx.services.now(),
  )
  const position = {
    seen: longSnapshot(String(seen)),
    reading: reading === undefined ? null : longSnapshot(String(reading)),
  }
  if (position.seen === null || (reading !== undefined && position.reading === null))
    throw new ApiError('invalid_cursor', { details: { reason: 'MALFORMED' } })
  const within =
    position.reading === null
      ? undefined
      : { reading: position.reading, last: [Number(last[0]), Number(last[1])] as const }
  return { position: { seen: position.seen, within }, at: new Date(Number(at)) }
}
