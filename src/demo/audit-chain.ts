/** The chain of the demo’s audit log, closed over all of its tool calls. */
import { closeNext } from '../areas/audit-log/close.ts'
import { convertRow } from '../db/column-types.ts'
import type { Sql, Statement } from '../db/sql.ts'
import type { Seeding } from './seeding.ts'

const BATCH = 2000

export async function seedAuditChain({ tx, tenancy, now }: Seeding): Promise<void> {
  const sql: Sql = {
    rows: async <Row>({ text }: Statement, values: readonly unknown[]) =>
      (await tx.$queryRawUnsafe<Row[]>(text, ...values)).map((row) => convertRow(row) as Row),
  }
  while ((await closeNext(sql, tenancy, now, BATCH)) === BATCH);
}
