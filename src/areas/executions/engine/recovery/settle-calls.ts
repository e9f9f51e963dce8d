/**
 * Calls of which it is not known whether they were made, and whose execution has ended: their worker was lost, or did not
 * get their answer. The other system is asked before they are called anything.
 */
import { scoped, sql } from '../../../../db/db.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import { enqueue } from '../../../../jobs/enqueue.ts'
import { outcomeOf } from '../../../../tools/execute.ts'
import { toolNamed } from '../../../../tools/registry.ts'
import { lockExecution } from '../lifecycle/transition.ts'
import { CREDITS_PER_CALL } from '../rules/settings.ts'
import { LIVE_STATUSES } from '../rules/transitions.ts'
import { callsSettled, IS_UNKNOWN } from '../run/close-calls.ts'
import { RUN_EXECUTION } from '../run/job.ts'
import { type Calling, recordFinalOutcome, type SettledStatus } from '../run/record-outcome.ts'
import type { RecordedCall, RunContext } from '../run/run-lock.ts'
import { addConsumption, endsAt, OUTCOME_UNKNOWN } from '../run/stored-calls.ts'

type Unsettled = RecordedCall &
  Calling['execution'] &
  Calling['agent'] & { execution_status: string; finished_at: Date }

const UNSETTLED = scoped(
  'executions.unsettled_calls',
  `select c.*, e.agent_id, e.entity_id, e.entity_number, e.supervised, e.acting_user_id, e.api_key_id,
     e.api_key_name, e.request_id, e.psa_company_id, w.agent_name, e.status::text as execution_status, e.finished_at
   from execution e
   join execution_work w on w.tenant_id = e.tenant_id and w.environment = e.environment
     and w.execution_id = e.execution_id
   join tool_call c on c.tenant_id = e.tenant_id and c.environment = e.environment
     and c.execution_id = e.execution_id
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3
     and e.status not in (${LIVE_STATUSES.map((status) => `'${status}'`).join(', ')}) and ${IS_UNKNOWN}
   order by c.sequence`,
)

const SETTLE = scoped(
  'executions.settle_call',
  `update tool_call c set status = $5::text::tool_call_status, result = $6::jsonb, error_code = $7, error = $8,
     failure_kind = $9::text::failure_kind, ended_at = $10::timestamptz
   where c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3 and c.id = $4 and ${IS_UNKNOWN}
   returning 1 as settled`,
)

type Answer = Awaited<ReturnType<typeof outcomeOf>>

/** Asks the other system. A question that fails is one that could not be asked. */
async function ask(ctx: RunContext, call: Unsettled): Promise<Answer> {
  const { tool_name } = call
  const tool = toolNamed(tool_name)
  if (tool?.access !== 'WRITE') return 'NOT_MADE'
  try {
    return await outcomeOf(ctx, tool, call, endsAt(call))
  } catch (error) {
    ctx.signal.throwIfAborted()
    ctx.log.error({ err: error, tool_name }, 'a system could not be asked whether a call was made')
    return 'UNREACHABLE'
  }
}

interface End extends Pick<RecordedCall, 'error_code' | 'error' | 'failure_kind' | 'result'> {
  status: SettledStatus
}

function endOf(answer: Answer, { execution_status }: Unsettled): End {
  if (answer === 'MADE')
    return { status: 'SUCCEEDED', result: {}, error_code: null, error: null, failure_kind: null }
  if (answer === 'NOT_MADE') {
    const error = `It was not made: the work ended, ${execution_status}.`
    return { status: 'SKIPPED', result: null, error_code: 'not_made', error, failure_kind: null }
  }
  const error = 'Nobody could tell whether it was made.'
  return { status: 'FAILED', result: null, error_code: OUTCOME_UNKNOWN, error, failure_kind: 'INTEGRATION' }
}

/** Stores the end of the call, unless another worker did. The execution is locked. */
async function settle(ctx: RunContext, call: Unsettled, end: End): Promise<void> {
  const { status, result, error_code, error, failure_kind } = end
  const { execution_id } = call
  const values = [status, result && JSON.stringify(result), error_code, error, failure_kind, ctx.now]
  const [settled] = await sql(ctx, SETTLE, [execution_id, call.id, ...values])
  if (!settled) return
  const ended = { ...call, ...end, ended_at: ctx.now }
  await recordFinalOutcome({ ctx, execution: call, agent: call }, toolNamed(call.tool_name), ended)
  if (status === 'SUCCEEDED') await addConsumption({ ctx, execution: call }, CREDITS_PER_CALL, [])
}

// Contract silent: a system that cannot be reached is asked again for a quarter of an hour after the end of the execution.
const ASKED_FOR_MS = 15 * 60_000
const AGAIN_MS = 30_000
const SETTLE_MS = 30_000

/** Asks what became of the calls that the ended execution left, and stores their ends. */
export async function settleCalls(ctx: RunContext, execution_id: string): Promise<void> {
  const calls = await sql<Unsettled>(ctx, UNSETTLED, [execution_id])
  const asked: { call: Unsettled; answer: Answer }[] = []
  for (const call of calls) asked.push({ call, answer: await ask(ctx, call) })
  ctx.now = ctx.services.now()
  const isLater = ({ call, answer }: (typeof asked)[number]) =>
    (answer === 'UNREACHABLE' || typeof answer === 'object') &&
    ctx.now.getTime() < call.finished_at.getTime() + ASKED_FOR_MS
  await inTransaction(ctx, SETTLE_MS, async () => {
    await lockExecution(ctx, execution_id)
    for (const one of asked) if (!isLater(one)) await settle(ctx, one.call, endOf(one.answer, one.call))
    if (!asked.some(isLater)) return await callsSettled(ctx, execution_id)
    const start_after = new Date(ctx.now.getTime() + AGAIN_MS)
    await enqueue(ctx, RUN_EXECUTION, { execution_id }, { start_after })
  })
}

/** Ends the calls that the ended execution left, as if nobody could tell of them. The execution is locked. */
export async function closeUnknownCalls(ctx: RunContext, execution_id: string): Promise<void> {
  const calls = await sql<Unsettled>(ctx, UNSETTLED, [execution_id])
  for (const call of calls) await settle(ctx, call, endOf('UNREACHABLE', call))
  await callsSettled(ctx, execution_id)
}
