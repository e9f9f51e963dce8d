/** The inputs of agent writes in GraphQL, whose bounds are those of the rules. REST has the same as JSON. */
import type { InputFieldBuilder } from '@pothos/core'
import { builder, described, type SchemaTypes } from '../../../schema/builder.ts'
import { ToolAccess } from '../../audit-log/index.ts'
import { ChangeType } from '../../change-types/index.ts'
import { CompanyLinkSystem } from '../../integrations/index.ts'
import { PermissionGroupName } from '../../tenant/index.ts'
import { AutonomyType, EntityType, TriggerType } from '../agent.ts'
import { ConditionMatch } from '../conditions/input.ts'

const SupervisionMode = builder.enumType('SupervisionMode', {
  description: 'The effect of supervision.',
  values: described({
    ENFORCED: 'Writes wait for approval.',
    SHADOW: 'Nothing waits: requests are only recorded, to see what would have been asked.',
  }),
})

type Fields = InputFieldBuilder<SchemaTypes, 'InputObject'>

const settingsFields = (t: Fields) => ({
  custom_instructions: t.string({ description: 'Its instructions. At most 20,000 characters.' }),
  supervised: t.boolean({ description: 'Every write of its runs waits for approval.' }),
  supervisor_technician_ids: t.intList({ description: 'The technicians who approve.' }),
  max_tool_calls: t.int({ description: 'The most tool calls of a run: 1 to 500.' }),
  max_minutes: t.int({ description: 'The longest run in minutes, waiting left out: 1 to 240.' }),
  approval_minutes: t.int({
    description: 'Minutes in which technicians decide what a run asks: 5 to 20,160, which is 14 days.',
  }),
  confidence_threshold: t.float({ description: 'The least confidence with which it acts: 0 to 1.' }),
  estimated_minutes_saved: t.float({ description: 'Minutes of a technician that a run saves: 0 to 10,000.' }),
  supervision_mode: t.field({ type: SupervisionMode, description: 'The effect of supervision.' }),
})

const AgentSettingsInput = builder.inputType('AgentSettingsInput', {
  description:
    'The settings of an agent. Those that are left out have their defaults: 100 tool calls, 60 minutes, a ' +
    'confidence of 0.7, not supervised.',
  fields: settingsFields,
})

const AgentSettingsEdits = builder.inputType('AgentSettingsEdits', {
  description: 'The changes of the settings. A setting that is left out keeps its value.',
  fields: settingsFields,
})

const ToolboxInput = builder.inputType('ToolboxInput', {
  description: 'The tools that an agent may use, beside those of its permission groups.',
  fields: (t) => ({ tools: t.stringList({ description: 'Names of tools. At most 200.' }) }),
})

const IntegrationGrantInput = builder.inputType('IntegrationGrantInput', {
  description: 'The rights of an agent in a system.',
  fields: (t) => ({
    system: t.field({ type: CompanyLinkSystem, description: 'The system.' }),
    permission_groups: t.field({
      type: [PermissionGroupName],
      description: 'The permission groups whose tools it gets.',
    }),
    access: t.field({
      type: ToolAccess,
      description:
        'READ: its tools there change nothing. WRITE: they read and change. READ if it is left out.',
    }),
    cross_company: t.boolean({
      description:
        'true: its tools reach every company. false by default: those of a run on a ticket or time entry reach the things ' +
        'of its company alone.',
    }),
  }),
})

const AgentIntegrationsInput = builder.inputType('AgentIntegrationsInput', {
  description: 'The systems that an agent may reach.',
  fields: (t) => ({
    grants: t.field({ type: [IntegrationGrantInput], description: 'One for each system. At most 100.' }),
  }),
})

const AgentScheduleInput = builder.inputType('AgentScheduleInput', {
  description: 'When a SCHEDULED agent runs.',
  fields: (t) => ({
    cron: t.string({ description: 'Five fields of cron: `0 7 * * 1`.' }),
    timezone: t.field({ type: 'TimeZone', description: 'The zone of the fields; UTC if none is named.' }),
    start_at: t.field({ type: 'DateTime', description: 'It does not run before this.' }),
    end_at: t.field({ type: 'DateTime', description: 'It does not run from this on.' }),
  }),
})

const CallbackSettingsInput = builder.inputType('CallbackSettingsInput', {
  description: 'The changes in the PSA that make a TRIGGERED agent run.',
  fields: (t) => ({
    change_types: t.field({ type: [ChangeType], description: 'The changes. At most 100.' }),
    ignore_own_changes: t.boolean({
      description: 'Changes that agents made do not count, unless this is false.',
    }),
    debounce_seconds: t.int({ description: 'Seconds in which further changes are joined: 0 to 3600.' }),
  }),
})

const AgentActionInput = builder.inputType('AgentActionInput', {
  description: 'A tool call that is always made.',
  fields: (t) => ({
    type: t.string({ description: 'The name of the tool.' }),
    params: t.field({
      type: 'JSON',
      description:
        'Arguments, by the `input_schema` of the tool. What is left out is of the ticket or time entry that the agent ' +
        'works on.',
    }),
  }),
})

const ConditionInput = builder.inputType('ConditionInput', {
  description: 'A condition on a field.',
  fields: (t) => ({
    field: t.string({ description: 'The field of the ticket or time entry.' }),
    operator: t.string({ description: 'The comparison: `equals`, `contains`, `greater_than` …' }),
    value: t.field({ type: 'JSON', description: 'The value, of the kind of the field; a list for `in`.' }),
  }),
})

const ConditionsInput = builder.inputType('ConditionsInput', {
  description: 'Conditions on the tickets or time entries that an agent works on.',
  fields: (t) => ({
    match: t.field({ type: ConditionMatch, description: 'How many of them must hold.' }),
    rules: t.field({ type: [ConditionInput], description: 'The conditions. At most 50.' }),
  }),
})

/** The fields that every body has. */
const agentFields = (t: Fields) => ({
  name: t.string({ description: 'Its name. 1 to 120 characters.' }),
  description: t.string({ description: 'Its purpose. At most 1,024 characters; null is none.' }),
  autonomy_type: t.field({ type: AutonomyType, description: 'The kind of agent, which never changes.' }),
  trigger_type: t.field({ type: TriggerType, description: 'The trigger of its runs.' }),
  entity_type: t.field({ type: EntityType, description: 'The kind of entity that it works on.' }),
  agent_settings: t.field({ type: AgentSettingsInput, description: 'Its settings.' }),
  toolbox: t.field({ type: ToolboxInput, description: 'The tools that it may use.' }),
  integrations: t.field({
    type: AgentIntegrationsInput,
    description: 'The systems that it may use.',
  }),
  schedule: t.field({ type: AgentScheduleInput, description: 'When it runs.' }),
  callback_settings: t.field({
    type: CallbackSettingsInput,
    description: 'The changes that make it run.',
  }),
  actions: t.field({ type: [AgentActionInput], description: 'Its actions, in their order.' }),
  ticket_conditions: t.field({
    type: ConditionsInput,
    description: 'The tickets that it works on.',
  }),
  time_entry_conditions: t.field({
    type: ConditionsInput,
    description: 'The time entries that it works on.',
  }),
})

const activate = (t: Fields) => ({
  activate: t.boolean({ description: 'true: it is ACTIVE at once. Otherwise it is a DRAFT.' }),
})

const edits = (t: Fields) => ({
  agent_settings_edits: t.field({
    type: AgentSettingsEdits,
    description: 'Merged into the settings, after `agent_settings` has replaced them.',
  }),
})

export const AgentDraft = builder.inputType('AgentDraft', {
  description: 'A new agent. Which config objects it takes depends on `autonomy_type`; others are ignored.',
  fields: (t) => ({ ...agentFields(t), ...activate(t) }),
})

export const AgentPatch = builder.inputType('AgentPatch', {
  description:
    'The changes. A field that is left out keeps its value; one that is given replaces the stored one, and null clears ' +
    'it if that can be.',
  fields: (t) => ({ ...agentFields(t), ...edits(t) }),
})

export const AgentCandidate = builder.inputType('AgentCandidate', {
  description: 'The body of a create or of a change, to be validated without being stored.',
  fields: (t) => ({ ...agentFields(t), ...edits(t), ...activate(t) }),
})
