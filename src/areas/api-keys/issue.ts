/** Making a key: the only moment at which its secret is known. */
import { hashSecret, lastFourOf, newSecret, prefixOf } from '../../access/api-key-secret.ts'
import type { Viewer } from '../../access/viewer.ts'
import { db, tenancyOf } from '../../db/db.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { type ApiKeyRow, readKey } from './api-key.ts'

/** What is decided about a key before it is made. */
type Draft = Pick<
  ApiKeyRow,
  | 'name'
  | 'description'
  | 'scopes'
  | 'acting_user_id'
  | 'allow_acting_user_header'
  | 'allowed_cidrs'
  | 'expires_at'
  | 'rotated_from_key_id'
>

export interface IssuedKey extends ApiKeyRow {
  /** The secret. It is in this answer and nowhere else. */
  key: string
}

/** A new key of the creator; no answer that has its secret is kept. */
export async function issue(
  ctx: MutationContext,
  draft: Draft,
  { id: created_by_user_id, name: created_by_name }: Pick<Viewer, 'id' | 'name'>,
): Promise<IssuedKey> {
  const { tenant_id, environment } = tenancyOf(ctx)
  const id = newId('key')
  const key = newSecret(environment)
  await db(ctx).apiKey.create({
    data: {
      ...draft,
      tenant_id,
      environment,
      id,
      key_hash: Uint8Array.from(hashSecret(ctx.services.key_peppers[0], key)),
      prefix: prefixOf(key),
      last_four: lastFourOf(key),
      created_by_user_id,
      created_by_name,
      created_at: ctx.now,
      updated_at: ctx.now,
    },
  })
  ctx.secret_of = id
  return { ...(await readKey(ctx, id)), key }
}
