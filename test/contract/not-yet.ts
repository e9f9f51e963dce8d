/** Operations and rules of the contract that are not built yet. A row leaves this table with the change that builds it. */
import type { Missing } from './row.ts'

export const NOT_YET: readonly Missing[] = [
  {
    says: 'A sync resolves a PSA company: AUTO; later syncs keep a MANUAL link',
    reason: 'Rows of syncs are stored, and nothing of the service makes them.',
    until: { file: 'src/areas/company-links/sync.ts' },
  },
]
