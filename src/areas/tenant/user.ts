/** The users of the dashboard, as they are stored and as callers see them. */
import type { Role } from '../../access/roles.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { Id } from '../../schema/scalars.ts'
import { TenantRole } from './index.ts'

export interface UserRow {
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

export const TenantUser = builder.objectRef<UserRow>('TenantUser').implement({
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

export const userId = { type: Id, required: true, description: 'The id of the user.' } as const

/** People’s names, addresses and last requests are not changed through this API. */
export const userEtag = ({ revision, name, email, technician_profile_id, last_seen_at }: UserRow): string =>
  etagOf(revision, [name, email, technician_profile_id, last_seen_at])
