/** Users of the dashboard as viewers, with the role that is stored for them. */
import { type Sql, statement } from '../db/sql.ts'
import { ApiError } from '../errors/errors.ts'
import type { Role } from './policies/roles.ts'
import { ROLE_SCOPES } from './policies/scopes.ts'
import type { Viewer } from './viewer.ts'

type User = Pick<Viewer, 'kind' | 'tenant_id' | 'environment' | 'id'>

export const noSuchUser = () => new ApiError('forbidden', { message: 'The tenant has no such user.' })

/** The viewer that a user is. */
export function viewerOf({ id, ...user }: User, { name, role }: { name: string; role: Role }): Viewer {
  const scopes = ROLE_SCOPES[role]
  return {
    ...user,
    id,
    name,
    scopes,
    own_scopes: scopes,
    person: { id, name, role },
    acting_user: null,
    is_own: true,
    channel: null,
    expires_at: null,
    sunset_at: null,
  }
}

const BY_ID = statement(
  'tenant_user_by_id',
  `select u.name, u.role, t.suspended_at is not null as suspended
   from tenant_user u join tenant t on t.id = u.tenant_id
   where u.tenant_id = $1 and u.environment = $2 and u.id = $3`,
)

/** The user as a viewer, as they are now; throws if the tenant has no such user any more. */
export async function userNow(sql: Sql, user: User): Promise<Viewer> {
  const { tenant_id, environment, id } = user
  const [row] = await sql.rows<{ name: string; role: Role; suspended: boolean }>(BY_ID, [
    tenant_id,
    environment,
    id,
  ])
  if (!row) throw noSuchUser()
  if (row.suspended) throw new ApiError('tenant_suspended')
  return viewerOf(user, row)
}
