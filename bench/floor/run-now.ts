/** An execution is started in two round trips: everything that is checked, and everything that is stored. */
import type { FastifyInstance } from 'fastify'
import { newId } from '../../src/lib/ids.ts'
import { insertOfNew, valuesOfNew } from './activity.ts'
import { type Call, Refusal } from './call.ts'
import { type Outcome, rows, transaction } from './database.ts'
import { route } from './route.ts'
import { visibleTo } from './visible.ts'

const LIVE = `('NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT')`

/** The agent, which nobody changes until the transaction ends; what is live on the ticket; the plan; and the ticket. */
const check = (name: string, and: string) => ({
  name,
  text: `select a.name, a.state, a.autonomy_type, a.entity_type, a.supervised, a.supervisor_technician_ids,
           live.execution_id as live_id, live.status as live_status, live.supervised as live_supervised,
           live.run_id as live_run_id, plan.status as plan_status, plan.trial_ends_at, plan.ends_at,
           coalesce(plan.overage_allowed, true) as overage_allowed, ticket.ticket_id, ticket.number,
           ticket.psa_company_id
         from agent a
         left join subscription plan on plan.tenant_id = $1 and plan.environment = $2
         left join psa_ticket ticket on ticket.tenant_id = $1 and ticket.environment = $2 and ticket.ticket_id = $4
         left join lateral (
           select e.execution_id, e.status, e.supervised, (
             select r.temporal_run_id from execution_run r
             where r.tenant_id = $1 and r.environment = $2 and r.execution_id = e.execution_id
             order by r.sequence desc limit 1
           ) as run_id
           from execution e
           where e.tenant_id = $1 and e.environment = $2 and e.entity_id = $4 and e.agent_id = $3 and e.status in ${LIVE}
           order by e.created_at desc, e.execution_id desc limit 1
         ) live on true
         where a.tenant_id = $1 and a.environment = $2 and a.id = $3 ${and}
         for share of a`,
})
const CHECK = check('run_check', '')
const CHECK_VISIBLE = check('run_check_visible', `and ${visibleTo('$5')}`)

interface Checked {
  name: string
  state: string
  autonomy_type: string
  entity_type: string
  supervised: boolean
  supervisor_technician_ids: number[]
  live_id: string | null
  live_status: string
  live_supervised: boolean
  live_run_id: string | null
  plan_status: string | null
  trial_ends_at: Date | null
  ends_at: Date | null
  overage_allowed: boolean
  ticket_id: string | null
  number: string | null
  psa_company_id: string | null
}

/** The execution, its job as pg-boss stores it, and the record. Another one that is live breaks an index. */
const START = {
  name: 'run_start',
  text: `with started as (
      insert into execution (tenant_id, environment, execution_id, agent_id, trigger, supervised,
        supervisor_technician_ids, entity_type, entity_id, entity_number, additional_custom_instructions, created_at,
        updated_at, acting_user_id, request_id, psa_company_id, asked_by_user_ids, api_key_id, api_key_name)
      values ($1, $2, $3, $4, 'RUN_NOW', $5, $6, $7, $8, $9, $10, $11::timestamptz, $11::timestamptz, $19, $20, $21, $22,
        $15, $16)
      returning execution_id
    ), queued as (
      insert into pgboss.job (id, name, data, priority, start_after, created_on, expire_seconds, deletion_seconds,
        keep_until, retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds,
        blocked, blocking, pending_dependencies)
      select gen_random_uuid(), q.name, $12, 0, now(), now(), q.expire_seconds, q.deletion_seconds,
        now() + q.retention_seconds * interval '1s', q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max,
        q.policy, q.dead_letter, q.heartbeat_seconds, false, false, 0
      from pgboss.queue q where q.name = 'executions.run'
    ), recorded as (
      ${insertOfNew('execution.started', 14, { at: '$11', targets: '$13::jsonb' })} from started
    )
    select from started`,
}

const WAKE = {
  name: 'run_wake',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify('job', 'executions.run')`,
}
const waking = { now: false, again: false }

/** Wakes workers after COMMIT, for all that started meanwhile: transactions that notify wait for each other. */
async function wake(call: Call): Promise<void> {
  waking.again = true
  if (waking.now) return
  waking.now = true
  while (waking.again) {
    waking.again = false
    await rows(call, WAKE, [])
  }
  waking.now = false
}

interface Request {
  entity_id?: string
  supervised_run: boolean
  supervisor_technician_ids?: number[]
  additional_custom_instructions?: string
  dry_run: boolean
}

interface Answer {
  execution_id: string | null
  temporal_run_id: string | null
  status: string | null
  supervised: boolean
  already_live: boolean
}

const params = {
  type: 'object',
  properties: { agent_id: { type: 'integer', minimum: 1, maximum: 2147483647 } },
}
const body = {
  type: 'object',
  properties: {
    entity_id: { type: 'string', minLength: 1, maxLength: 200 },
    supervised_run: { type: 'boolean', default: false },
    supervisor_technician_ids: { type: 'array', minItems: 1, items: { type: 'integer', minimum: 1 } },
    additional_custom_instructions: { type: 'string', minLength: 1, maxLength: 4000 },
    dry_run: { type: 'boolean', default: false },
  },
}

const WITHOUT_RUNS = ['PAUSED', 'CANCELLED', 'EXPIRED']

/** Refuses what may not run. It starts agents that work on tickets: nobody measures others. */
function mayRun(checked: Checked | undefined, { entity_id, supervisor_technician_ids }: Request): Checked {
  if (!checked) throw new Refusal(404, 'agent_not_found')
  if (checked.state !== 'ACTIVE') throw new Refusal(409, 'agent_not_active')
  if (checked.autonomy_type === 'CONVERSATIONAL') throw new Refusal(409, 'agent_is_conversational')
  if (checked.entity_type !== 'TICKET' || supervisor_technician_ids) throw new Refusal(422, 'not_measured')
  if (entity_id === undefined) throw new Refusal(422, 'entity_required')
  return checked
}

function mayStart(
  { plan_status, trial_ends_at, ends_at, overage_allowed, ticket_id }: Checked,
  now: Date,
): void {
  const is_over =
    plan_status === 'TRIALING' ? trial_ends_at && trial_ends_at <= now : ends_at && ends_at <= now
  if (is_over || WITHOUT_RUNS.includes(plan_status ?? 'ACTIVE'))
    throw new Refusal(409, 'subscription_inactive')
  if (!overage_allowed) throw new Refusal(422, 'not_measured')
  if (ticket_id === null) throw new Refusal(422, 'unknown')
}

async function run(call: Call, agent_id: number, request: Request): Promise<Answer> {
  const { tenant_id, environment, restricted_to } = call.caller
  const { entity_id = null, additional_custom_instructions = null, supervised_run, dry_run } = request
  const answer = await transaction<Answer>(async (client): Promise<Outcome<Answer>> => {
    const now = new Date()
    const values = [tenant_id, environment, agent_id, entity_id]
    const [found] = restricted_to
      ? await rows<Checked>(call, CHECK_VISIBLE, [...values, restricted_to], client)
      : await rows<Checked>(call, CHECK, values, client)
    const agent = mayRun(found, request)
    const { live_id: execution_id, live_run_id: temporal_run_id, live_status: status } = agent
    if (execution_id !== null) {
      if (supervised_run && !agent.live_supervised) throw new Refusal(422, 'not_measured')
      return {
        result: {
          execution_id,
          temporal_run_id,
          status,
          supervised: agent.live_supervised,
          already_live: true,
        },
      }
    }
    mayStart(agent, now)
    const supervised = agent.supervised || supervised_run
    const answer = { temporal_run_id: null, status: 'NEW', supervised, already_live: false }
    if (dry_run) return { result: { ...answer, execution_id: null } }
    const id = newId('exe')
    const supervisors = supervised ? agent.supervisor_technician_ids : []
    const { name: agent_name, entity_type, number: entity_number, psa_company_id } = agent
    const after = {
      execution_id: id,
      agent_id,
      agent_name,
      entity_type,
      entity_id,
      entity_number,
      psa_company_id,
      supervised,
      supervisor_technician_ids: supervisors,
      additional_custom_instructions,
      trigger: 'RUN_NOW',
    }
    const targets = [
      { type: 'execution', id, name: id },
      { type: 'agent', id: String(agent_id), name: agent_name },
    ]
    const job = { tenancy: { tenant_id, environment }, payload: { execution_id: id } }
    const last = () =>
      rows(
        call,
        START,
        [
          tenant_id,
          environment,
          id,
          agent_id,
          supervised,
          supervisors,
          entity_type,
          entity_id,
          entity_number,
          additional_custom_instructions,
          now,
          job,
          JSON.stringify(targets),
          ...valuesOfNew(call, after),
          call.caller.acting_user?.id ?? null,
          call.id,
          psa_company_id,
          call.caller.user_ids,
        ],
        client,
      )
    return { result: { ...answer, execution_id: id }, last }
  })
  if (!answer.already_live && answer.execution_id) void wake(call)
  return answer
}

export function runNow(app: FastifyInstance): void {
  app.post<{ Params: { agent_id: number }; Body: Request }>(
    '/public-api/agents/:agent_id/run-now',
    { schema: { params, body } },
    route('agents:run', async (call, request) => {
      const { agent_id } = request.params as { agent_id: number }
      return { data: await run(call, agent_id, request.body as Request) }
    }),
  )
}
