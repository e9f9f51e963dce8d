/** The gate that every tool call of a run passes, waits at, or is turned away from. */
import { scoped, sql } from '../../../db/db.ts'
import type { Row } from '../../../schema/models.ts'
import { toolNamed } from '../../../tools/registry.ts'
import type { Tool } from '../../../tools/tool.ts'
import {
  type ApprovalGate,
  type AskedOfGate,
  actionsOf,
  type Gate,
  isSupervised,
  type RecordedCall,
  type RunState,
} from '../../executions/index.ts'
import { PERMISSION_GROUP } from '../../tenant/index.ts'
import { type Asked, type AskedOf, approvedOf, type Request, setsToAsk } from '../rules.ts'
import { approversOfGroup, supervisorsOf } from './approvers.ts'
import { argumentsOf, askingOf, askPlan, askTechnicians, cancelRequestsOf } from './ask.ts'
import { callEnded } from './call-ended.ts'
import { approvalsOf, type GroupTerms, isShadow, verdictOf } from './rules/gating.ts'
import {
  type PlanStep,
  planOfActions,
  planOfWords,
  questionInWords,
  triedInWords,
  writeInWords,
} from './rules/wording.ts'

type Settled = Pick<
  Row<'TilRequest'>,
  'id' | 'kind' | 'status' | 'decided_by_name' | 'decision_comment' | 'answer' | 'answer_option_id'
>

const REQUEST = scoped(
  'til_requests.of_call',
  `select r.id, r.kind, r.status, r.decided_by_name, r.decision_comment, r.answer, r.answer_option_id
   from til_request r where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

async function requestOf({ ctx }: RunState, id: string | null): Promise<Settled | null> {
  if (id === null) return null
  const [request] = await sql<Settled>(ctx, REQUEST, [id])
  return request ?? null
}

/** The refusal of what the request asked for. A rejected plan ends the work. */
const refused = ({ id, kind, status, decided_by_name, decision_comment }: Settled): Gate => ({
  do: 'REFUSED',
  til_request_id: id,
  by_name: decided_by_name,
  comment: status === 'EXPIRED' ? 'Nobody decided in time.' : decision_comment,
  ends: kind === 'PLAN',
})

/** The gate of `technician.ask`. */
async function question(run: RunState, call: RecordedCall, waited: Settled | null): Promise<Gate> {
  if (waited && verdictOf(waited.status) === 'CONTINUE')
    return { do: 'ANSWERED', til_request_id: waited.id, result: { answer: waited.answer } }
  const { question: text, options } = argumentsOf(call) as { question: string; options?: string[] }
  const status = isShadow(run.agent.agent_settings) ? 'SHADOWED' : 'PENDING'
  const til_request_id = await askTechnicians(run, {
    kind: 'QUESTION',
    ...questionInWords(text, askingOf(run)),
    question: text,
    ...(options && { options: options.map((label, index) => ({ id: String(index + 1), label })) }),
    status,
  })
  return status === 'SHADOWED'
    ? { do: 'SHADOWED', til_request_id }
    : { do: 'WAIT', status: 'WAITING_FOR_INPUT', til_request_id }
}

/** The gate of `run.propose_plan`. */
async function plan(run: RunState, call: RecordedCall, waited: Settled | null): Promise<Gate> {
  if (waited && verdictOf(waited.status) === 'CONTINUE')
    return { do: 'ANSWERED', til_request_id: waited.id, result: { approved: true } }
  const steps = planOfWords((argumentsOf(call) as { steps: string[] }).steps)
  const shadow = isShadow(run.agent.agent_settings)
  // Contract silent: a plan of a run that is not supervised is recorded, and needs no approval.
  const status = shadow || !run.execution.supervised ? 'SHADOWED' : 'PENDING'
  const til_request_id = await askPlan(run, steps, status)
  return status === 'SHADOWED'
    ? { do: 'ANSWERED', til_request_id, result: { approved: true } }
    : { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
}

interface RequestOfCall extends Request {
  id: string
  /** True if the run that raised it was supervised. */
  supervised: boolean
}

const REQUESTS = scoped(
  'til_requests.of_waiting_call',
  `select r.id, r.status::text as status, r.asked_of::text as asked_of, r.arguments_hash, r.edited_arguments,
     r.edited_arguments_hash, ${isSupervised('r')} as supervised
   from til_request r
   where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.kind = 'WRITE'
     and (r.tool_call_id = $4::text or r.id = $5::text)
   order by r.created_at, r.id`,
)

const requestsOf = ({ ctx, execution }: RunState, { id, til_request_id }: RecordedCall) =>
  sql<RequestOfCall>(ctx, REQUESTS, [execution.execution_id, id, til_request_id])

const PLANNED = scoped(
  'til_requests.has_plan',
  `select exists (
     select from til_request r
     where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.kind = 'PLAN'
       and r.status in ('APPROVED', 'SHADOWED')
   ) as has_plan`,
)

async function hasPlan({ ctx, execution }: RunState): Promise<boolean> {
  const [row] = await sql<{ has_plan: boolean }>(ctx, PLANNED, [execution.execution_id])
  return row?.has_plan ?? false
}

async function termsOf(
  { ctx }: RunState,
  { permission_group }: Tool,
  { prepared }: AskedOfGate,
): Promise<GroupTerms | null> {
  if (prepared) return { requires_approval: prepared.needs_approval, decided: true }
  if (!permission_group) return null
  const { requires_approval, revision } = await PERMISSION_GROUP.read(ctx, permission_group)
  // A group that the tenant has never changed has revision 1.
  return { requires_approval, decided: revision > 1 }
}

/** The steps of the plan: the actions of a chain, or else what the agent is about to do. */
function planOf({ agent }: RunState, tool: Tool, call: RecordedCall): PlanStep[] {
  // Contract silent: an agent that makes a change without having proposed a plan has that change as its plan.
  const actions = agent.autonomy_type === 'CHAINED_ACTIONS' ? actionsOf(agent) : []
  const own = [{ type: tool.name, params: argumentsOf(call) }]
  return planOfActions(actions.length > 0 ? actions : own, toolNamed)
}

const technicians = (run: RunState, { permission_group }: Tool, of: AskedOf): Promise<Asked> =>
  of === 'APPROVERS' ? approversOfGroup(run.ctx, permission_group) : supervisorsOf(run)

/** The sets of technicians whose approval the call needs, in the order in which they are asked. */
async function setsOf(run: RunState, tool: Tool, needed: readonly AskedOf[]): Promise<readonly Asked[]> {
  const sets: Asked[] = []
  for (const of of needed) sets.push(await technicians(run, tool, of))
  return setsToAsk(sets)
}

interface AskedWrite {
  asked: Asked
  arguments: unknown
  status: 'PENDING' | 'SHADOWED'
  /** The call in the words of its tool; null: the tool has none. */
  words: string | null
}

/** Asks one set of technicians to approve the call with these arguments. The id of the request. */
const askWrite = (
  run: RunState,
  tool: Tool,
  { id: tool_call_id, reason }: RecordedCall,
  { asked, arguments: args, status, words }: AskedWrite,
): Promise<string> =>
  askTechnicians(run, {
    kind: 'WRITE',
    ...writeInWords(tool, askingOf(run), { reason, asked_of: asked.of, words }),
    tool,
    arguments: args as Record<string, unknown>,
    asked,
    tool_call_id,
    status,
  })

/** Records what would have been asked of each set. The id of the first request. */
async function shadow(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  sets: readonly Asked[],
  words: string | null,
): Promise<Gate> {
  const ids: string[] = []
  const write = { arguments: call.arguments, status: 'SHADOWED', words } as const
  for (const asked of sets) ids.push(await askWrite(run, tool, call, { ...write, asked }))
  return { do: 'SHADOWED', til_request_id: ids[0] as string }
}

/** The gate of changes: everybody whose approval a call needs has approved exactly the arguments with which it is made. */
async function writeGate(run: RunState, tool: Tool, call: RecordedCall, asks: AskedOfGate): Promise<Gate> {
  const { beyond, prepared } = asks
  const words = prepared?.words ?? null
  const isShadowed = isShadow(run.agent.agent_settings)
  const requests = await requestsOf(run, call)
  // Supervision that is switched on while a call waits begins with the next one.
  const supervised = requests[0]?.supervised ?? run.execution.supervised
  const group = await termsOf(run, tool, asks)
  const needed = approvalsOf(tool, { supervised, shadow: isShadowed, group, beyond })
  if (needed.length === 0) return { do: 'PASS', arguments: argumentsOf(call) }
  const failure = await asks.unavailability()
  if (failure) return { do: 'UNAVAILABLE', failure }
  if (supervised && !(await hasPlan(run))) {
    const til_request_id = await askPlan(run, planOf(run, tool, call), isShadowed ? 'SHADOWED' : 'PENDING')
    if (!isShadowed) return { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
  }
  const sets = await setsOf(run, tool, needed)
  if (isShadowed) return await shadow(run, tool, call, sets, words)
  const approved = approvedOf(call, requests)
  const next = sets.find(({ of }) => !approved.by.has(of))
  if (next) {
    const write = { asked: next, arguments: approved.arguments, status: 'PENDING', words } as const
    const til_request_id = await askWrite(run, tool, call, write)
    await prepared?.waitFor(run.ctx, til_request_id)
    return { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
  }
  const last = requests.findLast(({ status }) => status === 'APPROVED')
  return {
    do: 'PASS',
    arguments: approved.arguments as Record<string, unknown>,
    ...(last && { til_request_id: last.id }),
  }
}

/** The gate of the call, in the transaction in which the execution is locked. */
async function gateOf(run: RunState, tool: Tool, call: RecordedCall, asks: AskedOfGate): Promise<Gate> {
  const waited = await requestOf(run, call.til_request_id)
  const verdict = waited && verdictOf(waited.status)
  if (waited && verdict === 'REFUSED') return refused(waited)
  if (waited && verdict === 'WAIT') {
    const isQuestion = waited.kind === 'QUESTION'
    const status = isQuestion ? 'WAITING_FOR_INPUT' : 'WAITING_FOR_APPROVAL'
    return { do: 'WAIT', status, til_request_id: waited.id }
  }
  if (tool.name === 'technician.ask') return await question(run, call, waited)
  if (tool.name === 'run.propose_plan') return await plan(run, call, waited)
  return await writeGate(run, tool, call, asks)
}

const OUTCOMES = [
  { id: 'made', label: 'It is there.' },
  { id: 'not_made', label: 'It is not there: do it again.' },
  { id: 'go_on', label: 'Go on without it.' },
]

/** The name of the system that the tool writes in. */
const systemOf = ({ system, works_in }: Tool): string =>
  system ?? (works_in === 'PSA' || works_in === 'RMM' ? `the ${works_in}` : 'the other system')

/** Asks whether a call was made, of which its system does not tell. `ticket_url`: the page of its ticket for people. */
async function askIfMade(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  ticket_url: string | null,
): Promise<string> {
  const { entity_number } = run.execution
  const ticket = ticket_url ?? entity_number
  const question = triedInWords({ tool, arguments: argumentsOf(call), system: systemOf(tool), ticket })
  return await askTechnicians(run, {
    kind: 'QUESTION',
    ...questionInWords(question, askingOf(run)),
    question,
    options: OUTCOMES,
    tool,
    arguments: argumentsOf(call),
    status: 'PENDING',
  })
}

const MADE: Readonly<Record<string, 'MADE' | 'NOT_MADE'>> = { made: 'MADE', not_made: 'NOT_MADE' }

/** The answer to that question; LEAVE if there is none, or one in other words than those of its options. */
async function answerIfMade(run: RunState, til_request_id: string): Promise<'MADE' | 'NOT_MADE' | 'LEAVE'> {
  const request = await requestOf(run, til_request_id)
  return MADE[request?.answer_option_id ?? ''] ?? 'LEAVE'
}

export const approvalGate: ApprovalGate = {
  gateOf,
  askIfMade,
  answerIfMade,
  callEnded,
  cancelRequests: cancelRequestsOf,
}
