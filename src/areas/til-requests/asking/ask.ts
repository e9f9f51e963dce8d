/** Asks technicians on behalf of a run: the request is stored with the pause of the run, or with what it goes on with. */

import { scoped, sql } from '../../../db/db.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { argumentsHash } from '../../../lib/arguments-hash.ts'
import { newId } from '../../../lib/ids.ts'
import { crossedSystems } from '../../../tools/grants.ts'
import type { Tool } from '../../../tools/tool.ts'
import { settersOf } from '../../agents/index.ts'
import { companyNameByPsaId } from '../../end-companies/index.ts'
import {
  type NewEvent,
  type RecordedCall,
  type RunState,
  recordEvents,
  startersOf,
} from '../../executions/index.ts'
import { DECISIONS } from '../api-approval/rules.ts'
import { nameTechnicians } from '../named-technicians.ts'
import type { Asked } from '../rules.ts'
import type { Option } from '../til-request.ts'
import { supervisorsOf } from './approvers.ts'
import { minutesToDecide } from './rules/gating.ts'
import { shownPlan } from './rules/shown.ts'
import { type PlanStep, planInWords } from './rules/wording.ts'

/** A question or a request for approval, as technicians get it. */
export interface Ask {
  kind: 'PLAN' | 'WRITE' | 'QUESTION'
  title: string
  summary: string
  /** The tool to be called, and its arguments. */
  tool?: Tool
  arguments?: Record<string, unknown>
  plan?: readonly PlanStep[]
  question?: string
  options?: readonly Option[]
  /** The technicians who decide. The supervisors of the run if it is left out. */
  asked?: Asked
  /** The tool call that waits. */
  tool_call_id?: string
  /** SHADOWED: the run goes on without waiting. */
  status: 'PENDING' | 'SHADOWED'
}

const OPEN = scoped(
  'til_requests.open_of_execution',
  `select r.id, r.kind, r.tool_name, r.arguments_hash, r.asked_of from til_request r
   where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.status = 'PENDING'`,
)

const SUPERSEDE = scoped(
  'til_requests.supersede',
  `update til_request r set status = 'SUPERSEDED', closed_at = $4::timestamptz, updated_at = $4::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id = any($3::text[]) and r.status = 'PENDING'`,
)

const STORE = insertOf('til_requests.store_ask', 'TilRequest', {
  columns: [
    'id',
    'kind',
    'status',
    'execution_id',
    'initiating_temporal_run_id',
    'agent_id',
    'tool_name',
    'tool_title',
    'system',
    'title',
    'summary',
    'arguments',
    'arguments_hash',
    'plan',
    'question',
    'options',
    'allowed_decisions',
    'requested_by_type',
    'requested_by_id',
    'requested_by_name',
    'entity_id',
    'entity_number',
    'risk',
    'expires_at',
    'created_at',
    'updated_at',
    'closed_at',
    'asked_of',
    'permission_group',
    'tool_call_id',
  ],
  parameters: ['psa_company_id', 'second_person'],
  computed: {
    asked_by_user_ids: `case when $second_person::boolean then array(
      select user_id from (${startersOf('$execution_id')} union ${settersOf('$agent_id')}) askers
      where user_id is not null
    ) else '{}' end`,
    psa_company_name: companyNameByPsaId('$psa_company_id::text'),
  },
})

const MINUTE_MS = 60_000

const riskOf = ({ kind, tool }: Ask): 'READ' | 'CHANGE' | 'DESTRUCTIVE' => {
  if (kind !== 'WRITE' || !tool) return 'READ'
  return tool.annotations.destructive ? 'DESTRUCTIVE' : 'CHANGE'
}

const planText = (steps: readonly PlanStep[]): string =>
  shownPlan(steps)
    .map(({ step, text }) => `${step}. ${text}`)
    .join('\n')

/** The events of the timeline that say what was asked. */
function eventsOf({ kind, title, plan = [], question }: Ask, til_request_id: string): NewEvent[] {
  if (kind === 'QUESTION') return [{ kind: 'QUESTION', text: question ?? title, til_request_id }]
  const asked: NewEvent = { kind: 'APPROVAL_REQUESTED', text: title, til_request_id }
  return kind === 'PLAN' ? [{ kind: 'PLAN', text: planText(plan), til_request_id }, asked] : [asked]
}

interface OpenRequest {
  id: string
  kind: string
  tool_name: string | null
  arguments_hash: string | null
  asked_of: string | null
}

/**
 * The id of the request, in the transaction in which the execution is locked. The same call has one open request; others
 * of the execution are superseded, since the agent asks for something else now.
 */
export async function askTechnicians(run: RunState, ask: Ask): Promise<string> {
  const { ctx, execution, agent } = run
  const { execution_id, agent_id, entity_id, entity_number, psa_company_id } = execution
  const { temporal_run_id } = run.run
  const { kind, tool, status } = ask
  const asked = ask.asked ?? (await supervisorsOf(run))
  const decisions = DECISIONS[kind].filter((decision) => decision !== 'EDIT' || asked.may_edit)
  const hash = ask.arguments ? argumentsHash(ask.arguments) : null
  const open = await sql<OpenRequest>(ctx, OPEN, [execution_id])
  const same = open.find(
    (one) =>
      one.kind === kind &&
      one.tool_name === (tool?.name ?? null) &&
      one.arguments_hash === hash &&
      one.asked_of === asked.of,
  )
  if (same && hash !== null && status === 'PENDING') return same.id
  if (open.length > 0) await sql(ctx, SUPERSEDE, [open.map(({ id }) => id), ctx.now])
  const id = newId('til')
  const expires_at = new Date(ctx.now.getTime() + minutesToDecide(agent.agent_settings) * MINUTE_MS)
  await insert(ctx, STORE, {
    id,
    kind,
    status,
    execution_id,
    initiating_temporal_run_id: temporal_run_id,
    agent_id,
    requested_by_type: 'AGENT',
    requested_by_id: String(agent_id),
    requested_by_name: agent.agent_name,
    entity_id,
    entity_number,
    psa_company_id,
    second_person: kind === 'WRITE' && asked.of === 'APPROVERS' && tool?.second_person != null,
    tool_name: tool?.name ?? null,
    tool_title: tool?.title ?? null,
    system: tool?.system ?? null,
    title: ask.title,
    summary: ask.summary,
    plan: ask.plan ?? null,
    question: ask.question ?? null,
    arguments: ask.arguments ?? null,
    arguments_hash: hash,
    tool_call_id: ask.tool_call_id ?? null,
    options: ask.options ?? null,
    allowed_decisions: decisions,
    risk: riskOf(ask),
    asked_of: asked.of,
    permission_group: asked.of === 'APPROVERS' ? (tool?.permission_group ?? null) : null,
    expires_at,
    created_at: ctx.now,
    updated_at: ctx.now,
    closed_at: status === 'PENDING' ? null : ctx.now,
  })
  await nameTechnicians(ctx, [id], asked.technician_ids)
  await recordEvents(ctx, { execution_id, temporal_run_id }, eventsOf(ask, id))
  return id
}

const CANCEL = scoped(
  'til_requests.cancel_of_execution',
  `update til_request r set status = 'CANCELLED', closed_at = $4::timestamptz, updated_at = $4::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.status = 'PENDING'`,
)

/** Cancels the open requests of an execution that is cancelled, and locked. */
export const cancelRequestsOf = async (
  ctx: Parameters<typeof recordEvents>[0],
  execution_id: string,
): Promise<void> => {
  await sql(ctx, CANCEL, [execution_id, ctx.now])
}

/** The agent that asks, in the words of its requests. */
export const askingOf = ({ agent, execution }: RunState) => ({
  agent_name: agent.agent_name,
  crossed_systems: execution.entity_id === null ? [] : crossedSystems(agent.integrations),
  entity_id: execution.entity_id,
  entity_number: execution.entity_number,
})

export const argumentsOf = ({ arguments: args }: RecordedCall) => args as Record<string, unknown>

/** Asks the supervisors to approve the plan. */
export const askPlan = async (run: RunState, plan: readonly PlanStep[], status: 'PENDING' | 'SHADOWED') =>
  await askTechnicians(run, { kind: 'PLAN', ...planInWords(plan, askingOf(run)), plan, status })
