/** The work of the demo executions that wait for technicians: a decision resumes it, and no model is needed for the rest. */
import { argumentsHash } from '../lib/arguments-hash.ts'
import { insertMany, type Seeding } from './seeding.ts'

/** An execution that waits, with the request that it waits for, and its agent. */
interface Waiting {
  execution_id: string
  agent_id: number
  agent_name: string
  entity_type: string
  created_at: Date
  agent_settings: object
  toolbox: object
  integrations: object
  til_request_id: string
  temporal_run_id: string
  tool_name: string | null
  arguments: object
  question: string | null
  options: { label: string }[] | null
  asked_at: Date
}

interface Made {
  execution_id: string
  temporal_run_id: string
  tool_name: string
  arguments: object
  occurred_at: Date
}

interface Action {
  type: string
  params: object
}

/** The actions of an agent after the question that it waits with. */
const AFTER_QUESTION: Readonly<Record<number, readonly Action[]>> = {
  1: [{ type: 'ticket.set_priority', params: { priority: 'P3' } }],
}

/** The call that waits: the write that is asked for, or the question itself. */
const waitingCall = ({ tool_name, arguments: args, question, options }: Waiting): Action =>
  tool_name !== null
    ? { type: tool_name, params: args }
    : {
        type: 'technician.ask',
        params: { question, ...(options && { options: options.map(({ label }) => label) }) },
      }

export async function seedWaitingWork({ tx, tenancy }: Seeding): Promise<void> {
  const { tenant_id, environment } = tenancy
  // The calls of an execution reach the company of its ticket alone.
  await tx.$executeRaw`
    update execution e set psa_company_id = t.psa_company_id from psa_ticket t
    where e.tenant_id = ${tenant_id} and e.environment = ${environment}
      and e.status in ('WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT')
      and t.tenant_id = e.tenant_id and t.environment = e.environment and t.ticket_id = e.entity_id`
  const waiting = await tx.$queryRaw<Waiting[]>`
    select e.execution_id, e.agent_id, a.name as agent_name, e.entity_type::text, e.created_at,
      coalesce(a.agent_settings, '{}') as agent_settings, coalesce(a.toolbox, '{}') as toolbox,
      coalesce(a.integrations, '{}') as integrations, r.id as til_request_id,
      r.initiating_temporal_run_id as temporal_run_id, r.tool_name, r.arguments, r.question, r.options,
      r.created_at as asked_at
    from execution e
    join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
    join til_request r on r.tenant_id = e.tenant_id and r.environment = e.environment
      and r.execution_id = e.execution_id and r.status = 'PENDING'
    where e.tenant_id = ${tenant_id} and e.environment = ${environment}
    order by e.execution_id`
  const made = await tx.$queryRaw<Made[]>`
    select l.execution_id, l.temporal_run_id, l.tool_name, l.arguments, l.occurred_at from audit_entry l
    where l.tenant_id = ${tenant_id} and l.environment = ${environment} and l.outcome = 'SUCCEEDED'
      and l.execution_id = any(${waiting.map(({ execution_id }) => execution_id)})
    order by l.sequence`
  const works = waiting.map((execution) => {
    const before = made.filter(({ execution_id }) => execution_id === execution.execution_id)
    const asked = waitingCall(execution)
    return { execution, before, asked }
  })
  await insertMany(
    tx,
    'execution_work',
    works.map(({ execution, before, asked }) => ({
      ...tenancy,
      execution_id: execution.execution_id,
      arrived_at: execution.created_at,
      waited_seconds: 0,
      failed_attempts: 0,
      lost_attempts: 0,
      steps_done: 0,
      model_tries: 0,
      agent_name: execution.agent_name,
      // The rest of the work is a chain of actions, so that the demo goes on without a model.
      autonomy_type: 'CHAINED_ACTIONS',
      entity_type: execution.entity_type,
      agent_settings: execution.agent_settings,
      toolbox: execution.toolbox,
      integrations: execution.integrations,
      actions: [
        ...before.map(({ tool_name, arguments: params }) => ({ type: tool_name, params })),
        asked,
        ...(execution.tool_name === null ? (AFTER_QUESTION[execution.agent_id] ?? []) : []),
      ],
    })),
  )
  await insertMany(
    tx,
    'tool_call',
    works.flatMap(({ execution, before, asked }) => [
      ...before.map(({ occurred_at, temporal_run_id, tool_name, arguments: args }, index) => ({
        ...callOf(execution, { type: tool_name, params: args }, index),
        temporal_run_id,
        status: 'SUCCEEDED',
        til_request_id: null,
        started_at: occurred_at,
        ended_at: occurred_at,
      })),
      {
        ...callOf(execution, asked, before.length),
        temporal_run_id: execution.temporal_run_id,
        status: 'WAITING',
        til_request_id: execution.til_request_id,
        started_at: null,
        ended_at: null,
      },
    ]),
  )

  function callOf({ execution_id }: Waiting, { type, params }: Action, index: number) {
    return {
      ...tenancy,
      id: `tlc_${execution_id.slice(4)}_${index + 1}`,
      execution_id,
      sequence: index + 1,
      tool_name: type,
      arguments: params,
      arguments_hash: argumentsHash(params),
    }
  }
}
