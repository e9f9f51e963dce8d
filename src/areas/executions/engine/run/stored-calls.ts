/** Stores the tool calls of a run. */
import { scoped, sql } from '../../../../db/db.ts'
import { insert, insertOf } from '../../../../db/query/insert.ts'
import { argumentsHash } from '../../../../lib/arguments-hash.ts'
import { newId } from '../../../../lib/ids.ts'
import { storable, storableText } from '../../../../lib/text.ts'
import { WRITE_ENDS_MS } from '../../../../tools/execute.ts'
import type { ProposedCall } from '../rules/step.ts'
import type { RecordedCall, RunState } from './run-lock.ts'
import type { EventContext } from './timeline.ts'

const SETTLED: readonly RecordedCall['status'][] = ['SUCCEEDED', 'FAILED', 'DENIED', 'SKIPPED', 'TIMED_OUT']

/** True for a call that has come to its end. */
export const isSettled = ({ status }: Pick<RecordedCall, 'status'>): boolean => SETTLED.includes(status)

/** The code of a call of which only people can tell whether it was made. */
export const OUTCOME_UNKNOWN = 'outcome_unknown'

/** The instant after which nobody is at the last attempt of the call. */
export const endsAt = ({ tried_at, started_at }: Pick<RecordedCall, 'tried_at' | 'started_at'>): Date =>
  new Date((tried_at ?? started_at ?? new Date(0)).getTime() + WRITE_ENDS_MS)

const MAX_NAME = 200

/** A name that a model made up can be anything. */
const storedName = (name: string): string => storableText(name.slice(0, MAX_NAME))

/** The call as a row that is not stored yet. */
export const proposedCall = ({ calls, run }: RunState, proposed: ProposedCall): RecordedCall => ({
  id: newId('tlc'),
  sequence: (calls.at(-1)?.sequence ?? 0) + 1,
  temporal_run_id: run.temporal_run_id,
  tool_name: storedName(proposed.tool_name),
  reason: proposed.reason ?? null,
  arguments: storable(proposed.arguments ?? {}) as RecordedCall['arguments'],
  arguments_hash: argumentsHash(storable(proposed.arguments ?? {})),
  status: 'PROPOSED',
  result: null,
  error_code: null,
  error: null,
  failure_kind: null,
  til_request_id: null,
  model_call_id: proposed.model_call_id ?? null,
  started_at: null,
  tried_at: null,
  ended_at: null,
})

const FIXED = ['id', 'sequence', 'tool_name', 'reason', 'model_call_id'] as const

const CHANGED = [
  'temporal_run_id',
  'arguments',
  'arguments_hash',
  'status',
  'result',
  'error_code',
  'error',
  'failure_kind',
  'til_request_id',
  'started_at',
  'tried_at',
  'ended_at',
] as const

const STORE = insertOf('executions.store_call', 'StoredToolCall', {
  columns: ['execution_id', ...FIXED, ...CHANGED],
  on_conflict: {
    key: ['id'],
    replace: CHANGED,
    where: `tool_call.status in ('PROPOSED', 'WAITING', 'STARTED')`,
  },
})

/** Stores the call with its changes, in the transaction in which the run is locked. A settled call stays as it is. */
export async function storeCall(
  { ctx, execution, calls }: RunState,
  call: RecordedCall,
  changes: Partial<RecordedCall>,
): Promise<RecordedCall> {
  const stored = { ...call, ...changes }
  const result = stored.result === null ? null : storable(stored.result)
  const { execution_id } = execution
  await insert(ctx, STORE, { ...stored, arguments: storable(stored.arguments), result, execution_id })
  const place = calls.findIndex(({ id }) => id === stored.id)
  if (place === -1) calls.push(stored)
  else calls[place] = stored
  return stored
}

const ADD = scoped(
  'executions.add_consumption',
  `update execution e set credits_consumed = e.credits_consumed + $4, updated_at = $5::timestamptz,
     processed_sub_entity_ids = e.processed_sub_entity_ids || array(
       select distinct n from unnest($6::text[]) n where n <> all (e.processed_sub_entity_ids)
     )
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3`,
)

/** Adds what the execution consumed and worked on, in the transaction in which the run is locked. */
export async function addConsumption(
  { ctx, execution }: { ctx: EventContext; execution: Pick<RunState['execution'], 'execution_id'> },
  credits: number,
  sub_entity_ids: readonly string[],
): Promise<void> {
  await sql(ctx, ADD, [execution.execution_id, credits, ctx.now, sub_entity_ids])
}
