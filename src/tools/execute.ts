/** Makes the calls of tools, in the tenant's systems. */
import type { NotYet, Outcome } from '../connectors/port.ts'
import { kindOf } from '../connectors/systems.ts'
import { isStorable } from '../lib/text.ts'
import { CHAT_EXECUTORS } from './executors/chat.ts'
import { COMPANY_EXECUTORS } from './executors/companies.ts'
import { DEVICE_EXECUTORS } from './executors/devices.ts'
import { DOCUMENT_EXECUTORS } from './executors/documents.ts'
import { IDENTITY_EXECUTORS } from './executors/identities.ts'
import { OWN_DATA_EXECUTORS } from './executors/own-data.ts'
import { SCRIPT_EXECUTORS } from './executors/scripts.ts'
import { TICKET_EXECUTORS } from './executors/tickets.ts'
import { TIME_ENTRY_EXECUTORS } from './executors/time-entries.ts'
import { isAvailable, RUN_EXECUTORS, UNAVAILABLE_EXECUTORS } from './executors/without-system.ts'
import { failureOf, isOutage, ToolFailure } from './failure.ts'
import { keepResult } from './kept-results.ts'
import { isSupported } from './needed-calls.ts'
import type { ToolName } from './registry.ts'
import { storableResult } from './results.ts'
import type { Tool } from './tool.ts'
import {
  type CallingRun,
  type Executor,
  type PreparedCall,
  portsOf,
  type ToolContext,
  type ToolResult,
} from './tool-context.ts'

export { ToolFailure } from './failure.ts'
export {
  type CallingRun,
  type PreparedCall,
  ResultPending,
  type ToolContext,
  type ToolResult,
} from './tool-context.ts'

/** Every tool has one way to be executed. */
const EXECUTORS: Readonly<Record<ToolName, Executor>> = {
  ...TICKET_EXECUTORS,
  ...TIME_ENTRY_EXECUTORS,
  ...COMPANY_EXECUTORS,
  ...OWN_DATA_EXECUTORS,
  ...DEVICE_EXECUTORS,
  ...SCRIPT_EXECUTORS,
  ...DOCUMENT_EXECUTORS,
  ...IDENTITY_EXECUTORS,
  ...CHAT_EXECUTORS,
  ...RUN_EXECUTORS,
  ...UNAVAILABLE_EXECUTORS,
}

const executorOf = ({ name }: Tool): Executor => EXECUTORS[name as ToolName]

/**
 * True if the tenant has connected a system that the tool works in. A tenant that has connected no PSA has the one of
 * the service.
 */
async function isConnected(ctx: ToolContext, { works_in, system }: Tool): Promise<boolean> {
  if (works_in === null || works_in === 'PSA') return true
  const connected = await ctx.services.connectors.connectedSystems(ctx)
  return system === null ? [...connected].some((one) => kindOf(one) === works_in) : connected.has(system)
}

/**
 * The failure of every call of the tool at present: the tenant has connected no system that makes it, or the connected system
 * cannot do it. null: the call is possible.
 */
export async function unavailability(ctx: ToolContext, tool: Tool): Promise<ToolFailure | null> {
  if (!isAvailable(tool) || !(await isConnected(ctx, tool))) return new ToolFailure('tool_not_available')
  if (tool.works_in === null) return null
  const unsupported = await ctx.services.connectors.unsupportedCalls(ctx)
  return isSupported(tool, unsupported) ? null : new ToolFailure('not_supported')
}

/** True if every text in the value can be stored. */
function storable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => isStorable(name) && storable(inner))
}

/**
 * Makes the call, with arguments that fit the tool's input schema. Rejects with ToolFailure. A write with a key that was
 * made already does nothing again, and answers as the first did. `is_first_try`: nothing was tried with the key. The answer is a storable result: `run.read_result` reads
 * on in one that is cut, by the key as the id of its call.
 */
export async function executeTool(
  ctx: ToolContext,
  run: CallingRun,
  tool: Tool,
  args: Record<string, unknown>,
  idempotency_key: string,
  is_first_try = false,
): Promise<ToolResult> {
  if (!storable(args)) throw new ToolFailure('text_not_storable')
  const call = { ctx, run, key: idempotency_key }
  const executor = executorOf(tool)
  const writing = { has_begun: tool.access === 'WRITE' && !executor.by_ports }
  try {
    if (!(await isConnected(ctx, tool))) throw new ToolFailure('tool_not_available')
    const ports = portsOf(ctx, run.reach, { is_first_try, writing })
    const answer = await executor.execute(ports, args as never, call)
    const { result, whole } = storableResult(answer, idempotency_key)
    if (whole !== null) await keepResult(ctx, run, idempotency_key, whole)
    return result
  } catch (error) {
    throw failureOf(error, writing.has_begun)
  }
}

/**
 * The call as technicians are asked about it, if its tool has rules of its own about approval; null otherwise. Rejects with
 * ToolFailure for a call that is not possible.
 */
export async function prepareCall(
  ctx: ToolContext,
  run: CallingRun,
  tool: Tool,
  args: unknown,
  idempotency_key: string,
): Promise<PreparedCall | null> {
  const { prepare } = executorOf(tool)
  if (!prepare) return null
  try {
    if (!(await isConnected(ctx, tool))) throw new ToolFailure('tool_not_available')
    return await prepare(portsOf(ctx, run.reach), args as never, { ctx, run, key: idempotency_key })
  } catch (error) {
    throw failureOf(error, false)
  }
}

/** True while the call of this key, which was made, has no result. */
export const isResultPending = async (
  ctx: ToolContext,
  tool: Tool,
  idempotency_key: string,
): Promise<boolean> => (await executorOf(tool).isPending?.(portsOf(ctx, null), idempotency_key)) ?? false

/** False if the call asks for more than what it reaches, and a technician decides about it. */
export async function isWithinReach(
  ctx: ToolContext,
  { reach }: Pick<CallingRun, 'reach'>,
  tool: Tool,
  args: unknown,
): Promise<boolean> {
  const { isWithin } = executorOf(tool)
  if (!isWithin || reach === null) return true
  try {
    return await isWithin(portsOf(ctx, reach), args as never, reach)
  } catch (error) {
    if (isOutage(error)) return false
    throw error
  }
}

/** A call that was tried with its id as the idempotency key. */
interface MadeCall {
  id: string
  arguments: unknown
  /** The ticket or time entry that its run works on. */
  entity_id: string | null
}

/** The time of a write, and some more for clocks that differ: after it nobody is still at it. */
export const WRITE_ENDS_MS = 30_000

/**
 * The outcome of the write of the call, as the other system tells it. UNREACHABLE: it cannot tell at present. `ends_at`: no request of
 * the write is under way after this instant.
 */
export async function outcomeOf(
  ctx: ToolContext,
  tool: Tool,
  { id: key, arguments: args, entity_id }: MadeCall,
  ends_at: Date,
): Promise<Outcome | NotYet | 'UNREACHABLE'> {
  try {
    const tried = { key, entity_id, ends_at }
    return await executorOf(tool).outcomeOf(portsOf(ctx, null), args as never, tried)
  } catch (error) {
    if (isOutage(error)) return 'UNREACHABLE'
    throw error
  }
}
