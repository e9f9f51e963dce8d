/** Changes by the operator of the service, recorded in the activity log of the tenant. */
import { randomUUID } from 'node:crypto'
import type { Peppers } from '../access/api-key-secret.ts'
import type { Database } from '../db/database.ts'
import type { MutationContext } from '../gateway/context.ts'
import { transact } from '../gateway/transaction.ts'
import { Stopwatch } from '../lib/stopwatch.ts'

export interface OperatorPlace {
  database: Database
  environment: string
  key_peppers: Peppers
}

/** Does the work in one transaction, as the operator who called the command. */
export function asOperator<Result>(
  { database, environment, key_peppers }: OperatorPlace,
  command: string,
  tenant_id: string,
  work: (ctx: MutationContext) => Promise<Result>,
): Promise<Result> {
  const ctx: MutationContext = {
    services: { database, key_peppers },
    viewer: { kind: { type: 'SYSTEM' }, id: 'operator', name: 'Operator', tenant_id, environment },
    request: { id: randomUUID(), ip: null, user_agent: command },
    now: new Date(),
    db_time: new Stopwatch(),
    transaction: null,
    secret_of: null,
    outcome: null,
  }
  return transact(ctx, () => work(ctx))
}
