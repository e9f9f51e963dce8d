/** What agents may do unasked, by group of tools. */
import { ofTenant } from '../../access/credential.ts'
import { admins, anyCaller } from '../../access/policies.ts'
import { db, scoped, sql, tenancyOf } from '../../db/db.ts'
import { lockTenant } from '../../db/transaction.ts'
import { found, invalid } from '../../errors.ts'
import { record } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { checkIfMatch, etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { changesIn } from '../../lib/changes.ts'
import { builder, described } from '../../schema/builder.ts'
import { unchanged } from '../../schema/mutation.ts'
import { Id } from '../../schema/scalars.ts'
import { area } from './area.ts'
import { GROUP_TITLES } from './catalogue.ts'
import { approvalProblems, approverProblems, type Group, type GroupSetting, groupsWith } from './rules.ts'

const PermissionGroupName = builder.enumType('PermissionGroupName', {
  description: 'A group of tools that agents work with.',
  values: described(GROUP_TITLES),
})

const PermissionGroup = builder.objectRef<Group>('PermissionGroup').implement({
  description: 'Tools of one field of work, and whether a technician must approve what agents do with them.',
  fields: (t) => ({
    name: t.expose('name', { type: PermissionGroupName, description: 'The name, as paths have it.' }),
    title: t.exposeString('title', { description: 'The name, as people read it.' }),
    tools: t.stringList({
      description: 'The tools that the group gives.',
      resolve: ({ tools }) => [...tools],
    }),
    requires_approval: t.exposeBoolean('requires_approval', {
      description: 'Whether a technician approves each change that is made with these tools.',
    }),
    can_disable_approval: t.exposeBoolean('can_disable_approval', {
      description: 'Whether the tenant may switch approval off.',
    }),
    approver_technician_ids: t.exposeIntList('approver_technician_ids', {
      description: 'The technicians who may approve. Empty: every technician.',
    }),
    updated_at: t.expose('updated_at', {
      type: 'DateTime',
      description: 'When the tenant last changed it; when the tenant was created, if it never did.',
    }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})

interface StoredRow extends GroupSetting {
  name: string | null
  tenant_created_at: Date
}

const READ = scoped(
  'permission_groups.read',
  `select t.created_at as tenant_created_at, g.name, g.requires_approval, g.approver_technician_ids,
     g.revision, g.updated_at
   from tenant t left join permission_group_setting g on g.tenant_id = $1 and g.environment = $2
   where t.id = $1`,
)

async function readGroups(ctx: Context): Promise<Group[]> {
  const rows = await sql<StoredRow>(ctx, READ)
  const { tenant_created_at } = ofTenant(rows[0])
  const settings = rows.flatMap(({ name, ...setting }) => (name === null ? [] : [{ ...setting, name }]))
  return groupsWith(settings, tenant_created_at)
}

area.query('permission_groups', (t) =>
  t.field({
    type: [PermissionGroup],
    description: 'Lists every permission group, by name.',
    rest: { method: 'GET', path: '/permission-groups' },
    access: anyCaller,
    resolve: (_root, _args, ctx) => readGroups(ctx),
  }),
)

const groupName = { type: Id, required: true, description: 'The name of the group: `TICKETS`.' } as const

area.query('permission_group', (t) =>
  t.field({
    type: PermissionGroup,
    description: 'Gets a permission group.',
    rest: { method: 'GET', path: '/permission-groups/{name}' },
    access: anyCaller,
    errors: ['permission_group_not_found'],
    etag: groupEtag,
    args: { name: t.arg(groupName) },
    resolve: (_root, { name }, ctx) => groupNamed(ctx, name),
  }),
)

const PermissionGroupPatch = builder.inputType('PermissionGroupPatch', {
  description: 'What to change. A field that is left out keeps its value.',
  fields: (t) => ({
    requires_approval: t.boolean({
      description:
        'Whether a technician approves each change; false only where `can_disable_approval` is true.',
    }),
    approver_technician_ids: t.intList({
      description: 'The technicians who may approve; one that is there twice counts once. Empty: every one.',
    }),
  }),
})

/** The catalogue, which a group has its defaults from, changes with releases of the service. */
const groupEtag = ({ revision, title, tools, can_disable_approval, requires_approval }: Group): string =>
  etagOf(revision, [title, tools, can_disable_approval, requires_approval])

const groupNamed = async (ctx: Context, name: string): Promise<Group> =>
  found(
    (await readGroups(ctx)).find((group) => group.name === name),
    'permission_group_not_found',
    name,
  )

async function technicians(ctx: Context, ids: readonly number[]): Promise<Set<number>> {
  const where = { id: { in: [...ids] } }
  const known = await db(ctx).technicianProfile.findMany({ where, select: { id: true } })
  return new Set(known.map(({ id }) => id))
}

/** Stores what the tenant decided; until it first does there is no row. */
async function store(
  ctx: Context,
  { name, requires_approval, approver_technician_ids }: Group,
): Promise<void> {
  const data = { requires_approval, approver_technician_ids, updated_at: ctx.now }
  const raised = { ...data, revision: { increment: 1 } }
  const { count } = await db(ctx).permissionGroupSetting.updateMany({ where: { name }, data: raised })
  if (count > 0) return
  const { tenant_id, environment } = tenancyOf(ctx)
  await db(ctx).permissionGroupSetting.create({ data: { tenant_id, environment, name, ...data } })
}

area.mutation('update_permission_group', (t) =>
  t.field({
    type: PermissionGroup,
    description: 'Changes the fields that are given, and returns the group.',
    rest: { method: 'PUT', path: '/permission-groups/{name}' },
    access: admins('tenant:write'),
    errors: ['permission_group_not_found', 'version_conflict'],
    etag: groupEtag,
    args: {
      name: t.arg(groupName),
      input: t.arg({ type: PermissionGroupPatch, required: true }),
    },
    resolve: async (_root, { name, input }, ctx) => {
      await lockTenant(ctx, `${tenancyOf(ctx).environment} permission_groups`)
      const before = await groupNamed(ctx, name)
      checkIfMatch(ctx, groupEtag(before))
      const requires_approval = input.requires_approval ?? before.requires_approval
      const approvers = input.approver_technician_ids
      const problems = [
        ...approvalProblems(before, requires_approval),
        ...(approvers ? approverProblems(approvers, await technicians(ctx, approvers)) : []),
      ]
      if (problems.length > 0) throw invalid(problems)
      const approver_technician_ids = approvers ? [...new Set(approvers)] : before.approver_technician_ids
      const changes = changesIn(before, { requires_approval, approver_technician_ids })
      if (!changes) return unchanged(ctx, before)
      await store(ctx, { ...before, ...changes })
      const after = await groupNamed(ctx, name)
      const targets = [{ type: 'permission_group', id: name, name: before.title }]
      await record(ctx, { action: 'permission_group.updated', targets, before, after })
      return after
    },
  }),
)
