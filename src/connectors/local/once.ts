/** Writes to the local systems: each happens once for its key, with everything that it does or not at all. */
import { scoped, sql } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Outcome, type PortContext, PortRefusal, type RefusalReason } from '../port.ts'

const WRITE_MS = 15_000

// A call with the same key waits here until the transaction of the first has ended.
const CLAIM = insertOf('local.claim', 'LocalWrite', {
  columns: ['system', 'idempotency_key', 'made_id', 'written_at'],
  on_conflict: 'do nothing',
  returning: ['made_id'],
})

const MADE = scoped(
  'local.made',
  `select w.made_id from local_write w
   where w.tenant_id = $1 and w.environment = $2 and w.system = $3::text and w.idempotency_key = $4::text`,
)

type System = 'RMM' | 'DOCUMENTATION' | 'IDENTITY_PROVIDER' | 'TEAM_CHAT'

/** The id of what the write of the key made; undefined: no write of the key was made. */
export async function madeBy(ctx: PortContext, system: System, key: string): Promise<string | undefined> {
  const [row] = await sql<{ made_id: string }>(ctx, MADE, [system, key])
  return row?.made_id
}

/** The id of what the write of the key made or changed. `make` is called if none was made yet. */
export async function once(
  ctx: PortContext,
  system: System,
  key: string,
  made_id: string,
  make: (ctx: PortContext) => Promise<unknown>,
): Promise<string> {
  // Other calls of the port go on beside the transaction.
  const own = { ...ctx }
  return await inTransaction(own, WRITE_MS, async () => {
    const row = { system, idempotency_key: key, made_id, written_at: ctx.now }
    const claimed = await insert(own, CLAIM, row)
    if (!claimed) return (await madeBy(own, system, key)) ?? made_id
    await make(own)
    return made_id
  })
}

export const outcomesOf =
  (ctx: PortContext, system: System) =>
  async (key: string): Promise<Outcome> =>
    (await madeBy(ctx, system, key)) === undefined ? 'NOT_MADE' : 'MADE'

/** The first row; refused if there is none. */
export async function need<Row>(rows: Promise<Row[]>, reason: RefusalReason): Promise<Row> {
  const [row] = await rows
  if (row === undefined) throw new PortRefusal(reason)
  return row
}
