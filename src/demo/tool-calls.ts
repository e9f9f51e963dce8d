/** The audit log of the demo MSP: the tool calls of its executions of the last 30 days. */
import { GRACE_MS } from '../areas/audit-log/chain/anchor.ts'
import { closeOver, dayOf, type HashedEntry } from '../areas/audit-log/chain/chain.ts'
import { HASHED_COLUMNS } from '../areas/audit-log/chain/hashed-columns.ts'
import { RETENTION_DAYS } from '../areas/audit-log/rules.ts'
import { convertRow } from '../db/column-types.ts'
import { Prisma } from '../db/generated/client/client.ts'
import { type ToolName, toolNamed } from '../tools/registry.ts'
import { accountIdOf, staffGroupOf } from './identities.ts'
import { demoContacts } from './people.ts'
import { runId, tilRequestId } from './run-ids.ts'
import { spanOf } from './run-times.ts'
import { insertJoined, insertMany, type Random, randomOf, type Seeding } from './seeding.ts'
import { planOf, type Worked } from './tool-call-plans.ts'

const DAY_MS = 86_400_000

/** A call: the columns of its entry that are not those of its execution, agent and tool. */
interface Call {
  execution_id: string
  number: number
  at: Date
  run: number
  tool: ToolName
  outcome: string
  arguments: object
  result?: string
  code?: string
  message?: string
  ms: number
  til_request?: number
  decided_by?: string
  company: string | null
}

/** The systems that the demo MSP has connected. */
const SYSTEMS: Readonly<Record<string, string>> = {
  PSA: 'HALO_PSA',
  RMM: 'NINJAONE',
  DOCUMENTATION: 'HUDU',
  MARKETPLACE: 'PAX8',
  EMAIL_SECURITY: 'MIMECAST',
  TEAM_CHAT: 'MICROSOFT_TEAMS',
  IDENTITY_PROVIDER: 'MICROSOFT_ENTRA_ID',
}

/** The columns that are equal in every entry of a tool. */
function toolColumns(name: ToolName) {
  const tool = toolNamed(name)
  if (!tool) throw new Error(`There is no tool ${name}`)
  const system = tool.system ?? (tool.works_in && SYSTEMS[tool.works_in]) ?? null
  return { tool: name, title: tool.title, access: tool.access, system }
}

const propertiesOf = (name: ToolName): readonly string[] =>
  Object.keys((toolNamed(name)?.input_schema.properties ?? {}) as object)

/** The contact whom agents write to that work on no ticket. */
const SOMEBODY = demoContacts()[0]?.contact_id ?? null

/** The ids among the arguments of a tool. */
function idsOf(tool: ToolName, { entity_id, psa_company_id, contact_id }: Worked): Record<string, string> {
  const number = Number(entity_id ?? 0)
  const person = contact_id ?? SOMEBODY
  const ids: Record<string, string | null> = {
    ticket_id: entity_id,
    time_entry_id: entity_id,
    into_ticket_id: String(number - 7),
    company_id: psa_company_id,
    contact_id: person,
    recipient_contact_id: person,
    account_id: person && accountIdOf(person),
    group_id: psa_company_id && staffGroupOf(psa_company_id),
    alert_id: `alr_${number}`,
  }
  const taken = propertiesOf(tool).flatMap((name) => (ids[name] ? [[name, ids[name]]] : []))
  return Object.fromEntries(taken)
}

/** The calls of an execution, over the times of its runs. */
function callsOf(worked: Worked, random: Random): Call[] {
  const { execution_id } = worked
  const planned = planOf(worked, random)
  return planned.map(({ step, ms, ...call }, index) => {
    const { from, to } = spanOf(worked, call.run)
    const before = planned.slice(0, index).filter(({ run }) => run === call.run).length
    const pause = (to.getTime() - from.getTime()) / planned.filter(({ run }) => run === call.run).length
    const at = new Date(Math.floor(from.getTime() + pause * (before + random.fraction())))
    return {
      ...call,
      execution_id,
      tool: step.tool,
      company: worked.psa_company_id,
      number: index + 1,
      at: call.outcome === 'PENDING_APPROVAL' ? to : at,
      ms: Math.floor(ms ?? Math.min(pause, 60 + 1900 * random.fraction() ** 2)),
      arguments: { ...idsOf(step.tool, worked), ...step.arguments },
    }
  })
}

export async function seedToolCalls(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const { tenant_id, environment } = tenancy
  const worked = await tx.$queryRaw<Worked[]>`
    select e.execution_id, e.agent_id, e.status::text, e.supervised, e.entity_id, e.run_count, e.seconds_spent::float8 as seconds_spent, e.error,
      e.message_for_dashboard as message, e.started_at, coalesce(e.finished_at, e.updated_at) as ended_at,
      coalesce(t.psa_company_id, w.psa_company_id) as psa_company_id, t.contact_id
    from execution e
      left join psa_ticket t on t.tenant_id = e.tenant_id and t.environment = e.environment
        and t.ticket_id = e.entity_id and e.entity_type = 'TICKET'
      left join psa_time_entry n on n.tenant_id = e.tenant_id and n.environment = e.environment
        and n.time_entry_id = e.entity_id and e.entity_type = 'TIME_ENTRY'
      left join psa_ticket w on w.tenant_id = n.tenant_id and w.environment = n.environment
        and w.ticket_id = n.ticket_id
    where e.tenant_id = ${tenant_id} and e.environment = ${environment}
      and e.started_at >= ${ago(RETENTION_DAYS.audit_log)}
    order by e.created_at, e.execution_id`
  const random = randomOf('tool-calls')
  const calls = worked
    .flatMap((execution) => callsOf(execution, random))
    .sort((a, b) => a.at.getTime() - b.at.getTime())
  const tools = [...new Set(calls.map(({ tool }) => tool))].map(toolColumns)
  const entries = calls.map(({ execution_id, number, run, til_request, ...call }) => ({
    ...call,
    execution_id,
    id: `aud_${execution_id.slice(4, 22)}${String(number).padStart(4, '0')}`,
    run_id: runId(execution_id, run),
    til_request_id: til_request === undefined ? null : tilRequestId(execution_id, til_request),
  }))
  await tx.$executeRaw`
    create temporary table demo_entry on commit drop as
    select joined.*, nextval(pg_get_serial_sequence('audit_entry', 'sequence')) as sequence
    from (
      select e.tenant_id, e.environment, c.id, c.at as occurred_at, e.agent_id, a.name as agent_name, e.execution_id,
        c.run_id as temporal_run_id, c.tool as tool_name, t.title as tool_title, t.system, t.access, c.outcome, c.arguments,
        false as arguments_truncated, null::text as arguments_hash, c.result as result_summary, c.code as error_code, c.message as error_message,
        c.ms as duration_ms, e.entity_id, e.entity_number, o.psa_company_id, o.name as psa_company_name, e.supervised,
        c.til_request_id, c.decided_by as decided_by_name,
        case when e.trigger = 'RUN_NOW' then a.created_by_user_id end as acting_user_id,
        k.id as api_key_id, k.name as api_key_name, null::text as request_id,
        coalesce(e.retry_of_execution_id, e.execution_id) as correlation_id
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as c (id text, execution_id text, at timestamptz(3),
          run_id text, tool text, outcome audit_outcome, arguments jsonb, result text, code text, message text, ms int,
          til_request_id text, decided_by text, company text)
        join jsonb_to_recordset(${JSON.stringify(tools)}::jsonb) as t (tool text, title text, access tool_access, system text)
          on t.tool = c.tool
        join execution e on e.tenant_id = ${tenant_id} and e.environment = ${environment}
          and e.execution_id = c.execution_id
        join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
        left join api_key k on k.tenant_id = e.tenant_id and k.environment = e.environment and k.id = 'key_automation'
          and k.acting_user_id = a.created_by_user_id and e.trigger = 'RUN_NOW'
        left join end_company o on o.tenant_id = e.tenant_id and o.environment = e.environment
          and o.psa_company_id = c.company
      order by c.at, c.id
    ) joined`
  const stored = await tx.$queryRaw<HashedEntry[]>`
    select *, null as previous_hash from demo_entry order by sequence`
  await insertClosed(
    seeding,
    stored.map((row) => convertRow(row) as HashedEntry),
  )
}

/** When the day was anchored; null: it is not over. */
function anchoredAt(day: string, now: Date): Date | null {
  const at = new Date(Date.parse(day) + DAY_MS + GRACE_MS)
  return at <= now ? at : null
}

const COPIED = HASHED_COLUMNS.filter((name) => name !== 'previous_hash')

/** Stores the entries with the chain closed over them. What is in the database already is not sent again. */
async function insertClosed({ tx, tenancy, now }: Seeding, entries: readonly HashedEntry[]): Promise<void> {
  const { links, days } = closeOver(tenancy, null, entries, dayOf(now))
  const copied = Prisma.raw(COPIED.join(', '))
  await insertJoined(
    tx,
    () => tx.$executeRaw`
      insert into audit_entry (${copied}, chain_day, chain_position, previous_hash, hash)
      select ${copied}, l.chain_day, l.chain_position, l.previous_hash, l.hash
      from demo_entry
        join jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as l (id text, chain_day date, chain_position int,
          previous_hash text, hash text) using (id)`,
  )
  await insertMany(
    tx,
    'audit_day',
    days.map((day) => ({ ...tenancy, ...day, anchored_at: anchoredAt(day.day, now) })),
  )
}
