/** The place and the transactions of the commands of `npm run tenant`. */
import { randomUUID } from 'node:crypto'
import type { Peppers } from '../../access/credentials/api-key-secret.ts'
import { tenantName } from '../../areas/tenant/provision.ts'
import { databaseTime } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { transact } from '../../gateway/transaction.ts'
import { Stopwatch } from '../../lib/stopwatch.ts'

export interface CommandContext {
  database: Database
  environment: string
  key_peppers: Peppers
}

/** Printed fields of one object or of several. */
export interface Outcome {
  result: Record<string, unknown> | Record<string, unknown>[]
  /** The outcome in words. */
  message: string
}

/** Records a change by the operator in the audit log. */
export async function runRecorded<Result>(
  place: CommandContext,
  tenant_id: string,
  work: (ctx: MutationContext) => Promise<Result>,
  command = 'npm run tenant',
): Promise<Result> {
  const { database, environment, key_peppers } = place
  const ctx: MutationContext = {
    services: { database, key_peppers },
    viewer: { kind: { type: 'SYSTEM' }, id: 'operator', name: 'Operator', tenant_id, environment },
    request: { id: randomUUID(), ip: null, user_agent: command, if_match: null },
    now: await databaseTime(database.sql),
    db_time: new Stopwatch(),
    transaction: null,
    secret_of: null,
    outcome: null,
  }
  return transact(ctx, () => work(ctx))
}

/** The tenant's name. Throws if there is no such tenant. */
export async function requireTenant(ctx: MutationContext, tenant_id: string): Promise<string> {
  const name = await tenantName(ctx)
  if (name === undefined) throw new Error(`There is no tenant ${tenant_id}.`)
  return name
}
