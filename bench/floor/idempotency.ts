/** `Idempotency-Key`: the answer that is kept with the effect it tells of. */
import type pg from 'pg'
import { type Call, Refusal } from './call.ts'
import { rows } from './database.ts'

/** What makes two requests the same. */
export interface Kept {
  operation: string
  key: string
  fingerprint: string
}

// The lock and the look are one round trip. Who gets the lock between the commit of another request and this
// statement's snapshot fails on the primary key instead of repeating the effect.
const FIND = {
  name: 'kept_answer',
  text: `with lock as materialized (select pg_try_advisory_xact_lock(hashtextextended($6, 0)) as locked)
         select lock.locked, kept.fingerprint, kept.body, kept.etag
         from lock left join idempotency_record kept on kept.tenant_id = $1 and kept.environment = $2
           and kept.credential_id = $3 and kept.acting_user_id = $4 and kept.operation = $5 and kept.key = $7
           and kept.created_at > now() - interval '24 hours'`,
}

interface Found {
  locked: boolean
  fingerprint: string | null
  body: string
  etag: string
}

/** The answer to an earlier request with the same key; null: there was none, and no other begins before this ends. */
export async function findKept(call: Call, request: Kept, client: pg.PoolClient): Promise<Found | null> {
  const { tenant_id, environment, id, acting_user } = call.caller
  const { operation, key, fingerprint } = request
  const owner = [tenant_id, environment, id, acting_user?.id ?? '', operation]
  const [found] = await rows<Found>(call, FIND, [...owner, JSON.stringify([owner, key]), key], client)
  if (!found?.locked) throw new Refusal(409, 'idempotency_in_progress')
  if (found.fingerprint === null) return null
  if (found.fingerprint !== fingerprint) throw new Refusal(422, 'idempotency_key_reused')
  return found
}

/** Keeps an answer of `credential` at an instant; its other values begin at the parameter `first`. */
export const keptColumns = (credential: string, at: string, first: number): string => {
  const own = Array.from({ length: 7 }, (_, index) => `$${first + index}`)
  const [acting_user_id, operation, key, fingerprint, body, etag, request_id] = own
  return `insert into idempotency_record (tenant_id, environment, credential_id, acting_user_id, operation, key,
      fingerprint, status, body, etag, request_id, created_at)
    values ($1, $2, ${credential}, ${acting_user_id}, ${operation}, ${key}, ${fingerprint}, 200, ${body}, ${etag},
      ${request_id}, ${at})`
}
