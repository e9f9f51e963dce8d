/** Agents as they are answered. */
import type { ObjectFieldBuilder } from '@pothos/core'
import { builder, described, type SchemaTypes } from '../../schema/builder.ts'
import {
  AGENT_STATES,
  type AgentState as AgentStates,
  AUTONOMY_TYPES,
  type AutonomyType as AutonomyTypes,
  ENTITY_TYPES,
  type EntityType as EntityTypes,
  TRIGGER_TYPES,
  type TriggerType as TriggerTypes,
} from './rules.ts'

export const AgentState = builder.enumType('AgentState', {
  description: 'Where an agent is in its life.',
  values: described(AGENT_STATES),
})

export const AutonomyType = builder.enumType('AutonomyType', {
  description: 'What kind of agent it is.',
  values: described(AUTONOMY_TYPES),
})

export type AutonomyType = AutonomyTypes

export const TriggerType = builder.enumType('TriggerType', {
  description: 'What makes an agent run.',
  values: described(TRIGGER_TYPES),
})

export const EntityType = builder.enumType('EntityType', {
  description: 'What an agent works on.',
  values: described(ENTITY_TYPES),
})

export interface AgentSummaryRow {
  id: number
  name: string
  description: string | null
  state: AgentStates
  autonomy_type: AutonomyTypes
  trigger_type: TriggerTypes
  entity_type: EntityTypes
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

type Fields = ObjectFieldBuilder<SchemaTypes, AgentSummaryRow>

const identity = (t: Fields) => ({
  id: t.exposeInt('id', { description: 'The number of the agent.' }),
  name: t.exposeString('name', { description: 'What people call it.' }),
  description: t.exposeString('description', { nullable: true, description: 'What it is for.' }),
  state: t.expose('state', { type: AgentState, description: 'Where it is in its life.' }),
  autonomy_type: t.expose('autonomy_type', { type: AutonomyType, description: 'What kind of agent it is.' }),
  trigger_type: t.expose('trigger_type', { type: TriggerType, description: 'What makes it run.' }),
  entity_type: t.expose('entity_type', { type: EntityType, description: 'What it works on.' }),
})

const standing = (t: Fields) => ({
  supervised: t.exposeBoolean('supervised', {
    description: 'Whether every write of its runs waits for approval by a technician.',
  }),
  supervisor_technician_ids: t.exposeIntList('supervisor_technician_ids', {
    description: 'The technicians who approve.',
  }),
  created_by_user_id: t.exposeString('created_by_user_id', {
    nullable: true,
    description: 'Who created it. null: no user, or one who is gone.',
  }),
  created_by_name: t.exposeString('created_by_name', { description: 'The name of who created it.' }),
  shared_with_me: t.exposeBoolean('shared_with_me', {
    description:
      'Whether somebody else shared it with the user, or with the key’s acting user. Always ' +
      'false for an API key with no acting user.',
  }),
  revision: t.exposeInt('revision', { description: 'How often it has been written: 1 at first.' }),
  last_run_at: t.expose('last_run_at', {
    type: 'DateTime',
    nullable: true,
    description:
      'When its latest execution was created; of a CONVERSATIONAL agent, when it last consumed credits. null: ' +
      'it has not run.',
  }),
  created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
  updated_at: t.expose('updated_at', { type: 'DateTime', description: 'When it was last written.' }),
})

export const AgentSummary = builder.objectRef<AgentSummaryRow>('AgentSummary').implement({
  description: 'An agent as lists have it: without its config objects.',
  fields: (t) => ({ ...identity(t), ...standing(t) }),
})

export const Agent = builder.objectRef<AgentRow>('Agent').implement({
  description: 'An agent. A config object is null where the agent has none.',
  fields: (t) => {
    const config = (name: Parameters<typeof t.expose>[0], description: string) =>
      t.expose(name, { type: 'JSON', nullable: true, description })
    return {
      ...identity(t as unknown as Fields),
      agent_settings: config(
        'agent_settings',
        'How it works: `custom_instructions`, `supervised`, `supervisor_technician_ids`, `max_tool_calls`, ' +
          '`max_minutes`, `confidence_threshold`, `estimated_minutes_saved`, `supervision_mode`.',
      ),
      agent_settings_edits: config(
        'agent_settings_edits',
        'The part of `agent_settings` that was merged into it last.',
      ),
      toolbox: config('toolbox', 'What it may use: `tools`, a list of names.'),
      integrations: config(
        'integrations',
        'What it may reach: `grants`, a list of `system`, `permission_groups` and `access` READ or WRITE.',
      ),
      schedule: config('schedule', 'When it runs: `cron` in `timezone`, from `start_at` until `end_at`.'),
      callback_settings: config(
        'callback_settings',
        'Which changes in the PSA make it run: `change_types`, `ignore_own_changes`, `debounce_seconds`.',
      ),
      actions: config('actions', 'What it does, in this order: a list of `type` and `params`.'),
      ticket_conditions: config(
        'ticket_conditions',
        'Which tickets it works on: `match` ALL or ANY of `rules`, a list of `field`, `operator` and `value`.',
      ),
      time_entry_conditions: config(
        'time_entry_conditions',
        'Which time entries it works on, in the shape of `ticket_conditions`.',
      ),
      ...standing(t as unknown as Fields),
    }
  },
})
