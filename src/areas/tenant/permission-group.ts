/** The permission groups, as the tenant has them and as callers see them. */
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder, described } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { entityId } from '../../schema/scalars/entity-id.ts'
import { GROUP_TITLES, type GroupDefinition, type GroupName } from './permission-group-catalogue.ts'

/** A group as the tenant has it: its own settings, else those of the catalogue. */
export interface Group
  extends GroupDefinition,
    Omit<Row<'PermissionGroupSetting'>, 'tenant_id' | 'environment'> {
  name: GroupName
}

export const PermissionGroupName = builder.enumType('PermissionGroupName', {
  description: 'A group of tools that agents work with.',
  values: described(GROUP_TITLES),
})

export const PermissionGroup = builder.objectRef<Group>('PermissionGroup').implement({
  description: 'Tools of one field of work, and whether a technician must approve what agents do with them.',
  fields: (t) => ({
    id: t.id(entityId(({ name }) => name)),
    name: t.expose('name', { type: PermissionGroupName, description: 'The name, as paths have it.' }),
    title: t.exposeString('title', { description: 'The name, as people read it.' }),
    tools: t.stringList({
      description: 'The tools that the group gives.',
      resolve: ({ tools }) => [...tools],
    }),
    requires_approval: t.exposeBoolean('requires_approval', {
      description: 'True if a technician approves each change that is made with these tools.',
    }),
    can_disable_approval: t.exposeBoolean('can_disable_approval', {
      description: 'True if the tenant may switch approval off.',
    }),
    approver_technician_ids: t.exposeIntList('approver_technician_ids', {
      description: 'The technicians who may approve. Empty: those that OWNERs and ADMINs are.',
    }),
    updated_at: t.expose('updated_at', {
      type: 'DateTime',
      description: 'When the tenant last changed it; when the tenant was created, if it never did.',
    }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})

export const groupName = {
  type: 'ID',
  required: true,
  description: 'The name of the group: `TICKETS`.',
} as const

/** The catalogue, which a group has its defaults from, changes with releases of the service. */
export const groupEtag = ({
  revision,
  title,
  tools,
  can_disable_approval,
  requires_approval,
}: Group): string => etagOf(revision, [title, tools, can_disable_approval, requires_approval])
