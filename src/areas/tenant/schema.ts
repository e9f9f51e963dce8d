import { forbidden } from '../../access/policies/authorize.ts'
import { admins, anyCaller, dashboardAdmins } from '../../access/policies/policies.ts'
import { isAtLeast } from '../../access/policies/roles.ts'
import { callerOf, roleOf } from '../../access/viewer.ts'
import { ApiError, invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { TenantSettings } from '../settings/index.ts'
import { technicianIds } from '../technicians/index.ts'
import { area } from './area.ts'
import './link-technician.ts'
import { addField, madeOf } from '../../schema/row-type.ts'
import { TenantRole } from './enums.ts'
import { Me } from './me.ts'
import { groupName, PermissionGroup } from './permission-group.ts'
import { lockUsers, PERMISSION_GROUP, readTenant, TENANT_USER, TENANT_USERS } from './queries.ts'
import { approvalProblems, approverProblems, leavesNoOwner, roleToGive } from './rules.ts'
import { Tenant } from './tenant.ts'
import { TenantUser, userEtag } from './user.ts'

area.query('tenant', (t) =>
  t.field({
    type: Tenant,
    description: 'Gets the caller’s tenant.',
    rest: { method: 'GET', path: '/tenant' },
    access: anyCaller,
    resolve: (_root, _args, ctx) => readTenant(ctx),
  }),
)

addField(TenantSettings, 'tenant', (t) =>
  t.field({
    type: Tenant,
    graph_only: true,
    description: 'The tenant, whose time zone is that of its settings.',
    ...madeOf()([], (_settings, _args, ctx) => readTenant(ctx)),
  }),
)

area.query('me', (t) =>
  t.field({
    type: Me,
    description: 'Tells who calls, what they may do, and how much of their limits is left.',
    rest: { method: 'GET', path: '/tenant/me' },
    access: anyCaller,
    resolve: (_root, _args, ctx) => callerOf(ctx),
  }),
)

const users = onTable(area, TENANT_USER)

users.list('tenant_users', TENANT_USERS, {
  description: 'Lists the users of the dashboard, the newest first.',
  rest: { method: 'GET', path: '/tenant/users' },
  access: admins('tenant:read'),
})

users.read('tenant_user', {
  description: 'Gets a user of the dashboard.',
  rest: { method: 'GET', path: '/tenant/users/{user_id}' },
  access: admins('tenant:read'),
})

const RoleChange = builder.inputType('RoleChange', {
  description: 'The new role.',
  fields: (t) => ({
    role: t.field({ type: TenantRole, required: true, description: 'The role of the user from now on.' }),
  }),
})

area.mutation('set_user_role', (t) =>
  t.field({
    type: TenantUser,
    description:
      'Gives the user a role, which counts from their next request on, for their keys too. Only an OWNER gives or ' +
      'takes the role OWNER, and the last OWNER keeps it.',
    rest: { method: 'PUT', path: '/tenant/users/{user_id}/role' },
    access: dashboardAdmins,
    errors: ['user_not_found', 'last_owner', 'version_conflict'],
    etag: userEtag,
    args: { user_id: t.arg(TENANT_USER.key), input: t.arg({ type: RoleChange, required: true }) },
    resolve: async (_root, { user_id, input: { role } }, ctx) => {
      const { user, users } = await lockUsers(ctx, user_id)
      const needed = roleToGive(role, user)
      if (!isAtLeast(roleOf(callerOf(ctx)) ?? 'VIEWER', needed)) throw forbidden(needed, callerOf(ctx))
      return await change(ctx, TENANT_USER, user, {
        verb: 'role_changed',
        decide: () => {
          if (leavesNoOwner(users, user_id, role)) throw new ApiError('last_owner')
          return { role }
        },
      })
    },
  }),
)

area.query('permission_groups', (t) =>
  t.field({
    type: [PermissionGroup],
    max_items: 50,
    description: 'Lists every permission group, by name.',
    rest: { method: 'GET', path: '/permission-groups' },
    access: anyCaller,
    resolve: (_root, _args, ctx) => PERMISSION_GROUP.readAll(ctx),
  }),
)

area.query('permission_group', (t) =>
  t.field({
    type: PermissionGroup,
    description: 'Gets a permission group.',
    rest: { method: 'GET', path: '/permission-groups/{name}' },
    access: anyCaller,
    errors: ['permission_group_not_found'],
    etag: PERMISSION_GROUP.etag,
    args: { name: t.arg(groupName) },
    resolve: (_root, { name }, ctx) => PERMISSION_GROUP.read(ctx, name),
  }),
)

const PermissionGroupPatch = builder.inputType('PermissionGroupPatch', {
  description: 'The changes. A field that is left out keeps its value.',
  fields: (t) => ({
    requires_approval: t.boolean({
      description:
        'true: a technician approves each change. It is false only if `can_disable_approval` is true.',
    }),
    approver_technician_ids: t.intList({
      description:
        'The technicians who may approve; one that is there twice counts once. Empty: those that ' +
        'OWNERs and ADMINs are.',
    }),
  }),
})

area.mutation('update_permission_group', (t) =>
  t.field({
    type: PermissionGroup,
    description: 'Changes the fields that are given, and returns the group.',
    rest: { method: 'PUT', path: '/permission-groups/{name}' },
    access: admins('tenant:write'),
    errors: ['permission_group_not_found', 'version_conflict'],
    etag: PERMISSION_GROUP.etag,
    args: {
      name: t.arg(groupName),
      input: t.arg({ type: PermissionGroupPatch, required: true }),
    },
    resolve: async (_root, { name, input }, ctx) => {
      const approvers = input.approver_technician_ids
      const technicians = approvers ? await technicianIds(ctx, approvers) : new Set<number>()
      return await change(ctx, PERMISSION_GROUP, PERMISSION_GROUP.lock(ctx, name), {
        verb: 'updated',
        decide: (group) => {
          const requires_approval = input.requires_approval ?? group.requires_approval
          const problems = [
            ...approvalProblems(group, requires_approval),
            ...approverProblems(approvers ?? [], technicians),
          ]
          if (problems.length > 0) throw invalid(problems)
          return { requires_approval, ...(approvers && { approver_technician_ids: [...new Set(approvers)] }) }
        },
      })
    },
  }),
)
