/** The activity log: what people and keys changed. An activity is stored with its change or not at all. */
import { actingUserIdOf } from '../access/viewer.ts'
import { scoped, scopedInsert, sql, sqlAndCommit } from '../db/db.ts'
import type { Statement } from '../db/sql.ts'
import { newId } from '../lib/ids.ts'
import type { MutationContext } from './context.ts'
import { activitySnapshot } from './redact.ts'

export interface Target {
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
const parameters = (first: number): string =>
  TYPES.map((type, index) => `$${first + index}::${type}`).join(', ')

const jsonOf = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(activitySnapshot(value))

function valuesOf(ctx: MutationContext, { action, targets, before, after }: Activity): unknown[] {
  const { viewer, request } = ctx
  if (!viewer) throw new Error('A change without a caller')
  const { ip, user_agent, id: request_id } = request
  const context = { ip, user_agent, request_id, channel: null, acting_user_id: actingUserIdOf(viewer) }
  return [
    ...[newId('act'), ctx.now, action, viewer.kind.type, viewer.id, viewer.name],
    ...[JSON.stringify(targets), JSON.stringify(context), jsonOf(before), jsonOf(after)],
  ]
}

const INSERT = scopedInsert(
  'activity.record',
  `insert into activity_entry (tenant_id, environment, ${COLUMNS}) values ($1, $2, ${parameters(3)})`,
)

/** Stores an activity in the transaction of its change. */
export async function record(ctx: MutationContext, activity: Activity): Promise<void> {
  await sql(ctx, INSERT, valuesOf(ctx, activity))
  ctx.outcome = 'RECORDED'
}

/** A write that stores its activity in the same statement. */
export interface RecordedWrite {
  statement: Statement
}

/** `text` is a write of tenant-owned rows that returns them, with the tenant as `$1` and the environment as `$2`. */
export function recordedWrite(name: string, text: string): RecordedWrite {
  const last = Math.max(2, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const whole = `with written as (${text}), recorded as (
    insert into activity_entry (tenant_id, environment, ${COLUMNS})
    select $1, $2, ${parameters(last + 1)} where exists (select from written))
  select * from written`
  return {
    statement: text.startsWith('insert')
      ? insertOf(name, text, whole)
      : { ...scoped(name, text), text: whole },
  }
}

const insertOf = (name: string, text: string, whole: string): Statement => ({
  ...scopedInsert(name, text),
  text: whole,
})

/** The rows that were written. Where there are none, no activity is stored. `last`: the mutation writes nothing more. */
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
