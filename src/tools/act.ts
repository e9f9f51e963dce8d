/** Makes the calls of tools, in the tenant's systems. */
import type { Outcome } from '../connectors/port.ts'
import { kindOf } from '../connectors/systems.ts'
import { isStorable } from '../lib/text.ts'
import { type ActingContext, type ActingRun, portsOf, type ToolAct, type ToolResult } from './acting.ts'
import { CHAT_ACTS } from './acts/chat.ts'
import { COMPANY_ACTS } from './acts/companies.ts'
import { DEVICE_ACTS } from './acts/devices.ts'
import { DOCUMENT_ACTS } from './acts/documents.ts'
import { RUN_ACTS, UNAVAILABLE_ACTS } from './acts/elsewhere.ts'
import { IDENTITY_ACTS } from './acts/identities.ts'
import { OWN_DATA_ACTS } from './acts/own-data.ts'
import { TICKET_ACTS } from './acts/tickets.ts'
import { TIME_ENTRY_ACTS } from './acts/time-entries.ts'
import { failureOf, isOutage, ToolFailure } from './failure.ts'
import { keepResult } from './kept-results.ts'
import type { ToolName } from './registry.ts'
import { storableResult } from './results.ts'
import type { Tool } from './tool.ts'

export type { ActingContext, ActingRun, ToolResult } from './acting.ts'
export { ToolFailure } from './failure.ts'

/** Every tool has one way to act. */
const ACTS: Readonly<Record<ToolName, ToolAct>> = {
  ...TICKET_ACTS,
  ...TIME_ENTRY_ACTS,
  ...COMPANY_ACTS,
  ...OWN_DATA_ACTS,
  ...DEVICE_ACTS,
  ...DOCUMENT_ACTS,
  ...IDENTITY_ACTS,
  ...CHAT_ACTS,
  ...RUN_ACTS,
  ...UNAVAILABLE_ACTS,
}

const actOf = ({ name }: Tool): ToolAct => ACTS[name as ToolName]

/**
 * True if the tenant has connected a system that the tool works in. A tenant that has connected no PSA has the one of
 * the service.
 */
async function isConnected(ctx: ActingContext, { works_in, system }: Tool): Promise<boolean> {
  if (works_in === null || works_in === 'PSA') return true
  const connected = await ctx.services.connectors.connectedSystems(ctx)
  return system === null ? [...connected].some((one) => kindOf(one) === works_in) : connected.has(system)
}

/** True if every text in the value can be stored. */
function storable(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => isStorable(name) && storable(inner))
}

/**
 * Makes the call, with arguments that fit the tool's input schema. Rejects with ToolFailure. A write with a key that was
 * made already does nothing again, and answers as the first did. The answer is a storable result: `run.read_result` reads
 * on in one that is cut, by the key as the id of its call.
 */
export async function act(
  ctx: ActingContext,
  run: ActingRun,
  tool: Tool,
  args: Record<string, unknown>,
  idempotency_key: string,
): Promise<ToolResult> {
  if (!storable(args)) throw new ToolFailure('text_not_storable')
  const call = { ctx, run, key: idempotency_key }
  try {
    if (!(await isConnected(ctx, tool))) throw new ToolFailure('tool_not_available')
    const answer = await actOf(tool).act(portsOf(ctx, run.reach), args as never, call)
    const { result, whole } = storableResult(answer, idempotency_key)
    if (whole !== null) await keepResult(ctx, run, idempotency_key, whole)
    return result
  } catch (error) {
    throw failureOf(error, tool.access === 'WRITE')
  }
}

/** False if the call asks for more than what it reaches, and a technician decides about it. */
export async function isWithinReach(
  ctx: ActingContext,
  { reach }: Pick<ActingRun, 'reach'>,
  tool: Tool,
  args: unknown,
): Promise<boolean> {
  const { isWithin } = actOf(tool)
  if (!isWithin || reach === null) return true
  try {
    return await isWithin(portsOf(ctx, reach), args as never, reach)
  } catch (error) {
    if (isOutage(error)) return false
    throw error
  }
}

/** The outcome of the write of this key, as the other system tells it. UNREACHABLE: it cannot be asked at present. */
export async function outcomeOf(
  ctx: ActingContext,
  tool: Tool,
  idempotency_key: string,
): Promise<Outcome | 'UNREACHABLE'> {
  try {
    return await actOf(tool).outcomeOf(portsOf(ctx, null), idempotency_key)
  } catch (error) {
    if (isOutage(error)) return 'UNREACHABLE'
    throw error
  }
}
