import { clock } from '../app.ts'
import type { Msp } from '../world.ts'

/** The columns of every row of the tenant that is made now. */
export function ownedBy({ tenant_id, environment }: Pick<Msp, 'tenant_id' | 'environment'>) {
  const now = clock.now()
  return { tenant_id, environment, created_at: now, updated_at: now }
}
