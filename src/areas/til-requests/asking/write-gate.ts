/** The gate of changes: everybody whose approval a call needs has approved exactly the arguments with which it is made. */
import { scoped, sql } from '../../../db/db.ts'
import { toolNamed } from '../../../tools/registry.ts'
import type { Tool } from '../../../tools/tool.ts'
import { actionsOf, type Gate, type RecordedCall, type RunState } from '../../executions/index.ts'
import { readGroup } from '../../tenant/index.ts'
import { type Asked, type AskedOf, approvedOf, type Request, setsToAsk } from '../rules.ts'
import { approversOfGroup, supervisorsOf } from './approvers.ts'
import { argumentsOf, askingOf, askPlan, askTechnicians } from './ask.ts'
import { approvalsOf, type GroupTerms, isShadow } from './rules/gating.ts'
import { type PlanStep, planOfActions, writeInWords } from './rules/wording.ts'

interface RequestOfCall extends Request {
  id: string
  /** True if the run that raised it was supervised. */
  supervised: boolean
}

const REQUESTS = scoped(
  'til_requests.of_waiting_call',
  `select r.id, r.status::text as status, r.asked_of::text as asked_of, r.arguments_hash, r.edited_arguments,
     r.edited_arguments_hash, coalesce(run.supervised, false) as supervised
   from til_request r
   left join execution_run run on run.tenant_id = r.tenant_id and run.environment = r.environment
     and run.execution_id = r.execution_id and run.temporal_run_id = r.initiating_temporal_run_id
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

async function termsOf({ ctx }: RunState, { permission_group }: Tool): Promise<GroupTerms | null> {
  if (!permission_group) return null
  const { requires_approval, revision } = await readGroup(ctx, permission_group)
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

/** Asks one set of technicians to approve the call with these arguments. The id of the request. */
const askWrite = (
  run: RunState,
  tool: Tool,
  { id: tool_call_id, reason }: RecordedCall,
  asked: Asked,
  args: unknown,
  status: 'PENDING' | 'SHADOWED',
): Promise<string> =>
  askTechnicians(run, {
    kind: 'WRITE',
    ...writeInWords(tool, askingOf(run), { reason, asked_of: asked.of }),
    tool,
    arguments: args as Record<string, unknown>,
    asked,
    tool_call_id,
    status,
  })

/** Records what would have been asked of each set. The id of the first request. */
async function shadow(run: RunState, tool: Tool, call: RecordedCall, sets: readonly Asked[]): Promise<Gate> {
  const ids: string[] = []
  for (const asked of sets) ids.push(await askWrite(run, tool, call, asked, call.arguments, 'SHADOWED'))
  return { do: 'SHADOWED', til_request_id: ids[0] as string }
}

/** The gate of a call that is not refused, and waits for no approval. */
export async function writeGate(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  beyond: boolean,
): Promise<Gate> {
  const isShadowed = isShadow(run.agent.agent_settings)
  const requests = await requestsOf(run, call)
  // Supervision that is switched on while a call waits begins with the next one.
  const supervised = requests[0]?.supervised ?? run.execution.supervised
  const group = await termsOf(run, tool)
  const needed = approvalsOf(tool, { supervised, shadow: isShadowed, group, beyond })
  if (needed.length === 0) return { do: 'PASS', arguments: argumentsOf(call) }
  if (supervised && !(await hasPlan(run))) {
    const til_request_id = await askPlan(run, planOf(run, tool, call), isShadowed ? 'SHADOWED' : 'PENDING')
    if (!isShadowed) return { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
  }
  const sets = await setsOf(run, tool, needed)
  if (isShadowed) return await shadow(run, tool, call, sets)
  const approved = approvedOf(call, requests)
  const next = sets.find(({ of }) => !approved.by.has(of))
  if (next) {
    const til_request_id = await askWrite(run, tool, call, next, approved.arguments, 'PENDING')
    return { do: 'WAIT', status: 'WAITING_FOR_APPROVAL', til_request_id }
  }
  const last = requests.findLast(({ status }) => status === 'APPROVED')
  return {
    do: 'PASS',
    arguments: approved.arguments as Record<string, unknown>,
    ...(last && { til_request_id: last.id }),
  }
}
