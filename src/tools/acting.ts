/** The parts of a tool call: who makes it, through which port, and what it answers. */
import { type Psa, psaOf } from '../connectors/psa.ts'
import type { DatabaseContext } from '../db/db.ts'
import type { Services } from '../gateway/context.ts'
import type { Stopwatch } from '../lib/stopwatch.ts'

/** The context of a tool call. No transaction is open in it. */
export interface ActingContext extends DatabaseContext {
  services: Pick<Services, 'database' | 'connectors'>
  now: Date
  signal?: AbortSignal
  /** Measures the time in which the call waits for other systems. */
  upstream_time?: Stopwatch
}

/** The run that makes the call. */
export interface ActingRun {
  agent_id: number
  agent_name: string
  execution_id: string | null
  /** The ticket or time entry that the run works on. */
  entity_id: string | null
}

export interface Call {
  ctx: ActingContext
  run: ActingRun
  /** The idempotency key of a write. */
  key: string
}

export type ToolResult = Record<string, unknown>

/** The way in which a tool acts. */
export interface ToolAct {
  /** The port that makes its writes, and that knows whether it made them; null for a tool that writes nowhere. */
  port: keyof typeof PORTS | null
  act(call: Call, args: never): Promise<ToolResult>
}

/** The ports of the call's tenant. */
export const PORTS = {
  psa: (ctx: ActingContext): Psa => psaOf({ ...ctx, fresh: true }),
} as const

/** A tool that acts in the PSA. */
export const inPsa = <Args>(act: (psa: Psa, args: Args, call: Call) => Promise<ToolResult>): ToolAct => ({
  port: 'psa',
  act: (call, args: Args) => act(PORTS.psa(call.ctx), args, call),
})
