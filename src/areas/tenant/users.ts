/** The people of the dashboard. */
import { forbidden } from '../../access/authorize.ts'
import { admins, dashboardAdmins } from '../../access/policies.ts'
import { isAtLeast, type Role } from '../../access/roles.ts'
import { callerOf, roleOf } from '../../access/viewer.ts'
import { db, scoped, sql } from '../../db/db.ts'
import { type Condition, shaped } from '../../db/shaped.ts'
import { ApiError, found } from '../../errors.ts'
import { record } from '../../gateway/activity.ts'
import { checkIfMatch, etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { containsPattern } from '../../lib/like-pattern.ts'
import { SEARCH } from '../../schema/bounds.ts'
import { builder } from '../../schema/builder.ts'
import { unchanged } from '../../schema/mutation.ts'
import { page, pageArgs, pageType } from '../../schema/page.ts'
import { Id } from '../../schema/scalars.ts'
import { area } from './area.ts'
import { TenantRole } from './index.ts'
import { leavesNoOwner, roleToGive } from './rules.ts'

interface UserRow {
  id: string
  name: string
  email: string
  role: Role
  technician_profile_id: number | null
  last_seen_at: Date | null
  revision: number
  created_at: Date
  updated_at: Date
}

const TenantUser = builder.objectRef<UserRow>('TenantUser').implement({
  description: 'A person who signs in to the dashboard.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the user.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    email: t.exposeString('email', { description: 'E-mail address.' }),
    role: t.expose('role', { type: TenantRole, description: 'What the user may do from now on.' }),
    technician_profile_id: t.exposeInt('technician_profile_id', {
      nullable: true,
      description: 'The technician this user is, if any.',
    }),
    last_seen_at: t.expose('last_seen_at', {
      type: 'DateTime',
      nullable: true,
      description: 'The user’s latest request, at most a minute late. null: there was none.',
    }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})

const SELECT = `select id, name, email, role::text as role, technician_profile_id, last_seen_at, revision, created_at,
  updated_at from tenant_user where tenant_id = $1 and environment = $2`

const LIST = shaped<UserRow>(
  'tenant_users.list',
  (and) => `${SELECT}${and} order by created_at desc, id desc limit $3`,
)

const withRole = (role: Role): Condition => ({
  name: 'role',
  text: 'role = ?::text::tenant_role',
  values: [role],
})

const told = (search: string): Condition => ({
  name: 'search',
  text: `concat_ws(e'\\n', name, email) ilike ?::text`,
  values: [containsPattern(search)],
})

const older = (key: readonly unknown[]): Condition => ({
  name: 'after',
  text: '(created_at, id) < (?::timestamptz, ?::text)',
  values: key,
})

area.query('tenant_users', (t) =>
  t.field({
    type: pageType<UserRow>('TenantUser', TenantUser),
    description: 'Lists the users of the dashboard, the newest first.',
    rest: { method: 'GET', path: '/tenant/users' },
    access: admins('tenant:read'),
    args: {
      role: t.arg({ type: TenantRole, description: 'Only users with this role.' }),
      search: t.arg.string({
        ...SEARCH,
        description: 'Only users with this in their name or e-mail address.',
      }),
      ...pageArgs,
    },
    resolve: (_root, args, ctx) => {
      const filters = [args.role ? withRole(args.role) : null, args.search ? told(args.search) : null]
      return page(
        ctx,
        'tenant_users',
        args,
        (after, limit) => LIST(ctx, [limit], [...filters, after && older(after)]),
        ({ created_at, id }) => [created_at.toISOString(), id],
      )
    },
  }),
)

const userId = { type: Id, required: true, description: 'The id of the user.' } as const

/** People’s names, addresses and last requests are not changed through this API. */
const userEtag = ({ revision, name, email, technician_profile_id, last_seen_at }: UserRow): string =>
  etagOf(revision, [name, email, technician_profile_id, last_seen_at])

const BY_ID = scoped('tenant_users.by_id', `${SELECT} and id = $3::text`)

area.query('tenant_user', (t) =>
  t.field({
    type: TenantUser,
    description: 'Gets a user of the dashboard.',
    rest: { method: 'GET', path: '/tenant/users/{user_id}' },
    access: admins('tenant:read'),
    errors: ['user_not_found'],
    etag: userEtag,
    args: { user_id: t.arg(userId) },
    resolve: async (_root, { user_id }, ctx) => {
      const [user] = await sql<UserRow>(ctx, BY_ID, [user_id])
      return found(user, 'user_not_found', user_id)
    },
  }),
)

const RoleChange = builder.inputType('RoleChange', {
  description: 'The new role.',
  fields: (t) => ({
    role: t.field({ type: TenantRole, required: true, description: 'What the user may do from now on.' }),
  }),
})

// Every change of a role waits for the others, so that two OWNERs cannot demote each other.
const LOCK = scoped(
  'tenant_users.lock',
  `${SELECT} and (role = 'OWNER' or id = $3::text) order by id for update`,
)

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
    args: { user_id: t.arg(userId), input: t.arg({ type: RoleChange, required: true }) },
    resolve: async (_root, { user_id, input: { role } }, ctx) => {
      const locked = await sql<UserRow>(ctx, LOCK, [user_id])
      const before = found(
        locked.find(({ id }) => id === user_id),
        'user_not_found',
        user_id,
      )
      const needed = roleToGive(role, before)
      if (!isAtLeast(roleOf(callerOf(ctx)) ?? 'VIEWER', needed)) throw forbidden(needed, callerOf(ctx))
      checkIfMatch(ctx, userEtag(before))
      if (role === before.role) return unchanged(ctx, before)
      if (leavesNoOwner(locked, user_id, role)) throw new ApiError('last_owner')
      const after = { ...before, role, revision: before.revision + 1, updated_at: ctx.now }
      const data = { role, revision: { increment: 1 }, updated_at: ctx.now }
      await db(ctx).tenantUser.updateMany({ where: { id: user_id }, data })
      const targets = [{ type: 'user', id: user_id, name: before.name }]
      await record(ctx, { action: 'user.role_changed', targets, before, after })
      return after
    },
  }),
)
