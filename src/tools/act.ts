/** Makes the calls of tools, in the tenant's systems. */
import { type Outcome, PsaRefusal } from '../connectors/psa.ts'
import { ApiError } from '../errors.ts'
import { type ActingContext, type ActingRun, PORTS, type ToolAct, type ToolResult } from './acting.ts'
import { COMPANY_ACTS } from './acts/companies.ts'
import { NOT_AVAILABLE, OF_THE_RUN } from './acts/elsewhere.ts'
import { TICKET_ACTS } from './acts/tickets.ts'
import { TIME_ENTRY_ACTS } from './acts/time-entries.ts'
import { ToolFailure, type ToolFailureCode } from './failure.ts'
import type { ToolName } from './registry.ts'
import type { Tool } from './tool.ts'

export type { ActingContext, ActingRun, ToolResult } from './acting.ts'
export { ToolFailure } from './failure.ts'

const RUN_ACTS = {
  'technician.ask': OF_THE_RUN,
  'run.propose_plan': OF_THE_RUN,
  'run.finish': OF_THE_RUN,
  'run.wait': OF_THE_RUN,
  'conversation.reply': OF_THE_RUN,
}

/** Every tool has one way to act. */
const ACTS: Readonly<Partial<Record<ToolName, ToolAct>>> = {
  ...TICKET_ACTS,
  ...TIME_ENTRY_ACTS,
  ...COMPANY_ACTS,
  ...RUN_ACTS,
}

const REFUSALS: Readonly<Record<PsaRefusal['reason'], ToolFailureCode>> = {
  TICKET_NOT_FOUND: 'ticket_not_found',
  STATUS_UNKNOWN: 'status_unknown',
  TECHNICIAN_UNKNOWN: 'technician_not_found',
}

/** The failure in our words. An error of the service itself stays as it is. */
function failureOf(error: unknown, { access }: Tool): unknown {
  if (error instanceof PsaRefusal) return new ToolFailure(REFUSALS[error.reason], { cause: error })
  if (error instanceof ApiError && error.code === 'upstream_unavailable')
    return new ToolFailure('integration_unavailable', { cause: error, may_have_acted: access === 'WRITE' })
  return error
}

const actOf = ({ name }: Tool): ToolAct => ACTS[name as ToolName] ?? NOT_AVAILABLE

/**
 * Makes the call, with arguments that fit the tool's input schema. Rejects with ToolFailure. A write with a key that was
 * made already does nothing again, and answers as the first did.
 */
export async function act(
  ctx: ActingContext,
  run: ActingRun,
  tool: Tool,
  args: Record<string, unknown>,
  idempotency_key: string,
): Promise<ToolResult> {
  try {
    return await actOf(tool).act({ ctx, run, key: idempotency_key }, args as never)
  } catch (error) {
    throw failureOf(error, tool)
  }
}

/** Whether the other system made the write of this key. */
export async function outcomeOf(ctx: ActingContext, tool: Tool, idempotency_key: string): Promise<Outcome> {
  const { port } = actOf(tool)
  if (port === null) return 'NOT_MADE'
  try {
    return await PORTS[port](ctx).outcomeOf(idempotency_key)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'upstream_unavailable') return 'UNKNOWN'
    throw error
  }
}
