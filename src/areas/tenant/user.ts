/** The users of the dashboard, as they are stored and as callers see them. */
import { scope } from '../../access/policies/policies.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { rowType } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { loadTechnician } from '../technicians/index.ts'

export type UserRow = Row<'TenantUser'>

export const TenantUser = rowType('TenantUser', {
  fields: (t) => ({
    ...t.columns('id', 'name', 'email', 'role', 'technician_profile_id', 'last_seen_at', 'revision'),
    technician: t.relation('technician_profile', {
      nullable: true,
      graph_only: true,
      access: scope('technicians:read'),
      description: 'The technician that the user is. null: none.',
      ...loadedBy<UserRow>()(['technician_profile_id'], ({ technician_profile_id: id }, ctx, info) =>
        id === null ? null : loadTechnician(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
  }),
})

/** People’s names, addresses and last requests are not changed through this API. */
export const userEtag = ({ revision, name, email, last_seen_at }: UserRow): string =>
  etagOf(revision, [name, email, last_seen_at])
