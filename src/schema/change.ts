/**
 * Declared changes. The change of a resource is always the same: lock its row, compare `If-Match`, decide by a pure
 * rule, write the row and its activity in one statement, answer with the row as it is stored.
 *
 * resource: a row that callers change, with a revision and an entity tag.
 * state: where a resource is in its life. A transition leads `from` some states `to` another one.
 */
import type { ApiError } from '../errors.ts'
import { type RecordedWrite, recordedWrite, type Target, writeRecorded } from '../gateway/activity.ts'
import type { Context } from '../gateway/context.ts'
import { checkIfMatch } from '../gateway/entity-tags.ts'
import { changesIn } from '../lib/changes.ts'
import { unchanged } from './mutation.ts'

export interface Revisioned {
  revision: number
  updated_at: Date
}

/** The statement that stores a changed row. It returns nothing where the stored revision is not that of `before`. */
export interface RowWrite<Row> {
  statement: RecordedWrite
  values(before: Row, after: Row): unknown[]
}

export interface Resource<Row extends Revisioned, State extends string = never> {
  /** The type of the activity's target, and the first half of its action: `api_key` in `api_key.revoked`. */
  noun: string
  /** Reads the row and locks it until the transaction ends; 404 where there is none. */
  lock(ctx: Context, id: string): Promise<Row>
  etag(row: Row, ctx: Context): string
  /** The id and the name by which activities name it. */
  named(row: Row): { id: string; name: string }
  write: RowWrite<Row>
  /** The state of the row, and the refusal of a transition that its state blocks. */
  state?: {
    of(row: Row, now: Date): State
    refusal(row: Row, state: State): ApiError
  }
}

export interface Change<Row, State extends string = never> {
  /** The past verb of its activity: `revoked`. */
  verb: string
  /** The states that it is possible in; every state where it is left out. */
  from?: readonly State[]
  /** The state that it leads to. A resource that is there already is left unchanged where `from` names that state too. */
  to?: State
  /** The columns as they shall be, by a pure rule. It throws what speaks against the change. */
  decide(row: Row): Partial<Row>
  /**
   * Conditions and effects on other rows, once it is known that something changes. Without it the write of the row is
   * the mutation's last statement, and COMMIT travels with it.
   */
  meanwhile?(row: Row): Promise<void>
  /** Activity targets besides the resource itself. */
  also?(row: Row): readonly Target[]
}

/** An activity's target. */
export const targetOf = <Named extends { id: string; name: string }>(
  { noun }: { noun: string },
  { id, name }: Named,
): Target => ({ type: noun, id, name })

/** Changes the resource with this id, or a row that the caller has locked already. */
export async function change<Row extends Revisioned, State extends string = never>(
  ctx: Context,
  resource: Resource<Row, State>,
  which: string | Row,
  { verb, from, to, decide, meanwhile, also }: Change<Row, State>,
): Promise<Row> {
  const { noun, lock, etag, state, write } = resource
  const before = typeof which === 'string' ? await lock(ctx, which) : which
  checkIfMatch(ctx, etag(before, ctx))
  if (state && from) {
    const current = state.of(before, ctx.now)
    if (!from.includes(current)) throw state.refusal(before, current)
    if (current === to) return unchanged(ctx, before)
  }
  const changes = changesIn(before, decide(before))
  if (!changes) return unchanged(ctx, before)
  const after = { ...before, ...changes, revision: before.revision + 1, updated_at: ctx.now }
  if (state && to !== undefined && state.of(after, ctx.now) !== to)
    throw new Error(`${noun}.${verb} does not lead to ${to}`)
  await meanwhile?.(before)
  const targets = [targetOf(resource, resource.named(before)), ...(also?.(before) ?? [])]
  const activity = { action: `${noun}.${verb}`, targets, before, after }
  const values = write.values(before, after)
  const options = { last: !meanwhile }
  const [stored] = await writeRecorded<Partial<Row>>(ctx, write.statement, values, activity, options)
  if (!stored) throw new StaleRow(noun)
  return { ...after, ...stored }
}

/** The row is not as it was read, although it was locked: the transaction is tried again. */
class StaleRow extends Error {
  readonly code = '40001'

  constructor(noun: string) {
    super(`The stored ${noun} has another revision than the one that was judged`)
  }
}

/**
 * An update of one row: compare-and-set by its revision. It writes all the columns that any change may touch, so that
 * one prepared statement serves all of them. `key` names the column of the row's id, where the tenancy is not enough.
 */
export function updateOf<Row extends Revisioned>(
  table: string,
  { key, columns }: { key?: keyof Row & string; columns: readonly (keyof Row & string)[] },
): RowWrite<Row> {
  const keys = key ? [key] : []
  const first = 3 + keys.length
  const conditions = [...keys, 'revision'].map((column, index) => ` and ${column} = $${3 + index}`).join('')
  const assignments = ['updated_at', ...columns]
    .map((column, index) => `${column} = $${first + 1 + index}`)
    .join(', ')
  const text = `update ${table} set revision = revision + 1, ${assignments}
    where tenant_id = $1 and environment = $2${conditions} returning ${[...columns, 'revision', 'updated_at'].join(', ')}`
  return {
    statement: recordedWrite(`${table}.change`, text),
    values: (before, after) => [
      ...keys.map((column) => before[column]),
      before.revision,
      after.updated_at,
      ...columns.map((column) => after[column]),
    ],
  }
}
