/**
 * Declared changes. The change of a resource is always the same: lock its row, compare `If-Match`, decide by a pure
 * rule, write the row and its activity, answer with the row as it is stored. Several rows of one resource change
 * together, with one activity.
 *
 * resource: a row that callers change, with a revision and an entity tag.
 * state: a stage of the life of a resource. A transition leads `from` some states `to` another one.
 */
import type { RaisedEvent } from '../../db/live/raise.ts'
import type { ApiError } from '../../errors/errors.ts'
import type { Activity, Target } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { checkIfMatch } from '../../gateway/entity-tags.ts'
import { changedValues } from '../../lib/changed-values.ts'
import { unchanged } from './mutation.ts'
import type { Replacements, Revisioned, RowsWrite } from './row-update.ts'

export interface Resource<
  Row extends Revisioned,
  Written extends keyof Row & string,
  State extends string = never,
> {
  /** The type of the activity's target, and the first half of its action: `api_key` in `api_key.revoked`. */
  noun: string
  etag(row: Row, ctx: MutationContext): string
  /** The id and the name by which activities name it. */
  named(row: Row): { id: string; name: string }
  /** The row as activities have it: as it is, if it is left out. */
  recorded?(row: Row): object
  write: RowsWrite<Row, Written>
  /** The events that an activity raises, by its past verb and the row; `before` is null for a new row. */
  events?(verb: string, row: Row, before: Row | null): readonly RaisedEvent[]
  /** Refuses a row as it shall be, by the others: a unique value that one of them has. */
  refuseTaken?(ctx: MutationContext, row: Row, changed: Partial<Row>): Promise<void>
  /** Further columns that change, which the `beforeWrite` of the changes stores. */
  written_apart?: readonly Written[]
  /** The columns whose change makes the next `version` of the row, and how that version is stored. */
  versions?: {
    content: readonly (keyof Row & string)[]
    store(ctx: MutationContext, row: Row, restored_from_version?: number | null): Promise<void>
  }
  /** The state of the row, and the refusal of a transition that its state blocks. */
  state?: {
    of(row: Row, now: Date): State
    refusal(row: Row, state: State): ApiError
  }
}

/** Declares a resource, whose changes may touch the columns that its statement writes. */
export const defineResource =
  <Row extends Revisioned, State extends string = never>() =>
  <const Written extends keyof Row & string>(
    resource: Resource<Row, Written, State>,
  ): Resource<Row, Written, State> =>
    resource

/** Values of columns that are written, and of no others. */
type Patch<Row, Written extends keyof Row> = Partial<Row> & {
  [Name in Exclude<keyof Row, Written>]?: never
}

interface Decision<Row, Written extends keyof Row> {
  /** The past verb of its activity: `revoked`. */
  verb: string
  /** The changed columns, by a pure rule. It throws the refusal of a change that is not possible. */
  decide(row: Row): Patch<Row, Written>
}

export interface Change<Row, Written extends keyof Row, State extends string = never>
  extends Decision<Row, Written> {
  /** The states that it is possible in; every state if it is left out. */
  from?: readonly State[]
  /** The state that it leads to. A resource that is there already is left unchanged if `from` names that state too. */
  to?: State
  /** Other locked rows of the resource, which `decide` changes with it. */
  others?: readonly Row[]
  /** The version that the change restores. */
  restores?: number
  /**
   * Conditions and effects on other rows, once it is known that something changes. Without it the write of the row is
   * the mutation's last statement, and COMMIT travels with it.
   */
  beforeWrite?(row: Row): Promise<void>
  /** Further members of the changed row in its activity. */
  also_recorded?(): object
  /** Activity targets besides the resource itself. */
  otherTargets?(row: Row): readonly Target[]
  /** Events besides those of the resource itself. It is called after `beforeWrite`. */
  otherEvents?(): readonly RaisedEvent[]
}

/** The columns that changes of a declared resource may touch. */
export type PatchOf<Declared> =
  Declared extends Resource<infer Row, infer Written, infer _State> ? Patch<Row, Written> : never

/** An activity's target. */
export const targetOf = <Named extends { id: string; name: string }>(
  { noun }: { noun: string },
  { id, name }: Named,
): Target => ({ type: noun, id, name })

/** Changes the resource whose row `locking` reads and locks until the transaction ends. */
export async function change<
  Row extends Revisioned,
  Written extends keyof Row & string,
  State extends string = never,
>(
  ctx: MutationContext,
  resource: Resource<Row, Written, State>,
  locking: Row | Promise<Row>,
  {
    verb,
    from,
    to,
    decide,
    others = [],
    restores,
    beforeWrite,
    also_recorded,
    otherTargets,
    otherEvents,
  }: Change<Row, NoInfer<Written>, State>,
): Promise<Row> {
  const { noun, etag, state } = resource
  const before = await locking
  checkIfMatch(ctx, etag(before, ctx))
  if (state && from) {
    const current = state.of(before, ctx.now)
    if (!from.includes(current)) throw state.refusal(before, current)
    if (current === to) return unchanged(ctx, before)
  }
  const rows = replacementsOf(ctx, resource, [before, ...others], decide)
  if (rows.size === 0) return unchanged(ctx, before)
  const after = rows.get(before) ?? before
  if (state && to !== undefined && state.of(after, ctx.now) !== to)
    throw new Error(`${noun}.${verb} does not lead to ${to}`)
  for (const [row, changed] of rows)
    await resource.refuseTaken?.(ctx, changed, changedValues(row, changed) ?? {})
  await beforeWrite?.(before)
  const next = [...rows].flatMap(([row, changed]) => (versionOf(changed) === versionOf(row) ? [] : [changed]))
  for (const changed of next) await resource.versions?.store(ctx, changed, restores)
  const targets = [
    ...targetsOf(resource, new Set([before, ...rows.keys()])),
    ...(otherTargets?.(before) ?? []),
  ]
  const recorded = resource.recorded ?? ((row: Row) => row)
  const activity = {
    action: `${noun}.${verb}`,
    targets,
    before: recorded(before),
    after: { ...recorded(after), ...also_recorded?.() },
    events: [...eventsOf(resource, verb, rows), ...(otherEvents?.() ?? [])],
  }
  const stored = await store(ctx, resource, rows, activity, { last: !beforeWrite && next.length === 0 })
  return stored.get(before) ?? before
}

/**
 * Changes locked rows of a resource: all of them or none. Those that `decide` leaves as they are get no new revision.
 * `last: false` if the mutation writes more after it.
 */
export async function changeAll<
  Row extends Revisioned,
  Written extends keyof Row & string,
  State extends string = never,
>(
  ctx: MutationContext,
  resource: Resource<Row, Written, State>,
  locked: readonly Row[],
  { verb, decide, last = true }: Decision<Row, NoInfer<Written>> & { last?: boolean },
): Promise<readonly Row[]> {
  const rows = replacementsOf(ctx, resource, locked, decide)
  if (rows.size === 0) return unchanged(ctx, locked)
  const targets = targetsOf(resource, rows.keys())
  const [before, after] = [[...rows.keys()], [...rows.values()]]
  const events = eventsOf(resource, verb, rows)
  const activity = { action: `${resource.noun}.${verb}`, targets, before, after, events }
  const stored = await store(ctx, resource, rows, activity, { last })
  return locked.map((row) => stored.get(row) ?? row)
}

const targetsOf = <Row extends Revisioned>(
  { noun, named }: Pick<Resource<Row, never>, 'noun' | 'named'>,
  rows: Iterable<Row>,
): Target[] => Array.from(rows, (row) => targetOf({ noun }, named(row)))

const eventsOf = <Row extends Revisioned>(
  { events }: Pick<Resource<Row, never>, 'events'>,
  verb: string,
  rows: Replacements<Row>,
): RaisedEvent[] => [...rows].flatMap(([before, row]) => events?.(verb, row, before) ?? [])

const versionOf = (row: object): unknown => ('version' in row ? row.version : undefined)

/** The rows that `decide` changes: with the next version if it changes their content. */
function replacementsOf<Row extends Revisioned>(
  { now }: MutationContext,
  { versions }: Pick<Resource<Row, never>, 'versions'>,
  locked: readonly Row[],
  decide: (row: Row) => Partial<Row>,
): Replacements<Row> {
  const rows = new Map<Row, Row>()
  for (const row of locked) {
    const changes = changedValues(row, decide(row))
    if (!changes) continue
    const is_next = versions?.content.some((column) => column in changes)
    const version = is_next && { version: Number(versionOf(row)) + 1 }
    rows.set(row, { ...row, ...changes, ...version, revision: row.revision + 1, updated_at: now })
  }
  return rows
}

/** Stores the rows and their activity. The rows as they are stored, by the locked ones. */
async function store<Row extends Revisioned>(
  ctx: MutationContext,
  { noun, write }: Pick<Resource<Row, keyof Row & string>, 'noun' | 'write'>,
  rows: Replacements<Row>,
  activity: Activity,
  { last }: { last: boolean },
): Promise<Replacements<Row>> {
  // Of several rows one could be stale: COMMIT waits until that is known.
  const written: readonly Partial<Row>[] = await write.store(ctx, rows, activity, {
    last: last && rows.size === 1,
  })
  if (written.length !== rows.size) throw new StaleRow(noun)
  const idOf = (row: Partial<Row>) => JSON.stringify(write.key.map((column) => row[column]))
  const stored = new Map(written.map((row) => [idOf(row), row]))
  return new Map([...rows].map(([row, after]) => [row, { ...after, ...stored.get(idOf(row)) }]))
}

/** A row is not as it was read, although it was locked: the transaction is tried again. */
export class StaleRow extends Error {
  readonly code = '40001'

  constructor(noun: string) {
    super(`The stored ${noun} has another revision than the one that was read`)
  }
}
