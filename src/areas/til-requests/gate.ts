/** The gate that every tool call of a run passes, waits at, or is turned away from. */
import { scoped, sql } from '../../db/db.ts'
import type { Row } from '../../schema/models.ts'
import { toolNamed } from '../../tools/registry.ts'
import type { Tool } from '../../tools/tool.ts'
import { actionsOf, type Gate, type RecordedCall, type RunState } from '../executions/index.ts'
import { readGroup } from '../tenant/index.ts'
import { askTechnicians } from './ask.ts'
import { askBefore, type GroupTerms, isShadow, verdictOf } from './rules/gating.ts'
import {
  type PlanStep,
  planInWords,
  planOfActions,
  planOfWords,
  questionInWords,
  writeInWords,
} from './rules/wording.ts'

type Settled = Pick<
  Row<'TilRequest'>,
  | 'id'
  | 'kind'
  | 'status'
  | 'arguments_hash'
  | 'edited_arguments'
  | 'decided_by_name'
  | 'decision_comment'
  | 'answer'
  | 'answer_option_id'
>

const REQUEST = scoped(
  'til_requests.of_call',
  `select r.id, r.kind, r.status, r.arguments_hash, r.edited_arguments, r.decided_by_name, r.decision_comment,
     r.answer, r.answer_option_id
   from til_request r where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

async function requestOf({ ctx }: RunState, id: string | null): Promise<Settled | null> {
  if (id === null) return null
  const [request] = await sql<Settled>(ctx, REQUEST, [id])
  return request ?? null
}

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

interface Group extends GroupTerms {
  approvers: readonly number[]
}

async function groupOf({ ctx }: RunState, { permission_group }: Tool): Promise<Group | null> {
  if (!permission_group) return null
  const { requires_approval, revision, approver_technician_ids } = await readGroup(ctx, permission_group)
  // A group that the tenant has never changed has revision 1.
  return { requires_approval, decided: revision > 1, approvers: approver_technician_ids }
}

const askingOf = ({ agent, execution }: RunState) => ({
  agent_name: agent.agent_name,
  entity_id: execution.entity_id,
  entity_number: execution.entity_number,
})

const argumentsOf = ({ arguments: args }: RecordedCall) => args as Record<string, unknown>

const pass = (call: RecordedCall): Gate => ({ do: 'PASS', arguments: argumentsOf(call) })

/** The refusal of what the request asked for. A rejected plan ends the work. */
const refused = ({ id, kind, status, decided_by_name, decision_comment }: Settled): Gate => ({
  do: 'REFUSED',
  til_request_id: id,
  by_name: decided_by_name,
  comment: status === 'EXPIRED' ? 'Nobody decided in time.' : decision_comment,
  ends: kind === 'PLAN',
})

/** The steps of the plan: the actions of a chain, or else what the agent is about to do. */
function planOf({ agent }: RunState, tool: Tool, call: RecordedCall): PlanStep[] {
  // Contract silent: an agent that makes a change without having proposed a plan has that change as its plan.
  const actions = agent.autonomy_type === 'CHAINED_ACTIONS' ? actionsOf(agent) : []
  const own = [{ type: tool.name, params: argumentsOf(call) }]
  return planOfActions(actions.length > 0 ? actions : own, toolNamed)
}

const askPlan = async (run: RunState, plan: readonly PlanStep[], status: 'PENDING' | 'SHADOWED') =>
  await askTechnicians(run, { kind: 'PLAN', ...planInWords(plan, askingOf(run)), plan, status })

/** The gate of `technician.ask`. */
async function question(run: RunState, call: RecordedCall, waited: Settled | null): Promise<Gate> {
  if (waited && verdictOf(waited.status) === 'GO_ON')
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
  if (waited && verdictOf(waited.status) === 'GO_ON')
    return { do: 'ANSWERED', til_request_id: waited.id, result: { approved: true } }
  const steps = planOfWords((argumentsOf(call) as { steps: string[] }).steps)
  const shadow = isShadow(run.agent.agent_settings)
  // Contract silent: a plan of a run that nobody supervises is recorded, and needs no approval.
  const status = shadow || !run.execution.supervised ? 'SHADOWED' : 'PENDING'
  const til_request_id = await askPlan(run, steps, status)
  return status === 'SHADOWED'
    ? { do: 'ANSWERED', til_request_id, result: { approved: true } }
    : { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
}

async function write(run: RunState, tool: Tool, call: RecordedCall, waited: Settled | null): Promise<Gate> {
  const isOwn = waited?.kind === 'WRITE' && waited.arguments_hash === call.arguments_hash
  if (waited && isOwn && verdictOf(waited.status) === 'GO_ON') {
    const { id: til_request_id, edited_arguments } = waited
    return {
      do: 'PASS',
      arguments: (edited_arguments as Record<string, unknown> | null) ?? argumentsOf(call),
      til_request_id,
    }
  }
  const { supervised } = run.execution
  const shadow = isShadow(run.agent.agent_settings)
  const group = await groupOf(run, tool)
  const has_plan = !supervised || (await hasPlan(run))
  const asked = askBefore(tool, { supervised, shadow, group, has_plan })
  if (asked === null) return pass(call)
  if (asked === 'PLAN') {
    const til_request_id = await askPlan(run, planOf(run, tool, call), shadow ? 'SHADOWED' : 'PENDING')
    if (!shadow) return { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
  }
  const til_request_id = await askTechnicians(run, {
    kind: 'WRITE',
    ...writeInWords(tool, askingOf(run), call.reason),
    tool,
    arguments: argumentsOf(call),
    ...(group && { approvers: group.approvers }),
    status: shadow ? 'SHADOWED' : 'PENDING',
  })
  return shadow
    ? { do: 'SHADOWED', til_request_id }
    : { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
}

/** The gate of the call, in the transaction in which the execution is locked. */
export async function gateOf(run: RunState, tool: Tool, call: RecordedCall): Promise<Gate> {
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
  return await write(run, tool, call, waited)
}

const OUTCOMES = [
  { id: 'made', label: 'It was made.' },
  { id: 'not_made', label: 'It was not made.' },
  { id: 'unknown', label: 'Nobody can tell.' },
]

/** Asks whether a call was made, of which a lost worker left no trace and the other system cannot tell. */
export async function askIfMade(run: RunState, tool: Tool, call: RecordedCall): Promise<string> {
  const question = `Was this made: ${tool.title}? The connection was lost meanwhile, and ${tool.system ?? 'the other system'} cannot tell.`
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

/** The answer to that question; LEAVE where nobody gave one, or in other words than those of its options. */
export async function answerIfMade(
  run: RunState,
  til_request_id: string,
): Promise<'MADE' | 'NOT_MADE' | 'LEAVE'> {
  const request = await requestOf(run, til_request_id)
  return MADE[request?.answer_option_id ?? ''] ?? 'LEAVE'
}
