/** The open tickets of technicians, which the PSA is asked for once in a while: decisions made since then are counted here. */
import type { Psa } from '../../../connectors/psa.ts'
import { type DatabaseContext, tenancyOf } from '../../../db/db.ts'

/** Milliseconds for which one answer counts. Some PSAs want a request for each technician. */
const KEPT_MS = 15_000
/** The answers that a process keeps at most: a new one replaces the oldest. */
const MOST_KEPT = 1000

export interface Counted {
  /** The PSA was asked then: it shows what was assigned before. */
  at: Date
  /** The open tickets, by the technician’s id in the PSA. */
  open_tickets: ReadonlyMap<number, number>
}

/** Asks the PSA. */
export async function countTickets(
  psa: Pick<Psa, 'openTicketCounts'>,
  psa_ids: readonly number[],
  at: Date,
): Promise<Counted> {
  const counts = psa_ids.length === 0 ? [] : await psa.openTicketCounts(psa_ids)
  return { at, open_tickets: new Map(psa_ids.map((psa_id, index) => [psa_id, counts[index] ?? 0])) }
}

const kept = new Map<string, { at: Date; counted: Promise<Counted> }>()

/** Asks the PSA, or answers as it did a moment ago. A failure is not kept. */
export async function countedLately(
  ctx: DatabaseContext,
  psa: Pick<Psa, 'openTicketCounts'>,
  psa_ids: readonly number[],
  now: Date,
): Promise<Counted> {
  const { tenant_id, environment } = tenancyOf(ctx)
  const key = JSON.stringify([tenant_id, environment, psa_ids])
  const known = kept.get(key)
  const age_ms = known ? now.getTime() - known.at.getTime() : KEPT_MS
  if (known && age_ms >= 0 && age_ms < KEPT_MS) return await known.counted
  kept.delete(key)
  if (kept.size === MOST_KEPT) kept.delete(kept.keys().next().value as string)
  const entry = { at: now, counted: countTickets(psa, psa_ids, now) }
  kept.set(key, entry)
  entry.counted.catch(() => {
    if (kept.get(key) === entry) kept.delete(key)
  })
  return await entry.counted
}
