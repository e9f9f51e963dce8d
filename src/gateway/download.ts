/** Downloads: files behind signed URLs, made while they are sent. */
import { randomUUID } from 'node:crypto'
import { tooManyAtOnce } from '../access/limits/state.ts'
import type { Access } from '../access/policies/policies.ts'
import { scoped, scopedInsert, sql } from '../db/db.ts'
import type { Context } from './context.ts'

export interface Download {
  /** Its name in logs and metrics. */
  name: string
  /** The file there has no envelope; errors have it. */
  path: string
  /** The access that the caller who made the URL needs when it is used, as when it was made. */
  access: Access
  open(ctx: Context, parameters: Record<string, unknown>): OpenDownload
}

interface OpenDownload {
  content_type: string
  file_name: string
  chunks: AsyncIterable<string>
}

/** The downloads of a tenant that are sent at the same time, by all processes. */
const AT_ONCE = 2
/** The time after which a lease of a process that died is free again. */
const LEASE_SECONDS = 60
const RENEW_MS = 15_000
const RETRY_SECONDS = 5

const TAKE = scopedInsert(
  'download_lease.take',
  `insert into download_lease (tenant_id, environment, slot, holder, expires_at)
   values ($1, $2, $3::int, $4::text, now() + $5::int * interval '1 second')
   on conflict (tenant_id, slot) do update
     set environment = excluded.environment, holder = excluded.holder, expires_at = excluded.expires_at
     where download_lease.expires_at <= now()
   returning slot`,
)

const HELD = 'where tenant_id = $1 and environment = $2 and slot = $3::int and holder = $4::text'

const RENEW = scoped(
  'download_lease.renew',
  `update download_lease set expires_at = now() + $5::int * interval '1 second' ${HELD} returning slot`,
)

const RELEASE = scoped('download_lease.release', `delete from download_lease ${HELD}`)

interface Lease {
  /** The same chunks. The lease is renewed between them, and released after the last; an error if it was lost. */
  during(chunks: AsyncIterable<string>): AsyncIterable<string>
  release(): Promise<void>
}

/** Takes one of the tenant's leases; 429 if all of them are taken. */
export async function takeLease(ctx: Context): Promise<Lease> {
  const holder = randomUUID()
  for (let slot = 1; slot <= AT_ONCE; slot++) {
    const taken = await sql(ctx, TAKE, [slot, holder, LEASE_SECONDS])
    if (taken.length > 0) return leaseOf(ctx, slot, holder)
  }
  throw tooManyAtOnce('downloads', AT_ONCE, RETRY_SECONDS)
}

function leaseOf(ctx: Context, slot: number, holder: string): Lease {
  let released = false
  async function release(): Promise<void> {
    if (released) return
    released = true
    await sql(ctx, RELEASE, [slot, holder])
  }
  async function* during(chunks: AsyncIterable<string>): AsyncIterable<string> {
    let renewed = performance.now()
    for await (const chunk of chunks) {
      if (performance.now() - renewed > RENEW_MS) {
        renewed = performance.now()
        const kept = await sql(ctx, RENEW, [slot, holder, LEASE_SECONDS])
        if (kept.length === 0) throw new Error('The lease of a download was taken over')
      }
      yield chunk
    }
    // Before the answer ends: a caller who has read it to its end may ask for the next at once.
    await release()
  }
  return { during, release }
}
