import { addAgents, share } from '../agents.ts'
import type { Msp } from '../world.ts'

/** Adds the agents if the tenant has none, and tells whether it did: 1 is the USER's, and 3 shared with them. */
export async function addSharedAgents(msp: Msp, ids: readonly number[]): Promise<boolean> {
  const known = await msp.database.prisma.agent.count({ where: { tenant_id: msp.tenant_id } })
  if (known > 0) return false
  await addAgents(
    msp,
    ids.map((id) => ({ id, created_by_user_id: id === 1 ? msp.user.id : null })),
  )
  await share(msp, 3, msp.user.id)
  return true
}
