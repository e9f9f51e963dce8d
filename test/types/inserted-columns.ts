/** What must not compile: an insert that is not given exactly its columns, and one that returns others than are read. */
import { insert, insertOf } from '../../src/db/query/insert.ts'
import { insertRecorded, recordedInsert } from '../../src/gateway/activity.ts'
import type { Context } from '../../src/gateway/context.ts'

declare const ctx: Context

const activity = { action: 'memory.created', targets: [] }

const STORE = insertOf('types.store', 'CreditEntry', { columns: ['id', 'credits'], returning: ['id'] })
const CREATE = recordedInsert('types.create', 'CreditEntry', {
  columns: ['id', 'credits'],
  returning: ['id'],
})

export async function inserts(): Promise<string> {
  // @ts-expect-error: a column is missing.
  await insert(ctx, STORE, { id: 'crd_1' })
  // @ts-expect-error: it is no column of the statement.
  await insert(ctx, STORE, { id: 'crd_1', credits: 1, agent_id: 1 })
  // @ts-expect-error: it has another type.
  await insertRecorded(ctx, CREATE, { id: 'crd_1', credits: '1' }, activity)
  const stored = await insertRecorded(ctx, CREATE, { id: 'crd_1', credits: 1 }, activity)
  // @ts-expect-error: the statement does not return it.
  return stored.id + stored.credits
}

// @ts-expect-error: the model has no such column.
insertOf('types.other', 'CreditEntry', { columns: ['id', 'price'] })
