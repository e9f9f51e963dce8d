/** The reader whose sight an endpoint has: its creator or the acting user, as they are now, or its key. */
import { isAtLeast, type Role } from '../../access/policies/roles.ts'
import type { Reader } from '../events/index.ts'

export interface Owned {
  owner_user_id: string | null
  created_by_key_id: string | null
  /** The role of the user now; null: the user was removed, or there is none. */
  owner_role: Role | null
}

/** SQL: the columns of `Owned`, of endpoints `w` whose owners `OWNER` joins. */
export const OWNED = 'w.owner_user_id, w.created_by_key_id, u.role::text as owner_role'

export const OWNER = `left join tenant_user u on u.tenant_id = w.tenant_id and u.environment = w.environment
  and u.id = w.owner_user_id`

/** SQL: the ids of the endpoints that the user owns. */
export const endpointsOf = (user: string): string => `select w.id from webhook_endpoint w
  where w.tenant_id = $1 and w.environment = $2 and w.owner_user_id = ${user}`

/** null: the owner was removed. */
export function ownerOf({ owner_user_id, created_by_key_id, owner_role }: Owned): Reader | null {
  if (owner_user_id === null) return { user: null, person: null, key: created_by_key_id }
  if (owner_role === null) return null
  return {
    user: isAtLeast(owner_role, 'ADMIN') ? null : owner_user_id,
    person: owner_user_id,
    key: created_by_key_id,
  }
}
