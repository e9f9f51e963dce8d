/** Agents as they are read. */
import { columnsOf } from '../../db/columns.ts'
import type { AgentState, AutonomyType, EntityType, TriggerType } from './rules.ts'

export interface AgentSummaryRow {
  id: number
  name: string
  description: string | null
  state: AgentState
  autonomy_type: AutonomyType
  trigger_type: TriggerType
  entity_type: EntityType
  supervised: boolean
  supervisor_technician_ids: number[]
  created_by_user_id: string | null
  created_by_name: string
  shared_with_me: boolean
  revision: number
  last_run_at: Date | null
  created_at: Date
  updated_at: Date
}

// Contract silent: edits are merged into agent_settings; what was merged last can be read back as it was sent.
const CONFIG_OBJECTS = [
  'agent_settings',
  'agent_settings_edits',
  'toolbox',
  'integrations',
  'schedule',
  'callback_settings',
  'actions',
  'ticket_conditions',
  'time_entry_conditions',
] as const

export interface AgentRow extends AgentSummaryRow, Record<(typeof CONFIG_OBJECTS)[number], unknown> {}

// Contract silent: a chat agent has no executions; it ran last when it last consumed credits.
const LAST_RUN_AT = `case when a.autonomy_type = 'CONVERSATIONAL' then (
    select c.at from credit_entry c
    where c.tenant_id = a.tenant_id and c.environment = a.environment and c.agent_id = a.id
    order by c.at desc limit 1
  ) else (
    select e.created_at from execution e
    where e.tenant_id = a.tenant_id and e.environment = a.environment and e.agent_id = a.id
    order by e.created_at desc limit 1
  ) end`

const SUMMARY_COLUMNS = {
  id: 'a.id',
  name: 'a.name',
  description: 'a.description',
  state: 'a.state::text',
  autonomy_type: 'a.autonomy_type::text',
  trigger_type: 'a.trigger_type::text',
  entity_type: 'a.entity_type::text',
  supervised: 'a.supervised',
  supervisor_technician_ids: 'a.supervisor_technician_ids',
  created_by_user_id: 'a.created_by_user_id',
  created_by_name: 'a.created_by_name',
  shared_with_me: `(a.created_by_user_id is distinct from $3::text and exists (
    select from agent_share s where s.tenant_id = a.tenant_id and s.environment = a.environment
      and s.agent_id = a.id and s.user_id = $3::text))`,
  revision: 'a.revision',
  last_run_at: LAST_RUN_AT,
  created_at: 'a.created_at',
  updated_at: 'a.updated_at',
} satisfies Record<keyof AgentSummaryRow, string>

/** True. Without `shared_with_me` nothing else says what `$3` is. */
export const PERSON = '($3::text is null or true)'

/** The columns of a summary, of a row of `agent a`, for the person whose id is `$3`. */
export const summaryColumns = columnsOf(SUMMARY_COLUMNS, ['id', 'created_at'])

/** The columns of the whole. */
export const wholeColumns = columnsOf(
  { ...SUMMARY_COLUMNS, ...Object.fromEntries(CONFIG_OBJECTS.map((name) => [name, `a.${name}`])) },
  ['id'],
)
