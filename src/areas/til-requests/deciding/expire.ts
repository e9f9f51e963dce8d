/** Expiry: a request that no technician decided in time is closed, and its execution goes on as with a rejection. */
import { randomUUID } from 'node:crypto'
import { scoped, sql, type Tenancy } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Services } from '../../../gateway/context.ts'
import type { Loop } from '../../../jobs/loop.ts'
import { serviceContext } from '../../../jobs/service-context.ts'
import { resumeExecutionOf } from './decide.ts'
import { lockExecutionOf } from './lock.ts'

interface Overdue extends Tenancy {
  id: string
  execution_id: string | null
  expires_at: Date
}

const BATCH = 100

// An index of open requests alone has few entries.
const OVERDUE = statement(
  'til_requests.overdue',
  `select tenant_id, environment, id, execution_id, expires_at from til_request
   where environment = $4 and status = 'PENDING' and expires_at <= $1::timestamptz
     and (expires_at, id) > ($2::timestamptz, $3::text)
   order by expires_at, id limit ${BATCH}`,
)

const EXPIRE = scoped(
  'til_requests.expire',
  `update til_request r set status = 'EXPIRED', closed_at = $4::timestamptz, updated_at = $4::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 and r.status = 'PENDING'
     and r.expires_at <= $4::timestamptz
   returning r.id, r.title, r.initiating_temporal_run_id`,
)

type Expired = Parameters<typeof resumeExecutionOf>[1]['request']

const WRITE_MS = 30_000

/** Closes the request, unless somebody has decided it meanwhile. */
async function expire(
  services: Services,
  now: Date,
  { id, execution_id, tenant_id, environment }: Overdue,
): Promise<void> {
  const tenancy = { tenant_id, environment }
  const ctx = { ...serviceContext(services, 'til-requests.expire', randomUUID(), tenancy), now }
  await inTransaction(ctx, WRITE_MS, async () => {
    const execution = await lockExecutionOf(ctx, execution_id)
    const [request] = await sql<Expired>(ctx, EXPIRE, [id, now])
    if (request) await resumeExecutionOf(ctx, { request, execution }, 'Nobody decided in time.')
  })
}

/** Closes the requests whose time is over: also those behind one that cannot be closed. */
export const expireRequests: Loop = {
  name: 'til-requests.expire',
  interval_ms: 1000,
  async run({ services, now, signal }) {
    const failed: unknown[] = []
    let last: Pick<Overdue, 'expires_at' | 'id'> | undefined = { expires_at: new Date(0), id: '' }
    while (last) {
      const position: unknown[] = [last.expires_at, last.id]
      const overdue: Overdue[] = await services.database.sql.rows<Overdue>(OVERDUE, [
        now,
        ...position,
        services.environment,
      ])
      for (const request of overdue) {
        if (signal.aborted) return
        await expire(services, now, request).catch((error) => failed.push(error))
      }
      last = overdue.length === BATCH ? overdue.at(-1) : undefined
    }
    if (failed.length > 0) throw failed[0]
  },
}
