/** The gate that every tool call of a run passes, waits at, or is turned away from. */
import { scoped, sql } from '../../../db/db.ts'
import type { Row } from '../../../schema/models.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { ApprovalGate, Gate, RecordedCall, RunState } from '../../executions/index.ts'
import { argumentsOf, askingOf, askPlan, askTechnicians, cancelRequestsOf } from './ask.ts'
import { callEnded } from './call-ended.ts'
import { isShadow, verdictOf } from './rules/gating.ts'
import { planOfWords, questionInWords } from './rules/wording.ts'
import { writeGate } from './write-gate.ts'

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

/** The gate of the call, in the transaction in which the execution is locked. */
async function gateOf(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  { beyond }: { beyond: boolean },
): Promise<Gate> {
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
  return await writeGate(run, tool, call, beyond)
}

const OUTCOMES = [
  { id: 'made', label: 'It was made.' },
  { id: 'not_made', label: 'It was not made.' },
  { id: 'unknown', label: 'Nobody can tell.' },
]

/** Asks whether a call was made, of which a lost worker left no trace and the other system cannot tell. */
async function askIfMade(run: RunState, tool: Tool, call: RecordedCall): Promise<string> {
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

/** The answer to that question; LEAVE if nobody gave one, or in other words than those of its options. */
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
