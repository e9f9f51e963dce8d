/**
 * Live updates: subscriptions to the changes of a tenant's rows.
 *
 * event: the fact that something changed, as a trigger has written it.
 * update: an event as one subscriber gets it, with an id from which a later subscription goes on.
 */

import type { ObjectFieldBuilder } from '@pothos/core'
import { restrictedUser } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { sql, tenancyOf } from '../../db/db.ts'
import {
  currentPosition,
  type LiveBatch,
  type LiveEvent,
  type LivePosition,
  readLiveEvents,
} from '../../db/live/events.ts'
import { hasSeen, isLater, type Snapshot, snapshotOf } from '../../db/live/snapshot.ts'
import type { Statement } from '../../db/sql.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { Mailbox } from '../../lib/mailbox.ts'
import type { SchemaTypes } from '../builder.ts'
import { Cursor } from '../scalars/scalars.ts'
import { passedBy, updateId } from './live-cursor.ts'

/** An event as a subscriber gets it. */
export interface Update {
  id: string
  at: Date
  entity_id: string
  status: string | null
  /** The event, the same for all of its subscribers. */
  event_id: string
  /** The instant at which the event had been read, of `performance.now()`. */
  read_at: number
}

/** The fields that every update has. */
export const updateFields = <Fields>(t: ObjectFieldBuilder<SchemaTypes, Update>, fields: Fields) => ({
  id: t.exposeString('id', { description: 'The id of the update. Send it as `after` to go on from here.' }),
  at: t.expose('at', { type: 'DateTime', description: 'When it changed.' }),
  ...fields,
})

/**
 * The thing as it is now, with the status to which it had come by the update. An update is read after other changes may
 * have followed: with the status that came last, two updates would tell that one, and none the status in between.
 */
export const atUpdate = <Thing extends { status: string }>({ status }: Update, thing: Thing): Thing =>
  status === null ? thing : ({ ...thing, status } as Thing)

type Filters = Readonly<Record<string, unknown>>

/** The events that a subscription is about, and who gets which. */
export interface LiveSource {
  kind: LiveEvent['kind']
  /** False for events that the arguments leave out. */
  matches(event: LiveEvent, filters: Filters): boolean
  /** Rows `{entity_id, value}`: the ids of the users who see each thing of `$3::text[]`, beside those who see every agent. */
  seen_by: Statement
  /** An argument that chooses by what the event does not tell: rows `{entity_id, value}` of the things of `$3::text[]`. */
  chosen?: { by: Statement; value(filters: Filters): unknown }
  /** The error that ends the subscription if an event is not for the caller; null: the event is passed over. */
  hidden?(filters: Filters): ApiError | null
}

/** The argument by which a subscription goes on after an update. */
export const AFTER = {
  type: Cursor,
  description:
    'The `id` of the last update that the caller got, for 24 hours: what came after it comes first. A header ' +
    'Last-Event-ID takes precedence. Without it nothing from before comes.',
} as const

/** The batches of events that may wait for one subscriber. */
const MAX_WAITING = 1_000

/** True if the batch has waited longer than a subscriber may take. */
const isLate = ({ services }: Context, { read_at }: LiveBatch): boolean =>
  performance.now() - read_at > services.subscriber_lag_ms

type Values = ReadonlyMap<string, ReadonlySet<unknown>>

/** The rows that were read about the events of a batch, for all of its subscribers. */
const valuesOfBatches = new WeakMap<LiveBatch, Map<Statement, Promise<Values>>>()

async function read(ctx: Context, statement: Statement, ids: readonly string[]): Promise<Values> {
  const rows = await sql<{ entity_id: string; value: unknown }>(ctx, statement, [ids])
  const values = new Map<string, Set<unknown>>()
  for (const { entity_id, value } of rows)
    values.set(entity_id, (values.get(entity_id) ?? new Set()).add(value))
  return values
}

function valuesOf(ctx: Context, batch: LiveBatch, kind: LiveEvent['kind'], statement: Statement) {
  const ofBatch = valuesOfBatches.get(batch) ?? new Map<Statement, Promise<Values>>()
  valuesOfBatches.set(batch, ofBatch)
  let values = ofBatch.get(statement)
  if (!values) {
    const ids = new Set(batch.events.flatMap((event) => (event.kind === kind ? [event.entity_id] : [])))
    values = read(ctx, statement, [...ids])
    ofBatch.set(statement, values)
  }
  return values
}

/** The events of the batch that the caller chose and may see. */
async function visible(
  ctx: Context,
  source: LiveSource,
  filters: Filters,
  batch: LiveBatch,
  matching: readonly LiveEvent[],
): Promise<readonly LiveEvent[]> {
  let events = matching
  const choice = source.chosen?.value(filters) ?? null
  if (source.chosen && choice !== null) {
    const values = await valuesOf(ctx, batch, source.kind, source.chosen.by)
    events = events.filter(({ entity_id }) => values.get(entity_id)?.has(choice))
  }
  const user = restrictedUser(callerOf(ctx))
  if (user === null || events.length === 0) return events
  const users = await valuesOf(ctx, batch, source.kind, source.seen_by)
  const seen = events.filter(({ entity_id }) => users.get(entity_id)?.has(user))
  const refusal = seen.length < events.length ? source.hidden?.(filters) : null
  if (refusal) throw refusal
  return seen
}

/** The updates of one subscriber. */
class Updates {
  readonly #ctx: Context
  readonly #operation: string
  readonly #source: LiveSource
  readonly #filters: Filters
  /** The snapshot whose events the subscriber has had. */
  #seen: { text: string; snapshot: Snapshot }

  constructor(ctx: Context, operation: string, source: LiveSource, filters: Filters, seen: string) {
    this.#ctx = ctx
    this.#operation = operation
    this.#source = source
    this.#filters = filters
    this.#seen = { text: seen, snapshot: snapshotOf(seen) }
  }

  /** The events of the batch that match the arguments and are new to the subscriber. */
  matching({ events }: LiveBatch): LiveEvent[] {
    const { kind, matches } = this.#source
    const { snapshot } = this.#seen
    return events.filter(
      (event) =>
        event.kind === kind && matches(event, this.#filters) && !hasSeen(snapshot, event.transaction_id),
    )
  }

  async *of(batch: LiveBatch): AsyncGenerator<Update> {
    const { reading, position } = batch
    const matching = this.matching(batch)
    const events =
      matching.length === 0 ? [] : await visible(this.#ctx, this.#source, this.#filters, batch, matching)
    for (const [n, { transaction_id, id, at, entity_id, status }] of events.entries()) {
      const isLast = n === events.length - 1 && !position.within
      const after: LivePosition = isLast
        ? position
        : { seen: this.#seen.text, within: { reading, last: [transaction_id, id] } }
      const passed = { position: after, at }
      yield {
        id: updateId(this.#ctx, this.#operation, this.#filters, passed),
        at,
        entity_id,
        status,
        event_id: `${transaction_id}.${id}`,
        read_at: batch.read_at,
      }
    }
    if (position.within) return
    const snapshot = snapshotOf(position.seen)
    if (isLater(snapshot, this.#seen.snapshot)) this.#seen = { text: position.seen, snapshot }
  }

  /** The updates after the position, up to what the snapshot `until` has seen. */
  async *since(position: LivePosition, until: string): AsyncGenerator<Update> {
    const { seen } = position.within ? yield* this.#rest(position) : position
    yield* this.#rest({ seen, within: { reading: until, last: [0, 0] } })
    this.#seen = { text: until, snapshot: snapshotOf(until) }
  }

  /** The rest of what one snapshot added. */
  async *#rest(position: LivePosition): AsyncGenerator<Update, LivePosition> {
    let from = position
    do {
      const batch = await readLiveEvents(this.#ctx, from)
      yield* this.of(batch)
      from = batch.position
    } while (from.within)
    return from
  }
}

/**
 * Follows the source for the caller, from the update `after` on, or from now on. The updates end with an error if the
 * subscriber takes them too slowly, and with the reason of the subscription's signal if that is aborted.
 */
export async function follow(
  ctx: Context,
  operation: string,
  source: LiveSource,
  { after, ...filters }: Filters & { after?: string | null | undefined },
): Promise<AsyncGenerator<Update>> {
  const { subscription, services } = ctx
  if (!subscription) throw new Error(`${operation} was called outside a subscription`)
  const { signal, last_event_id } = subscription
  const id = last_event_id ?? after ?? null
  const passed = id === null ? null : passedBy(ctx, operation, filters, id)
  const mailbox = new Mailbox<LiveBatch>()
  let own: Updates | undefined
  const leave = await services.change_feed.follow(tenancyOf(ctx), (batch) => {
    if (own?.matching(batch).length === 0) return
    const oldest = mailbox.oldest ?? batch
    if (mailbox.size < MAX_WAITING && !isLate(ctx, oldest)) mailbox.push(batch)
    else mailbox.fail(new ApiError('subscriber_too_slow'))
  })
  const stop = (): void => {
    leave()
    mailbox.fail(signal.reason)
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const { seen, at, expired } = await currentPosition(ctx, passed?.at)
  if (expired) throw new ApiError('invalid_cursor', { details: { reason: 'EXPIRED' } })
  const updates = new Updates(ctx, operation, source, filters, passed?.position.seen ?? seen)
  own = updates
  subscription.position = id ?? updateId(ctx, operation, filters, { position: { seen }, at })
  async function* all(): AsyncGenerator<Update> {
    if (passed) yield* updates.since(passed.position, seen)
    for (;;) {
      const batch = await mailbox.next()
      if (isLate(ctx, batch)) throw new ApiError('subscriber_too_slow')
      yield* updates.of(batch)
    }
  }
  return all()
}
