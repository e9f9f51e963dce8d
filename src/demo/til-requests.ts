/** The requests to technicians of the demo MSP: those of its supervised executions, and a few calls of the API. */

import { DECISIONS, expiryOf } from '../areas/til-requests/api-approval/rules.ts'
import { argumentsHash } from '../lib/arguments-hash.ts'
import { type ToolName, toolNamed } from '../tools/registry.ts'
import { apiRequests } from './api-requests.ts'
import { type AskedCall, askedCalls, writeOfCall } from './asked-calls.ts'
import { accountIdOf, staffGroupOf } from './identities.ts'
import { runId, tilRequestId } from './run-ids.ts'
import { pauseOf } from './run-times.ts'
import { insertMany, type Random, randomOf, type Seeding } from './seeding.ts'
import type { Decider, Row } from './til-request-row.ts'
import { ASKS, type Asks, REJECTIONS, type Write } from './til-stories.ts'

/** An execution that asks technicians, as far as its requests depend on it. */
interface Asking {
  execution_id: string
  agent_id: number
  agent_name: string
  status: string
  supervised: boolean
  run_count: number
  resolution: string
  message: string | null
  entity_id: string | null
  entity_number: string | null
  company: string | null
  psa_company_id: string | null
  contact_id: string | null
  seconds_spent: number
  approvers: number[]
  started_at: Date
  ended_at: Date
}

/** The content of a request. */
type Ask = { kind: 'PLAN' } | { kind: 'QUESTION' } | { kind: 'WRITE'; write: Write }

/** The outcome of a request, and its time. */
interface Settled {
  status: string
  at: Date | null
}

const HOUR_MS = 3_600_000

const idsOf = (tool: ToolName, { entity_id, psa_company_id, contact_id }: Asking): Record<string, string> => {
  const ids: Record<string, string> = {
    ...(entity_id !== null && { ticket_id: entity_id, time_entry_id: entity_id }),
    ...(contact_id !== null && {
      contact_id,
      recipient_contact_id: contact_id,
      account_id: accountIdOf(contact_id),
    }),
    ...(psa_company_id !== null && { company_id: psa_company_id, group_id: staffGroupOf(psa_company_id) }),
  }
  const taken = Object.keys((toolNamed(tool)?.input_schema.properties ?? {}) as object)
  return Object.fromEntries(taken.flatMap((name) => (ids[name] ? [[name, ids[name]]] : [])))
}

/** The columns that the kind of the request determines. */
function contentOf(asking: Asking, { plan, question }: Asks, ask: Ask) {
  const nothing = {
    tool_name: null,
    tool_title: null,
    system: null,
    arguments: null,
    arguments_hash: null,
    plan: null,
    question: null,
    options: null,
    risk: 'READ',
  }
  if (ask.kind === 'PLAN')
    return { ...nothing, title: 'Plan of the run', summary: 'The run makes these changes, one by one.', plan }
  if (ask.kind === 'QUESTION')
    return {
      ...nothing,
      title: 'A decision is needed',
      summary: 'The instructions leave it open.',
      question: question.text,
      options: question.options,
    }
  const { tool, title, summary, system } = ask.write
  const args = { ...idsOf(tool, asking), ...ask.write.arguments }
  const definition = toolNamed(tool)
  return {
    ...nothing,
    title,
    summary,
    system,
    tool_name: tool,
    tool_title: definition?.title ?? null,
    arguments: args,
    arguments_hash: argumentsHash(args),
    risk: definition?.annotations.destructive ? 'DESTRUCTIVE' : 'CHANGE',
  }
}

/** The columns of the request that its decision sets. */
function decisionOf({ question }: Asks, { status, at }: Settled, decider: Decider, random: Random) {
  const decided = ['APPROVED', 'REJECTED', 'ANSWERED'].includes(status)
  const [reason_code, comment] = random.pick(REJECTIONS)
  const option = question.options?.find(({ label }) => label === question.answer)
  return {
    decided_at: decided ? at : null,
    decided_by_name: decided ? decider.name : null,
    decision_comment: status === 'REJECTED' ? comment : null,
    reason_code: status === 'REJECTED' ? reason_code : null,
    answer: status === 'ANSWERED' ? question.answer : null,
    answer_option_id: status === 'ANSWERED' ? (option?.id ?? null) : null,
  }
}

const VERBS: Readonly<Record<string, string>> = {
  APPROVED: 'APPROVE',
  REJECTED: 'REJECT',
  ANSWERED: 'ANSWER',
}

interface Told {
  run: number
  ask: Ask
  settled: Settled
  suffix?: string
  /** The name of who decided, if that is known. */
  decided_by?: string | null
  /** The permission group that gates the call, and its approvers. */
  gate?: { name: string; approvers: number[] }
}

/** A request of the run of this number. */
function requestOf(
  asking: Asking,
  { run, ask, settled, suffix = '', decided_by, gate }: Told,
  people: ReadonlyMap<number, string>,
  random: Random,
): Row {
  const asks = ASKS[asking.agent_id] as Asks
  const { execution_id, agent_id, agent_name, approvers, run_count } = asking
  const { asked } = pauseOf(asking, run)
  const technician_id = approvers.find((id) => people.get(id) === decided_by) ?? random.pick(approvers)
  const decision = VERBS[settled.status]
  const via = random.pick(['DASHBOARD', 'CHAT_APP', 'CHAT_APP', 'API'])
  const decider = { technician_id, name: people.get(technician_id) ?? '', decision: decision ?? '', via }
  const isResumed = decision !== undefined && run < run_count
  return {
    id: tilRequestId(execution_id, run) + suffix,
    kind: ask.kind,
    status: settled.status,
    execution_id,
    agent_id,
    initiating_temporal_run_id: runId(execution_id, run),
    resumed_temporal_run_id: isResumed ? runId(execution_id, run + 1) : null,
    ...contentOf(asking, asks, ask),
    edited_arguments: null,
    edited_arguments_hash: null,
    call: null,
    asked_of: gate ? 'APPROVERS' : null,
    permission_group: gate?.name ?? null,
    required_approvals: 1,
    allowed_decisions: DECISIONS[ask.kind],
    requested_by_type: 'AGENT',
    requested_by_id: String(agent_id),
    requested_by_name: agent_name,
    entity_id: asking.entity_id,
    entity_number: asking.entity_number,
    psa_company_name: asking.company,
    ...decisionOf(asks, settled, decider, random),
    expires_at: settled.status === 'EXPIRED' ? settled.at : expiryOf(asked),
    revision: decision === undefined ? 1 : 2,
    created_at: asked,
    updated_at: settled.at ?? asked,
    closed_at: settled.at,
    technicians: gate?.approvers ?? approvers,
    ...(decision !== undefined && { decider }),
  }
}

const approved = (at: Date): Settled => ({ status: 'APPROVED', at })

/** The gate of a write whose permission group has approvers. */
function gateOf(ask: Ask, groups: ReadonlyMap<string, number[]>): Pick<Told, 'gate'> {
  const name = ask.kind === 'WRITE' ? toolNamed(ask.write.tool)?.permission_group : null
  const approvers = name && groups.get(name)
  return approvers ? { gate: { name, approvers } } : {}
}

/** The requests of one execution: the plan first, then a write or a question at the end of each run that was resumed. */
function requestsOf(
  asking: Asking,
  calls: ReadonlyMap<string, AskedCall>,
  people: ReadonlyMap<number, string>,
  groups: ReadonlyMap<string, number[]>,
  random: Random,
): Row[] {
  const { status, run_count, message, resolution, agent_id } = asking
  const { writes } = ASKS[agent_id] as Asks
  const writeOf = (number: number): Ask => ({ kind: 'WRITE', write: writes[number % writes.length] as Write })
  const requests: Row[] = []
  const add = (run: number, ask: Ask, settled: Settled, rest: Partial<Told> = {}) =>
    requests.push(requestOf(asking, { run, ask, settled, ...rest }, people, random))
  if (!asking.supervised && status !== 'WAITING_FOR_INPUT') {
    const { asked } = pauseOf(asking, 1)
    add(1, writeOf(0), { status: 'SHADOWED', at: asked })
    return requests
  }
  const isRefused = message?.startsWith('The reset was refused')
  for (let run = 1; run < run_count; run++) {
    const { asked, resumed } = pauseOf(asking, run)
    const isLast = run === run_count - 1
    const call = calls.get(tilRequestId(asking.execution_id, run))
    if (call) {
      const settled = { status: call.denied ? 'REJECTED' : 'APPROVED', at: resumed }
      const { decided_by } = call
      add(run, { kind: 'WRITE', write: writeOfCall(call, writes) }, settled, { decided_by })
    } else if (isLast && !isRefused && resolution === 'NONE' && status === 'COMPLETED') {
      add(run, run === 1 ? { kind: 'PLAN' } : writeOf(run - 2), { status: 'EXPIRED', at: resumed })
    } else if (run === 1) {
      add(run, { kind: 'PLAN' }, approved(resumed))
    } else if (isLast && isRefused) {
      add(run, writeOf(run - 2), { status: 'REJECTED', at: resumed })
    } else if (isLast && ['FAILED', 'TIMED_OUT'].includes(status) && random.fraction() < 0.6) {
      add(run, writeOf(run - 2), { status: 'EXPIRED', at: resumed })
    } else if (random.fraction() < 0.15) {
      add(run, { kind: 'QUESTION' }, { status: 'ANSWERED', at: resumed })
    } else {
      if (random.fraction() < 0.08)
        add(run, writeOf(run - 1), { status: 'SUPERSEDED', at: asked }, { suffix: '_0' })
      add(run, writeOf(run - 2), approved(resumed))
    }
  }
  const first: Ask = run_count === 1 ? { kind: 'PLAN' } : writeOf(run_count - 2)
  if (isRefused && run_count === 2) add(run_count, first, { status: 'REJECTED', at: asking.ended_at })
  if (status === 'CANCELLED') add(run_count, first, { status: 'CANCELLED', at: asking.ended_at })
  if (status === 'WAITING_FOR_APPROVAL')
    add(run_count, first, { status: 'PENDING', at: null }, gateOf(first, groups))
  if (status === 'WAITING_FOR_INPUT') add(run_count, { kind: 'QUESTION' }, { status: 'PENDING', at: null })
  return requests
}

/** An approval after which the run went on with other arguments. */
function edited(request: Row): Row {
  const { decider } = request
  if (request.kind !== 'WRITE' || request.status !== 'APPROVED' || !decider) return request
  if (request.tool_name !== 'message.send') return request
  const edited_arguments = { ...(request.arguments as object), subject: 'How to sign in again' }
  const hash = argumentsHash(edited_arguments)
  return {
    ...request,
    edited_arguments,
    edited_arguments_hash: hash,
    decider: { ...decider, decision: 'EDIT' },
  }
}

/** The first executions of the agent for new starters were supervised in shadow mode. */
const SHADOWED_AGENT = 3
const SHADOWED_HOURS = 28 * 24

async function askingExecutions({ tx, tenancy, now }: Seeding): Promise<Asking[]> {
  const { tenant_id, environment } = tenancy
  const shadowed = new Date(now.getTime() - SHADOWED_HOURS * HOUR_MS)
  return await tx.$queryRaw<Asking[]>`
    select e.execution_id, e.agent_id, a.name as agent_name, e.status::text, e.supervised, e.run_count,
      e.resolution::text, e.message_for_dashboard as message, e.entity_id, e.entity_number, c.name as company, c.psa_company_id, t.contact_id,
      e.seconds_spent::float8 as seconds_spent, a.supervisor_technician_ids as approvers, e.started_at,
      coalesce(e.finished_at, e.updated_at) as ended_at
    from execution e
    join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
    left join psa_time_entry n on n.tenant_id = e.tenant_id and n.environment = e.environment
      and n.time_entry_id = e.entity_id and e.entity_type = 'TIME_ENTRY'
    left join psa_ticket t on t.tenant_id = e.tenant_id and t.environment = e.environment
      and t.ticket_id = case e.entity_type when 'TICKET' then e.entity_id else n.ticket_id end
    left join end_company c on c.tenant_id = t.tenant_id and c.environment = t.environment
      and c.psa_company_id = t.psa_company_id
    where e.tenant_id = ${tenant_id} and e.environment = ${environment} and e.started_at is not null
      and (e.supervised or e.status = 'WAITING_FOR_INPUT'
        or (e.agent_id = ${SHADOWED_AGENT} and e.created_at < ${shadowed}))
    order by e.created_at, e.execution_id`
}

/** The technicians who approve if an agent names none, by their ids in the PSA. */
const OTHERS = [201, 203, 204]

export async function seedTilRequests(seeding: Seeding): Promise<void> {
  const { tx, tenancy } = seeding
  const random = randomOf('til-requests')
  const technicians = await tx.technicianProfile.findMany({ where: tenancy })
  const people = new Map(technicians.map(({ id, name }) => [id, name]))
  const others = technicians.filter(({ psa_id }) => OTHERS.includes(psa_id)).map(({ id }) => id)
  const gating = await tx.permissionGroupSetting.findMany({ where: { ...tenancy, requires_approval: true } })
  const groups = new Map(gating.map(({ name, approver_technician_ids }) => [name, approver_technician_ids]))
  const executions = await askingExecutions(seeding)
  const calls = await askedCalls(seeding)
  const asked = executions.flatMap((execution) => {
    const approvers = execution.approvers.length > 0 ? execution.approvers : others
    return requestsOf({ ...execution, approvers }, calls, people, groups, random).map((request) =>
      random.fraction() < 0.2 ? edited(request) : request,
    )
  })
  const requests = [...asked, ...(await apiRequests(seeding, people))]
  await insertMany(
    tx,
    'til_request',
    requests.map(({ technicians: _, decider: __, ...request }) => ({ ...tenancy, ...request })),
  )
  await tx.$executeRawUnsafe('analyze til_request')
  await insertMany(
    tx,
    'til_request_technician',
    requests.flatMap(({ id: til_request_id, technicians: named }) =>
      named.map((technician_id) => ({ ...tenancy, til_request_id, technician_id })),
    ),
  )
  await insertMany(
    tx,
    'til_approval',
    requests.flatMap(({ id, decider, decided_at, decision_comment }) =>
      decider
        ? [{ ...tenancy, til_request_id: id, ...decider, comment: decision_comment, at: decided_at }]
        : [],
    ),
  )
}
