/** The activity log: the changes that people and keys made. An activity is stored with its change or not at all. */
import { actingUserIdOf } from '../access/viewer.ts'
import { scoped, scopedInsert, sql, sqlAndCommit } from '../db/db.ts'
import { type RaisedEvent, raisedBy } from '../db/live/raise.ts'
import {
  type Given,
  type Insert,
  type InsertOptions,
  type Returned,
  type Returning,
  rowInsert,
} from '../db/query/insert.ts'
import type { Column, ModelName } from '../db/query/models.ts'
import type { Statement } from '../db/sql.ts'
import { newId } from '../lib/ids.ts'
import type { MutationContext } from './context.ts'
import { activitySnapshot } from './redact.ts'

/** A thing that was changed. A type alias, since TypeScript takes no interface for JSON. */
export type Target = {
  type: string
  id: string
  name: string
}

export interface Activity {
  /** The area's noun and a past verb: `settings.updated`. */
  action: string
  targets: readonly Target[]
  before?: unknown
  after?: unknown
  /** The events that are raised with it. */
  events?: readonly RaisedEvent[]
}

const COLUMNS = 'id, occurred_at, action, actor_type, actor_id, actor_name, targets, context, before, after'
const TYPES = ['text', 'timestamptz', 'text', 'text', 'text', 'text', 'jsonb', 'jsonb', 'jsonb', 'jsonb']

/** The parameters of an activity row, of which the first is `$first`. */
const parameters = (first: number): string[] => TYPES.map((type, index) => `$${first + index}::${type}`)

/** Rows without their tenancy, which is that of the activity. */
function withoutTenancy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTenancy)
  if (typeof value !== 'object' || value === null) return value
  const { tenant_id: _tenant_id, environment: _environment, ...row } = value as Record<string, unknown>
  return row
}

const jsonOf = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(activitySnapshot(withoutTenancy(value)))

function valuesOf(ctx: MutationContext, { action, targets, before, after }: Activity): unknown[] {
  const { viewer, request } = ctx
  if (!viewer) throw new Error('A change without a caller')
  const { ip, user_agent, id: request_id } = request
  const context = {
    ip,
    user_agent,
    request_id,
    channel: viewer.channel ?? null,
    acting_user_id: actingUserIdOf(viewer),
    acting_user_name: viewer.acting_user?.name ?? null,
    til_request_id: ctx.asked?.til_request_id ?? null,
    asked_by_name: ctx.asked?.by_name ?? null,
  }
  return [
    newId('act'),
    ctx.now,
    action,
    viewer.kind.type,
    viewer.id,
    viewer.name,
    JSON.stringify(targets),
    JSON.stringify(context),
    jsonOf(before),
    jsonOf(after),
  ]
}

/** A statement that stores an activity, and the same one for an activity with events, which are its last value. */
interface Recording {
  statement: Statement
  raising: Statement
}

const PLAIN = scopedInsert(
  'activity.record',
  `insert into activity_entry (tenant_id, environment, ${COLUMNS}) values ($1, $2, ${parameters(3).join(', ')})`,
)

const RECORD: Recording = {
  statement: PLAIN,
  raising: {
    ...scopedInsert('activity.record_raising', PLAIN.text),
    text: `with recorded as (${PLAIN.text}) ${raisedBy(`$${3 + TYPES.length}`)}`,
  },
}

/** The statement for the activity, and its values after those of the write. */
function recordingOf(
  ctx: MutationContext,
  { statement, raising }: Recording,
  activity: Activity,
): [Statement, unknown[]] {
  const values = valuesOf(ctx, activity)
  const { events = [] } = activity
  return events.length === 0 ? [statement, values] : [raising, [...values, JSON.stringify(events)]]
}

/** Stores an activity in the transaction of its change. `last`: the mutation writes nothing more. */
export async function record(ctx: MutationContext, activity: Activity, { last = false } = {}): Promise<void> {
  const send = last ? sqlAndCommit : sql
  const [statement, values] = recordingOf(ctx, RECORD, activity)
  await send(ctx, statement, values)
  ctx.outcome = 'RECORDED'
}

/** A write that stores its activity in the same statement, and its events. */
export type RecordedWrite = Recording

interface WriteOptions {
  /** An insert that goes with the write, of what it makes of the rows that are `written`. */
  also?: string
  /** The write makes the id of its one row, an agent, which the first target and the events then have. */
  makes_id?: true
}

const TARGETS = COLUMNS.split(', ').indexOf('targets')

/** `text` is a write of tenant-owned rows that returns them, with the tenant as `$1` and the environment as `$2`. */
export function recordedWrite(
  name: string,
  text: string,
  { also, makes_id }: WriteOptions = {},
): RecordedWrite {
  const numbers = [...`${text} ${also}`.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  const first = Math.max(2, ...numbers) + 1
  const columns = parameters(first)
  const [from, targets] = makes_id
    ? ['from written', `jsonb_set(${columns[TARGETS]}, '{0,id}', to_jsonb(written.id::text))`]
    : ['where exists (select from written)', columns[TARGETS]]
  const of_written = makes_id
    ? {
        from: ' cross join written',
        entity_id: 'written.id::text',
        agent_id: 'written.id',
        data: `jsonb_set(e.data, '{agent_id}', to_jsonb(written.id))`,
      }
    : { only_if: 'exists (select from written)' }
  const raised = raisedBy(`$${first + TYPES.length}`, of_written)
  const whole = (
    more = '',
  ) => `with written as (${text})${also ? `, accompanied as (${also})` : ''}, recorded as (
    insert into activity_entry (tenant_id, environment, ${COLUMNS})
    select $1, $2, ${columns.with(TARGETS, targets as string).join(', ')} ${from})${more}
  select * from written`
  const scope = text.startsWith('insert') ? scopedInsert : scoped
  const named = (name: string, more?: string): Statement => ({ ...scope(name, text), text: whole(more) })
  return { statement: named(name), raising: named(`${name}_raising`, `, raised as (${raised})`) }
}

/** The rows that were written. If there are none, no activity is stored. `last`: the mutation writes nothing more. */
export async function writeRecorded<Row>(
  ctx: MutationContext,
  write: RecordedWrite,
  values: readonly unknown[],
  activity: Activity,
  { last = false } = {},
): Promise<Row[]> {
  const send = last ? sqlAndCommit : sql
  const [statement, recorded] = recordingOf(ctx, write, activity)
  const rows = await send<Row>(ctx, statement, [...values, ...recorded])
  if (rows.length > 0) ctx.outcome = 'RECORDED'
  return rows
}

/** The insert of a row, with its activity in the same statement. `$name` in `also` is the given value of that name. */
export function recordedInsert<
  Model extends ModelName,
  const Written extends Column<Model>,
  const Parameter extends string = never,
  const Chosen extends Returning<Model> = readonly [],
>(
  name: string,
  model: Model,
  { also, makes_id, ...options }: InsertOptions<Model, Written, Parameter, Chosen> & WriteOptions,
): Insert<Given<Model, Written, Parameter>, Returned<Model, Chosen>> & RecordedWrite {
  const { text, values, numbered } = rowInsert(model, options)
  const more = { ...(also && { also: numbered(also) }), ...(makes_id && { makes_id }) }
  return { ...recordedWrite(name, text, more), values }
}

/** Resolves to the row that the insert returns. `last`: the mutation writes nothing more. */
export async function insertRecorded<Values, Stored>(
  ctx: MutationContext,
  { statement, raising, values }: Insert<Values, Stored> & RecordedWrite,
  given: NoInfer<Values>,
  activity: Activity,
  options: { last?: boolean } = {},
): Promise<Stored> {
  const [row] = await writeRecorded<Stored>(ctx, { statement, raising }, values(given), activity, options)
  if (!row) throw new Error('An insert without a row')
  return row
}
