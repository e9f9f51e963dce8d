/** Callers of earlier, as they are now. */
import type { Sql } from '../../db/sql.ts'
import { userNow } from '../users.ts'
import type { Viewer } from '../viewer.ts'
import { apiKey } from './api-key.ts'
import { keyNow } from './api-key-credential.ts'
import { dashboardUser } from './dashboard-user.ts'

export interface FormerViewer {
  tenant_id: string
  environment: string
  /** The API key that called; null: a user did. */
  key_id: string | null
  /** The user who called, or for whom the key acted; null: it acted for no user. */
  user_id: string | null
}

/** The viewer of an earlier call as they are now; throws if they may call nothing any more. */
export async function viewerNow(
  sql: Sql,
  { tenant_id, environment, key_id, user_id }: FormerViewer,
  now: Date,
): Promise<Viewer> {
  if (key_id === null)
    return await userNow(sql, { kind: dashboardUser, tenant_id, environment, id: user_id ?? '' })
  return await keyNow(sql, { kind: apiKey, tenant_id, environment, id: key_id }, user_id, now)
}
