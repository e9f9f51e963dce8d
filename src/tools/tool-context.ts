/** The parts of a tool call: who makes it, through which port, and what it answers. */
import { CHAT, type Chat, chatOf } from '../connectors/chat.ts'
import type { Dispatching } from '../connectors/dispatching.ts'
import { DOCUMENTS, type Documents, documentsOf } from '../connectors/documents.ts'
import type { ChatOfCall, Escalations } from '../connectors/escalations.ts'
import type { Feedback } from '../connectors/feedback.ts'
import { IDENTITY, type Identity, identityOf } from '../connectors/identity.ts'
import type { Memories } from '../connectors/memories.ts'
import type { NotYet, Outcome, Outcomes, PortDescription } from '../connectors/port.ts'
import { PSA, type Psa, type PsaWrite, psaOf } from '../connectors/psa.ts'
import { RMM, type Rmm, rmmOf } from '../connectors/rmm.ts'
import type { PreparedRun, Scripting } from '../connectors/scripting.ts'
import type { PinnedSkill, Skills } from '../connectors/skills.ts'
import type { Technicians } from '../connectors/technicians.ts'
import type { DatabaseContext } from '../db/db.ts'
import type { Services } from '../gateway/context.ts'
import type { Stopwatch } from '../lib/stopwatch.ts'
import { psaInReach } from './reach/psa.ts'
import type { Reach } from './reach/reach.ts'
import { documentsInReach, identityInReach, rmmInReach } from './reach/systems.ts'

/** The context of a tool call. No transaction is open in it. */
export interface ToolContext extends DatabaseContext {
  services: Pick<Services, 'database' | 'connectors'>
  now: Date
  signal?: AbortSignal
  /** Measures the time in which the call waits for other systems. */
  upstream_time?: Stopwatch
}

/** The run that makes the call. */
export interface CallingRun {
  agent_id: number
  agent_name: string
  execution_id: string | null
  /** The chat in which the call is made, of a call that belongs to no execution. */
  chat?: ChatOfCall
  /** The ticket or time entry that the run works on. */
  entity_id: string | null
  /** The company for which the call works. null: it reaches everything of the tenant. */
  reach: Reach | null
  /** The readers of what it answers. */
  audience: 'TECHNICIANS' | 'END_USERS'
  /** The skills that the agent had when the run began. */
  skills: readonly PinnedSkill[]
}

export interface Call {
  ctx: ToolContext
  run: CallingRun
  /** The idempotency key of a write. */
  key: string
}

export type ToolResult = Record<string, unknown>

/** The systems that tools work in, and the service's own data. */
export interface Ports {
  psa: Psa
  rmm: Rmm
  documents: Documents
  identity: Identity
  chat: Chat
  memories: Memories
  technicians: Technicians
  skills: Skills
  escalations: Escalations
  feedback: Feedback
  dispatching: Dispatching
  scripting: Scripting
}

/** The writes of a tool call by ports. */
interface Writing {
  has_begun: boolean
}

/** The port, which tells of the first write that is begun. */
const watched = <Port extends object>(port: Port, { calls }: PortDescription<Port>, writing: Writing): Port =>
  new Proxy(port, {
    get(of, name) {
      const call = of[name as keyof Port]
      if (calls[name as keyof Port] !== 'WRITE') return call
      return (...args: unknown[]) => {
        writing.has_begun = true
        return (call as (...given: unknown[]) => unknown)(...args)
      }
    },
  })

interface PortOptions {
  is_first_try?: boolean
  writing?: Writing
}

/** The ports as far as the call reaches. Technicians, escalations and the team chat are the MSP's own. */
export function portsOf(
  ctx: ToolContext,
  reach: Reach | null,
  { is_first_try = false, writing = { has_begun: false } }: PortOptions = {},
): Ports {
  const { memories, technicians, skills, escalations, feedback, dispatching, scripting } =
    ctx.services.connectors
  // The writes of other processes are seen at once: the run may have gone on in this one.
  const fresh = { ...ctx, fresh: true, is_first_try, pace: 'AGENT' as const }
  const all = {
    psa: watched(psaOf(fresh), PSA, writing),
    rmm: watched(rmmOf(fresh), RMM, writing),
    documents: watched(documentsOf(fresh), DOCUMENTS, writing),
    identity: watched(identityOf(fresh), IDENTITY, writing),
  }
  const psa = reach === null ? all.psa : psaInReach(all.psa, reach)
  return {
    psa,
    rmm: reach === null ? all.rmm : rmmInReach(all.rmm, reach),
    documents: reach === null ? all.documents : documentsInReach(all.documents, reach),
    identity: reach === null ? all.identity : identityInReach(all.identity, psa, reach),
    chat: watched(chatOf(fresh), CHAT, writing),
    memories: memories(ctx),
    technicians: technicians(ctx),
    skills: skills(ctx),
    escalations: escalations(ctx),
    feedback: feedback(ctx),
    dispatching: dispatching(ctx),
    scripting: scripting(ctx),
  }
}

/** The call was made, and its result is still to come: the run waits for it without holding anything. */
export class ResultPending extends Error {}

/** A write that was tried. */
export interface TriedCall {
  key: string
  /** The ticket or time entry that its run works on. */
  entity_id: string | null
  /** No request of it is under way after this instant. */
  ends_at: Date
}

/** The way in which a tool is executed. */
export interface Executor {
  /** Rejects with ResultPending if the call is made and its result is not there yet. */
  execute(ports: Ports, args: never, call: Call): Promise<ToolResult>
  /** The outcome of the write, with these arguments. */
  outcomeOf(ports: Ports, args: never, tried: TriedCall): Promise<Outcome | NotYet>
  /** The tool writes by calls of ports alone: a failure before the first of them is none of a write. */
  by_ports?: true
  /** Of a tool that can be asked for more than the company: false if these arguments are, so that a technician decides. */
  isWithin?(ports: Ports, args: never, reach: Reach): Promise<boolean>
  /** Of a tool with rules of its own about approval: judges the call before technicians are asked. */
  prepare?(ports: Ports, args: never, call: Call): Promise<PreparedCall>
  /** Of a tool whose results are waited for: true while the call of this key has none. */
  isPending?(ports: Ports, key: string): Promise<boolean>
}

/** A call that is possible, as technicians are asked about it. */
export type PreparedCall = PreparedRun

const executorIn =
  <Port extends Outcomes>(portOf: (ports: Ports) => Port) =>
  <Args>(execute: (port: Port, args: Args, call: Call, ports: Ports) => Promise<ToolResult>): Executor => ({
    by_ports: true,
    execute: (ports, args: Args, call) => execute(portOf(ports), args, call, ports),
    outcomeOf: (ports, _args, { key }) => portOf(ports).outcomeOf(key),
  })

type Awaitable<Value> = Value | Promise<Value>

/** An executor of a tool that works in the PSA. `writeOf`: what a write was to do; a tool that reads has none. */
export const inPsa = <Args>(
  execute: (psa: Psa, args: Args, call: Call, ports: Ports) => Promise<ToolResult>,
  writeOf?: (args: Args, ports: Ports, tried: TriedCall) => Awaitable<PsaWrite>,
): Executor => ({
  by_ports: true,
  execute: (ports, args: Args, call) => execute(ports.psa, args, call, ports),
  outcomeOf: async (ports, args: Args, tried) =>
    writeOf
      ? await ports.psa.outcomeOf(tried.key, await writeOf(args, ports, tried), tried.ends_at)
      : 'NOT_MADE',
})

export const inRmm = executorIn(({ rmm }) => rmm)
export const inDocuments = executorIn(({ documents }) => documents)
export const inIdentity = executorIn(({ identity }) => identity)
export const inChat = executorIn(({ chat }) => chat)

/** An executor of a tool that works on the memories. */
export const inMemories = executorIn(({ memories }) => memories)

/** An executor of a tool that hands work over to people. */
export const inEscalations = executorIn(({ escalations }) => escalations)

/** An executor of a tool that hands a ticket over to dispatch. */
export const inDispatching = executorIn(({ dispatching }) => dispatching)

/** An executor of a tool that asks end users for feedback. */
export const inFeedback = executorIn(({ feedback }) => feedback)

/** An executor of a tool that writes nowhere. */
export const readsFrom = <Args>(
  execute: (ports: Ports, args: Args, call: Call) => Promise<ToolResult>,
): Executor => ({ execute, outcomeOf: async () => 'NOT_MADE' })
