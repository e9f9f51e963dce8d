/** Technicians, as they are locked before a user is linked to one. */
import { db, scoped, sql } from '../../db/db.ts'
import type { MutationContext } from '../../gateway/context.ts'

const LOCK_TECHNICIAN = scoped(
  'tenant.lock_technician',
  `select id from technician_profile
   where tenant_id = $1 and environment = $2 and id = $3::int and deleted_at is null for no key update`,
)

/**
 * The user that the technician is, if any; null if there is no such technician. The technician is locked until the
 * transaction ends: links to one technician, and their deletion, wait for each other.
 */
export async function lockTechnician(
  ctx: MutationContext,
  technician_id: number,
): Promise<{ user_id: string | null } | null> {
  if ((await sql(ctx, LOCK_TECHNICIAN, [technician_id])).length === 0) return null
  // A statement of its own, which sees who was linked while the lock was waited for.
  const user = await db(ctx).tenantUser.findFirst({ where: { technician_profile_id: technician_id } })
  return { user_id: user?.id ?? null }
}
