/** Tenants and their people, as the operator of the service makes them. */

import type { Role } from '../../access/policies/roles.ts'
import { type DatabaseContext, db, ownTenant, sql, tenancyOf } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { record } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { lockUsers } from './queries.ts'
import { leavesNoOwner } from './rules.ts'

export interface TenantDraft {
  name: string
  data_residency: string
  referral_code: string
}

export interface UserDraft {
  email: string
  name: string
  /** The identity provider's `sub` claim. */
  subject: string
  role: Role
  /** The technician that they are; null: none. */
  technician_profile_id: number | null
}

const INSERT = ownTenant(
  'tenant.insert',
  `insert into tenant (id, name, data_residency, referral_code, created_at)
   values ($1, $2::text, $3::text, $4::text, $5::timestamptz) on conflict (id) do nothing returning id`,
)

/** Makes the tenant; false if it is there already. */
export async function createTenant(ctx: MutationContext, draft: TenantDraft): Promise<boolean> {
  const { name, data_residency, referral_code } = draft
  const inserted = await sql(ctx, INSERT, [name, data_residency, referral_code, ctx.now])
  if (inserted.length === 0) return false
  const targets = [{ type: 'tenant', id: tenancyOf(ctx).tenant_id, name }]
  await record(ctx, { action: 'tenant.created', targets, after: draft })
  return true
}

/** Makes the user and answers with them; null if the tenant has one with this subject. */
export async function createUser(
  ctx: MutationContext,
  draft: UserDraft,
): Promise<(UserDraft & { id: string }) | null> {
  const { tenant_id, environment } = tenancyOf(ctx)
  const user = { ...draft, id: newId('usr') }
  const { count } = await db(ctx).tenantUser.createMany({
    data: { ...user, tenant_id, environment, created_at: ctx.now, updated_at: ctx.now },
    skipDuplicates: true,
  })
  if (count === 0) return null
  const targets = [{ type: 'user', id: user.id, name: user.name }]
  await record(ctx, { action: 'user.created', targets, after: user })
  return user
}

/** Removes the user, whom agents are shared with no longer. Keys that they made may do nothing from then on. */
export async function removeUser(ctx: MutationContext, user_id: string): Promise<void> {
  const { user, users } = await lockUsers(ctx, user_id)
  const { id, name, email, role, technician_profile_id } = user
  if (role === 'OWNER' && leavesNoOwner(users, id, 'VIEWER')) throw new ApiError('last_owner')
  await db(ctx).tenantUser.deleteMany({ where: { id } })
  const targets = [{ type: 'user', id, name }]
  await record(ctx, { action: 'user.removed', targets, before: { email, role, technician_profile_id } })
}

const READ = ownTenant('tenant.own', 'select name from tenant where id = $1')

/** The tenant's name; undefined if there is no such tenant. */
export const tenantName = async (ctx: DatabaseContext): Promise<string | undefined> =>
  (await sql<{ name: string }>(ctx, READ))[0]?.name

const SET_SUSPENDED = ownTenant(
  'tenant.set_suspended',
  `update tenant set suspended_at = $2::timestamptz
   where id = $1 and (suspended_at is null) <> ($2::timestamptz is null) returning name`,
)

/** Suspends or resumes the tenant; false if it is so already. */
export async function setSuspended(ctx: MutationContext, suspended: boolean): Promise<boolean> {
  const [tenant] = await sql<{ name: string }>(ctx, SET_SUSPENDED, [suspended ? ctx.now : null])
  if (!tenant) return false
  const action = suspended ? 'tenant.suspended' : 'tenant.resumed'
  const targets = [{ type: 'tenant', id: tenancyOf(ctx).tenant_id, name: tenant.name }]
  await record(ctx, { action, targets, before: { suspended: !suspended }, after: { suspended } })
  return true
}
