/** The RMM that the tenant has connected. */
import { kindOf, type System } from '../../connectors/systems.ts'
import type { DatabaseContext } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { connectedSystems, integrationOf } from '../integrations/index.ts'

/** The RMM that the tenant has connected, of which there is one at a time; null: there is none. */
export async function connectedRmm(ctx: DatabaseContext): Promise<System | null> {
  const connected = await connectedSystems(ctx)
  return ([...connected] as System[]).filter((system) => kindOf(system) === 'RMM').sort()[0] ?? null
}

/** 409 unless the RMM is connected. */
export async function requireConnected(ctx: DatabaseContext, system: System): Promise<void> {
  if ((await connectedRmm(ctx)) === system) return
  throw new ApiError('integration_not_connected', { details: { name: integrationOf(system).name } })
}
