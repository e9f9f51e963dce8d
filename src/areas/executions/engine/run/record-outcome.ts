/** The trail of a tool call: its entry in the audit log, its event in the timeline, and what its request says of it. */
import type { Tool } from '../../../../tools/tool.ts'
import { recordToolCall, type ToolCall } from '../../../audit-log/index.ts'
import { APPROVAL_GATE, type CallError } from './approval-gate.ts'
import type { RecordedCall, RunState } from './run-lock.ts'
import { type EventContext, recordEvents } from './timeline.ts'

/** The outcome of a call that is made or refused. PENDING_APPROVAL: a technician decides first. */
export type CallOutcome = ToolCall['outcome']

const WORDS: Readonly<Record<CallOutcome, string>> = {
  SUCCEEDED: 'done',
  FAILED: 'failed',
  DENIED: 'refused',
  PENDING_APPROVAL: 'waits for approval',
  SKIPPED: 'not made',
  TIMED_OUT: 'took too long',
}

const summaryOf = (result: unknown): string | null => (result === null ? null : JSON.stringify(result))

/** A name that no tool has was made up by a model. */
const titleOf = (tool: Tool | undefined, { tool_name }: RecordedCall): string => tool?.title ?? tool_name

const companyIn = (args: RecordedCall['arguments']): string | null => {
  const { company_id } = (args ?? {}) as { company_id?: unknown }
  return typeof company_id === 'string' ? company_id : null
}

type OfExecution =
  | ('execution_id' | 'agent_id' | 'entity_id' | 'entity_number' | 'psa_company_id')
  | ('supervised' | 'acting_user_id' | 'api_key_id' | 'api_key_name' | 'request_id')

/** The execution that makes calls, with the name that its agent had. */
export interface Calling {
  ctx: EventContext
  execution: Pick<RunState['execution'], OfExecution>
  agent: Pick<RunState['agent'], 'agent_name'>
}

/** Records the call, in the transaction that stores its status. */
export async function recordOutcome(
  { ctx, execution, agent }: Calling,
  tool: Tool | undefined,
  call: RecordedCall,
  outcome: CallOutcome,
  decided_by_name: string | null = null,
): Promise<void> {
  const { execution_id, entity_id, entity_number, supervised } = execution
  const { acting_user_id, api_key_id, api_key_name, request_id } = execution
  const { temporal_run_id, error } = call
  const entry: ToolCall = {
    occurred_at: ctx.now,
    agent_id: execution.agent_id,
    agent_name: agent.agent_name,
    execution_id,
    temporal_run_id,
    correlation_id: execution_id,
    acting_user_id,
    api_key_id,
    api_key_name,
    request_id,
    tool_name: call.tool_name,
    tool_title: titleOf(tool, call),
    system: tool?.system ?? null,
    access: tool?.access ?? 'READ',
    outcome,
    arguments: call.arguments,
    result_summary: summaryOf(call.result),
    error_code: call.error_code,
    error_message: error,
    duration_ms: durationOf(call),
    entity_id,
    entity_number,
    supervised,
    psa_company_id: companyIn(call.arguments) ?? execution.psa_company_id,
    til_request_id: call.til_request_id,
    decided_by_name,
  }
  const tool_call_id = await recordToolCall(ctx, entry)
  const text = `${titleOf(tool, call)}: ${WORDS[outcome]}${error ? `. ${error}` : ''}`
  await recordEvents(ctx, { execution_id, temporal_run_id }, [
    { kind: 'TOOL_CALL', text, tool_call_id, til_request_id: call.til_request_id },
  ])
}

/** The end of a call as the request that approved it says it; null: as it was decided. */
const errorOf = ({ status, error_code, error }: RecordedCall): CallError | null =>
  error_code === null || status === 'DENIED' ? null : { code: error_code, message: error ?? '' }

export type SettledStatus = Exclude<RecordedCall['status'], 'PROPOSED' | 'WAITING' | 'STARTED'>

/** Records the end of the call, in the transaction that stores it. */
export async function recordFinalOutcome(
  calling: Calling,
  tool: Tool | undefined,
  call: RecordedCall & { status: SettledStatus },
): Promise<void> {
  const { til_request_id, status } = call
  const decided_by_name =
    til_request_id && (await APPROVAL_GATE.get().callEnded(calling.ctx, til_request_id, errorOf(call)))
  await recordOutcome(calling, tool, call, status, decided_by_name)
}

const durationOf = ({ started_at, ended_at }: RecordedCall): number =>
  started_at && ended_at ? Math.max(0, ended_at.getTime() - started_at.getTime()) : 0
