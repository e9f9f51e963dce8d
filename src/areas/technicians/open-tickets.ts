/** The open tickets of technicians, as the PSA counts them. */
import { psaOf } from '../../connectors/psa.ts'
import { ApiError } from '../../errors/errors.ts'
import { dataLoader } from '../../schema/lists/data-loader.ts'

const isOutage = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'upstream_unavailable'

// Contract silent: a list of technicians does not fail with the PSA.
/** The number of open tickets, by the technician’s id in the PSA; null while the PSA does not answer. */
export const openTicketCountOf = dataLoader<number, number | null>(async (ctx, psa_ids) => {
  const distinct = [...new Set(psa_ids)]
  try {
    const counts = await psaOf(ctx).openTicketCounts(distinct)
    const byId = new Map(distinct.map((psa_id, index) => [psa_id, counts[index] ?? null]))
    return psa_ids.map((psa_id) => byId.get(psa_id) ?? null)
  } catch (error) {
    if (!isOutage(error)) throw error
    ctx.warnings.push('The PSA did not answer: open_ticket_count is null.')
    return psa_ids.map(() => null)
  }
})
