/** Technicians, as they are locked before a user is linked to one. */
import { db } from '../../db/db.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { keepTechnician } from '../technicians/index.ts'

/**
 * The user that the technician is, if any; null if there is no such technician. The technician is locked until the
 * transaction ends: links to one technician, and their deletion, wait for each other.
 */
export async function lockTechnician(
  ctx: MutationContext,
  technician_id: number,
): Promise<{ user_id: string | null } | null> {
  if (!(await keepTechnician(ctx, technician_id))) return null
  // A statement of its own, which sees who was linked while the lock was waited for.
  const user = await db(ctx).tenantUser.findFirst({ where: { technician_profile_id: technician_id } })
  return { user_id: user?.id ?? null }
}
