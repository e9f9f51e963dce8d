/** The activity log: the changes that people and keys made. An activity is stored with its change or not at all. */
import { actingUserIdOf } from '../access/viewer.ts'
import { scoped, scopedInsert, sql, sqlAndCommit } from '../db/db.ts'
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

const INSERT = scopedInsert(
  'activity.record',
  `insert into activity_entry (tenant_id, environment, ${COLUMNS}) values ($1, $2, ${parameters(3).join(', ')})`,
)

/** Stores an activity in the transaction of its change. `last`: the mutation writes nothing more. */
export async function record(ctx: MutationContext, activity: Activity, { last = false } = {}): Promise<void> {
  const send = last ? sqlAndCommit : sql
  await send(ctx, INSERT, valuesOf(ctx, activity))
  ctx.outcome = 'RECORDED'
}

/** A write that stores its activity in the same statement. */
export interface RecordedWrite {
  statement: Statement
}

interface WriteOptions {
  /** An insert that goes with the write, of what it makes of the rows that are `written`. */
  also?: string
  /** The write makes the id of its one row, which the first target then has. */
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
  const columns = parameters(Math.max(2, ...numbers) + 1)
  const [from, targets] = makes_id
    ? ['from written', `jsonb_set(${columns[TARGETS]}, '{0,id}', to_jsonb(written.id::text))`]
    : ['where exists (select from written)', columns[TARGETS]]
  const whole = `with written as (${text})${also ? `, accompanied as (${also})` : ''}, recorded as (
    insert into activity_entry (tenant_id, environment, ${COLUMNS})
    select $1, $2, ${columns.with(TARGETS, targets as string).join(', ')} ${from})
  select * from written`
  return {
    statement: text.startsWith('insert')
      ? insertWithin(name, text, whole)
      : { ...scoped(name, text), text: whole },
  }
}

const insertWithin = (name: string, text: string, whole: string): Statement => ({
  ...scopedInsert(name, text),
  text: whole,
})

/** The rows that were written. If there are none, no activity is stored. `last`: the mutation writes nothing more. */
export async function writeRecorded<Row>(
  ctx: MutationContext,
  { statement }: RecordedWrite,
  values: readonly unknown[],
  activity: Activity,
  { last = false } = {},
): Promise<Row[]> {
  const send = last ? sqlAndCommit : sql
  const rows = await send<Row>(ctx, statement, [...values, ...valuesOf(ctx, activity)])
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
): Insert<Given<Model, Written, Parameter>, Returned<Model, Chosen>> {
  const { text, values, numbered } = rowInsert(model, options)
  const more = { ...(also && { also: numbered(also) }), ...(makes_id && { makes_id }) }
  return { ...recordedWrite(name, text, more), values }
}

/** Resolves to the row that the insert returns. `last`: the mutation writes nothing more. */
export async function insertRecorded<Values, Stored>(
  ctx: MutationContext,
  { statement, values }: Insert<Values, Stored>,
  given: NoInfer<Values>,
  activity: Activity,
  options: { last?: boolean } = {},
): Promise<Stored> {
  const [row] = await writeRecorded<Stored>(ctx, { statement }, values(given), activity, options)
  if (!row) throw new Error('An insert without a row')
  return row
}
