/** The SQL of the tenant, its users and its permission groups, and how changes reach them. */

import { requireTenantRow } from '../../access/credentials/credential.ts'
import { type DatabaseContext, db, ownTenant, scoped, sql } from '../../db/db.ts'
import { found } from '../../errors/errors.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { searchable } from '../../lib/like-pattern.ts'
import { searchFor } from '../../schema/lists/list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { defineTenantRow } from '../../schema/tables/tenant-row.ts'
import { isConnected, REGISTRY } from '../integrations/index.ts'
import { ENVIRONMENTS, ZONE_OF_TENANT } from '../settings/index.ts'
import { joinTechnician, presentTechnicians } from '../technicians/index.ts'
import { type Group, groupEtag } from './permission-group.ts'
import { GROUP_NAMES, GROUPS, type GroupName } from './permission-group-catalogue.ts'
import { featuresOf } from './rules.ts'
import type { TenantRow } from './tenant.ts'
import { TenantUser, type UserRow, userEtag } from './user.ts'

const TENANT = scoped(
  'tenant.read',
  `select t.id, t.name, $2::text as environment, t.psa_type, t.data_residency, ${ZONE_OF_TENANT} as timezone,
     t.created_at, t.features, ${ENVIRONMENTS} as environments, ${isConnected('any($3::text[])')} as psa_connected
   from tenant t where t.id = $1`,
)

const PSA_NAMES = REGISTRY.filter(({ category }) => category === 'PSA').map(({ name }) => name)

export async function readTenant(ctx: Context): Promise<TenantRow> {
  const tenant = requireTenantRow((await sql<TenantRow>(ctx, TENANT, [PSA_NAMES]))[0])
  return { ...tenant, features: featuresOf(tenant.features, { sends_mails: ctx.services.mail !== null }) }
}

const PSA_TYPE = ownTenant('tenant.psa_type', 'select psa_type from tenant where id = $1')

/** The kind of PSA that the tenant works in; null: none was chosen yet. */
export async function readPsaType(ctx: Context): Promise<string | null> {
  const [tenant] = await sql<{ psa_type: string | null }>(ctx, PSA_TYPE)
  return requireTenantRow(tenant).psa_type
}

const SUSPENDED = ownTenant(
  'tenant.is_suspended',
  'select suspended_at is not null as suspended from tenant where id = $1',
)

/** True while the tenant is suspended: its agents make no further call. */
export async function isSuspended(ctx: DatabaseContext): Promise<boolean> {
  const [tenant] = await sql<{ suspended: boolean }>(ctx, SUSPENDED)
  return requireTenantRow(tenant).suspended
}

export const TENANT_USER = defineTable<UserRow>()('TenantUser', {
  alias: 'u',
  noun: 'user',
  type: TenantUser,
  argument: 'user_id',
  description: 'The id of the user.',
  not_found: 'user_not_found',
  etag: userEtag,
  constant: ['name', 'email', 'subject', 'last_seen_at'],
})

/** The users of the dashboard, the newest first. */
export const TENANT_USERS = TENANT_USER.list({
  name: 'tenant_users',
  filters: {
    role: TENANT_USER.by.is('role', 'Only users with this role.'),
    search: searchFor(
      searchable(`concat_ws(e'\\n', u.name, u.email)`),
      'Only users with this in their name or e-mail address.',
    ),
  },
})

/**
 * The user, or 404, and the OWNERs, locked until the transaction ends: every change of a role waits for the others, so
 * that two OWNERs cannot demote each other.
 */
export async function lockUsers(
  ctx: MutationContext,
  user_id: string,
): Promise<{ user: UserRow; users: UserRow[] }> {
  const owners_too = { text: `(u.role = 'OWNER' or u.id = $user_id::text)` }
  const users = await TENANT_USER.lockAll(ctx, owners_too, { user_id })
  const user = users.find(({ id }) => id === user_id)
  return { user: found(user, 'user_not_found', user_id), users }
}

/** The names of those of these users that there are, by id. */
export async function namesOfUsers(
  ctx: DatabaseContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const where = { id: { in: [...ids] } }
  const users = await db(ctx).tenantUser.findMany({ where, select: { id: true, name: true } })
  return new Map(users.map(({ id, name }) => [id, name]))
}

/** The e-mail address of the user who is the technician; null: nobody is. */
export async function emailOfTechnician(
  ctx: DatabaseContext,
  technician_profile_id: number,
): Promise<string | null> {
  const user = await db(ctx).tenantUser.findFirst({
    where: { technician_profile_id },
    select: { email: true },
  })
  return user?.email ?? null
}

/** True if the user is linked to a technician. */
export const isTechnician = async (ctx: DatabaseContext, id: string): Promise<boolean> =>
  (await db(ctx).tenantUser.count({ where: { id, technician_profile_id: { not: null } } })) > 0

export const PERMISSION_GROUP = defineTenantRow<Group>()('PermissionGroupSetting', {
  noun: 'permission_group',
  title: ({ title }) => title,
  keys: { values: GROUP_NAMES, not_found: 'permission_group_not_found' },
  etag: groupEtag,
  // Contract silent: a group that no user has changed is as old as the tenant.
  defaults: (_tenant, name) => ({ ...GROUPS[name as GroupName], approver_technician_ids: [] }),
})

const DEFAULT_APPROVERS = scoped(
  'tenant.default_approvers',
  `select u.technician_profile_id from tenant_user u
     ${joinTechnician('u')}
   where u.tenant_id = $1 and u.environment = $2 and u.role in ('OWNER', 'ADMIN')
   order by u.technician_profile_id`,
)

/** The technicians who approve by default: those that OWNERs and ADMINs are, and not deleted. */
const defaultApprovers = async (ctx: MutationContext): Promise<number[]> =>
  (await sql<{ technician_profile_id: number }>(ctx, DEFAULT_APPROVERS)).map(
    ({ technician_profile_id }) => technician_profile_id,
  )

/** The technicians who approve: those that were chosen and are not deleted since, or else the default ones. */
export async function approversOf(ctx: MutationContext, chosen: readonly number[]): Promise<number[]> {
  const present = chosen.length > 0 ? await presentTechnicians(ctx, chosen) : []
  return present.length > 0 ? present : await defaultApprovers(ctx)
}
