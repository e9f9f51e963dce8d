/** Scripts of the RMM under the tenant's rules: what tools ask of the service's own data. */
import type { DatabaseContext } from '../db/db.ts'
import type { Outcome, PortContext } from './port.ts'
import type { Rmm, RmmScriptParameter } from './rmm.ts'

/** A script that agents may run. */
export interface AgentScript {
  script_id: string
  name: string
  description: string | null
  shell: string
  platforms: readonly string[]
  risk: string
  /** True if a technician approves each run. */
  needs_approval: boolean
  parameters: readonly RmmScriptParameter[]
}

/** A run that an agent asks for. */
export interface AskedRun {
  script_id: string
  device_id: string
  parameters: Readonly<Record<string, unknown>>
  agent_id: number
  agent_name: string
  /** null: the agent works in no execution. */
  execution_id: string | null
  /** The RMM, as far as the call reaches. */
  rmm: Rmm
}

/** The reason why an agent's run is not possible. */
export type ScriptProblem =
  | 'DEVICE_NOT_FOUND'
  | 'NOT_SUPPORTED'
  | 'PARAMETERS_INVALID'
  | 'PLATFORM_MISMATCH'
  | 'SCRIPT_CHANGED_SINCE_APPROVAL'
  | 'SCRIPT_NOT_ENABLED'
  | 'SCRIPT_NOT_FOUND'
  | 'SCRIPT_REMOVED'
  | 'SCRIPT_RUN_CANCELLED'
  | 'SECRET_REQUIRED'

/** A problem, and the arguments that have it. */
export interface ScriptRefusal {
  problem: ScriptProblem
  arguments: readonly string[]
}

/** A run that is possible, before technicians are asked. */
export interface PreparedRun {
  needs_approval: boolean
  /** The script, the device and the parameters, in words for technicians. */
  words: string
  /** Stores that the run waits for the request, in the transaction that stores the request. */
  waitFor(ctx: DatabaseContext & { now: Date }, til_request_id: string): Promise<void>
}

/** The end of a run. */
export interface EndedRun {
  run_id: string
  status: string
  exit_code: number | null
  stdout: string | null
  stderr: string | null
  error_code: string | null
}

export interface Scripting {
  /** The scripts that agents may run and that have the words in their names or descriptions, by name. */
  search(words: string, limit: number): Promise<readonly AgentScript[]>
  /** Judges a run before technicians are asked. A run of this key that waits already is not judged again. */
  prepare(asked: AskedRun, key: string): Promise<PreparedRun | ScriptRefusal>
  /** Sends the run once for each key, and answers with its end; PENDING: the run has not ended. */
  run(asked: AskedRun, key: string): Promise<EndedRun | ScriptRefusal | 'PENDING'>
  /** True if the run of the key was sent, or is about to be, and has no end yet. */
  isPending(key: string): Promise<boolean>
  outcomeOf(key: string): Promise<Outcome>
}

export type ScriptingConnector = (ctx: PortContext) => Scripting
