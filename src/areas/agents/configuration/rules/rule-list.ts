/** The list of rules of agent writes. The server validates by it, and answers with its codes. */
import { PERMISSION_GROUPS } from '../../../../tools/tool.ts'
import { CONDITION_FIELDS, OPERATORS } from '../../conditions/rules/conditions.ts'
import { combinationRules, SCHEDULE_RULE, SUPERVISORS_RULE } from './body-schemas.ts'
import { ACCEPTANCE, ACTION_TYPES, type Catalogues, CONFIG_NAMES } from './config-objects.ts'
import { AUTONOMY_TYPES } from './matrix.ts'
import { keywords, lookup, ofWholeAgent, type Rule, rule, SCHEMA, SERVER, WARNING } from './rule.ts'
import { MAX_CONFIGURATION_BYTES } from './size.ts'

const DROPPED = { fields: ['toolbox.tools'], autonomy_types: ACCEPTANCE.toolbox.autonomy_types, ...WARNING }

const OF_FIELDS = [
  rule({
    code: 'json_unreadable',
    fields: ['body'],
    condition: { type: 'object' },
    message:
      'The body is a JSON object in UTF-8, of at most 32 levels and 80,000 values. Any other is `bad_request`.',
    ...SERVER,
  }),
  rule({
    code: 'type_invalid',
    fields: ['*'],
    condition: keywords('type'),
    message: 'The field has another type.',
    ...SCHEMA,
  }),
  rule({
    code: 'value_not_allowed',
    fields: ['*'],
    condition: keywords('enum', 'const'),
    message: 'The field has a value that it cannot have.',
    ...SCHEMA,
  }),
  rule({
    code: 'out_of_range',
    fields: ['*'],
    condition: keywords('minimum', 'maximum'),
    message: 'The number is too small or too large.',
    ...SCHEMA,
  }),
  rule({
    code: 'too_long',
    fields: ['*'],
    condition: keywords('maxLength', 'maxItems'),
    message: 'The text or the list is too long.',
    ...SCHEMA,
  }),
  rule({
    code: 'field_required',
    fields: ['*'],
    condition: keywords('required', 'minItems'),
    message: 'The field is required.',
    ...SCHEMA,
  }),
  rule({
    code: 'text_not_storable',
    fields: ['*'],
    condition: { not: { pattern: '[\\u0000\\uD800-\\uDFFF]' } },
    message: 'Text is well-formed and has no U+0000.',
    ...SERVER,
  }),
  rule({
    code: 'configuration_too_large',
    fields: ['*'],
    condition: { max_bytes: MAX_CONFIGURATION_BYTES },
    message:
      'The configuration of an agent, all of its fields together, has at most 1,048,576 bytes as JSON.',
    ...SERVER,
  }),
  rule({
    code: 'ignored_field',
    fields: ['*'],
    condition: keywords('properties'),
    message: 'A field that the body does not have is ignored.',
    ...WARNING,
  }),
]

const OF_IDENTITY = [
  rule({
    code: 'name_required',
    fields: ['name'],
    condition: { required: ['name'], properties: { name: { pattern: '\\S' } } },
    message: 'An agent has a name.',
    ...SCHEMA,
  }),
  rule({
    code: 'name_too_long',
    fields: ['name'],
    condition: { properties: { name: { maxLength: 120 } } },
    message: 'A name has at most 120 characters.',
    ...SCHEMA,
  }),
  rule({
    code: 'autonomy_type_required',
    applies_to: ['CREATE'],
    fields: ['autonomy_type'],
    condition: { required: ['autonomy_type'] },
    message: 'A create names the kind of agent.',
    ...SCHEMA,
  }),
  rule({
    code: 'autonomy_type_fixed',
    applies_to: ['UPDATE'],
    fields: ['autonomy_type'],
    condition: lookup('agent.autonomy_type'),
    message: 'An agent keeps the kind that it was created with.',
    ...SERVER,
  }),
  ...AUTONOMY_TYPES.flatMap((autonomy) =>
    ofWholeAgent({
      code: 'combination_not_allowed',
      autonomy_types: [autonomy],
      fields: ['autonomy_type', 'trigger_type', 'entity_type'],
      condition: { allOf: combinationRules(autonomy) },
      message: 'The matrix does not have this combination of autonomy_type, trigger_type and entity_type.',
    }),
  ),
]

const OF_SETTINGS = [
  ...ofWholeAgent({
    code: 'agent_settings_required',
    fields: ['agent_settings'],
    condition: { required: ['agent_settings'], properties: { agent_settings: { type: 'object' } } },
    message: 'An agent has settings: a create sends the full agent_settings, and nothing clears them.',
  }),
  rule({
    code: 'agent_settings_edits_on_create',
    applies_to: ['CREATE'],
    fields: ['agent_settings_edits'],
    condition: { not: { required: ['agent_settings_edits'] } },
    message: 'A create ignores agent_settings_edits: it sends the full agent_settings.',
    ...WARNING,
  }),
  ...ofWholeAgent({
    code: 'supervisors_required',
    fields: ['agent_settings.supervised', 'agent_settings.supervisor_technician_ids'],
    condition: SUPERVISORS_RULE,
    message: 'A supervised agent names the technicians who approve.',
  }),
  rule({
    code: 'supervisor_unknown',
    fields: ['agent_settings.supervisor_technician_ids', 'agent_settings_edits.supervisor_technician_ids'],
    condition: lookup('technicians.id'),
    message: 'A supervisor is a technician of the tenant.',
    ...SERVER,
  }),
]

const OF_TOOLS = (systems: readonly string[]) => [
  rule({
    code: 'tool_unknown',
    fields: ['toolbox.tools'],
    autonomy_types: ACCEPTANCE.toolbox.autonomy_types,
    condition: lookup('GET /schemas/tools'),
    message: 'A tool of the toolbox is one of GET /public-api/schemas/tools.',
    ...SERVER,
  }),
  rule({
    code: 'tool_runtime_only',
    condition: lookup('tool.grant'),
    message: 'A tool that reaches an agent only at run time is dropped.',
    ...DROPPED,
  }),
  rule({
    code: 'tool_not_requestable',
    condition: lookup('tool.grant_with'),
    message: 'A tool that the service adds by a rule of its own is dropped.',
    ...DROPPED,
  }),
  rule({
    code: 'tool_granted_by_group',
    condition: lookup('tool.permission_group'),
    message: 'A tool of a permission group is dropped: grant the group in integrations.',
    ...DROPPED,
  }),
  rule({
    code: 'integration_unknown',
    fields: ['integrations.grants.*.system'],
    condition: { enum: systems },
    message: 'The system is not one that the service integrates with.',
    ...SCHEMA,
  }),
  rule({
    code: 'integration_not_connected',
    fields: ['integrations.grants.*.system'],
    condition: lookup('integrations.connected'),
    message: 'The tenant has not connected the system yet.',
    ...WARNING,
  }),
  rule({
    code: 'permission_group_unknown',
    fields: ['integrations.grants.*.permission_groups'],
    condition: { enum: PERMISSION_GROUPS },
    message: 'The permission group does not exist.',
    ...SCHEMA,
  }),
]

const CONDITIONS = Object.keys(CONDITION_FIELDS)

const OF_WORK = (change_types: readonly string[]) => [
  ...ofWholeAgent({
    code: 'actions_required',
    autonomy_types: ['CHAINED_ACTIONS'],
    fields: ['actions'],
    condition: { required: ['actions'], properties: { actions: { type: 'array', minItems: 1 } } },
    message: 'An agent of CHAINED_ACTIONS has an action.',
  }),
  rule({
    code: 'action_type_unknown',
    fields: ['actions.*.type'],
    autonomy_types: ACCEPTANCE.actions.autonomy_types,
    condition: { enum: ACTION_TYPES },
    message: 'The type of an action is the name of a tool that agents can be given.',
    ...SCHEMA,
  }),
  rule({
    code: 'action_params_invalid',
    fields: ['actions.*.params'],
    autonomy_types: ACCEPTANCE.actions.autonomy_types,
    condition: lookup('tool.input_schema'),
    message: 'The arguments of an action fit the input_schema of its tool in GET /public-api/schemas/tools.',
    ...SERVER,
  }),
  rule({
    code: 'action_param_missing',
    fields: ['actions.*.params'],
    autonomy_types: ACCEPTANCE.actions.autonomy_types,
    condition: lookup('tool.input_schema.required'),
    message:
      'The tool requires an argument that is left out, and that what the agent works on does not give.',
    ...WARNING,
  }),
  ...ofWholeAgent({
    code: 'schedule_required',
    fields: ['schedule', 'trigger_type'],
    autonomy_types: ACCEPTANCE.schedule.autonomy_types,
    condition: SCHEDULE_RULE,
    message: 'A SCHEDULED agent has a schedule.',
  }),
  rule({
    code: 'cron_invalid',
    fields: ['schedule.cron'],
    autonomy_types: ACCEPTANCE.schedule.autonomy_types,
    condition: { format: 'cron' },
    message:
      'A schedule has the five fields of cron: minute, hour, day of the month, month, day of the week.',
    ...SERVER,
  }),
  rule({
    code: 'timezone_invalid',
    fields: ['schedule.timezone'],
    autonomy_types: ACCEPTANCE.schedule.autonomy_types,
    condition: lookup('IANA time zones'),
    message: 'A time zone is a name of the IANA database, in its own letter case.',
    ...SERVER,
  }),
  rule({
    code: 'schedule_window_invalid',
    fields: ['schedule.start_at', 'schedule.end_at'],
    autonomy_types: ACCEPTANCE.schedule.autonomy_types,
    condition: { format: 'date-time' },
    message: 'A schedule starts and ends at RFC 3339 instants, and ends after it starts.',
    ...SERVER,
  }),
  rule({
    code: 'change_type_unknown',
    fields: ['callback_settings.change_types'],
    autonomy_types: ACCEPTANCE.callback_settings.autonomy_types,
    condition: { enum: change_types },
    message: 'The change is not one of GET /public-api/schemas/callback-change-options.',
    ...SCHEMA,
  }),
  rule({
    code: 'condition_field_unknown',
    fields: CONDITIONS.map((name) => `${name}.rules.*.field`),
    condition: CONDITION_FIELDS,
    message: 'The entity has no such field.',
    ...SCHEMA,
  }),
  rule({
    code: 'condition_operator_invalid',
    fields: CONDITIONS.map((name) => `${name}.rules.*.operator`),
    condition: OPERATORS,
    message: 'The operator does not exist for this kind of field.',
    ...SCHEMA,
  }),
  rule({
    code: 'config_object_nested',
    fields: CONFIG_NAMES.map((name) => (name === 'actions' ? 'actions.*.*' : `${name}.*`)),
    condition: { propertyNames: { not: { enum: CONFIG_NAMES } } },
    message: 'A config object stands at the top of the body, never inside another one.',
    ...SCHEMA,
  }),
]

export const ruleList = ({ systems, change_types }: Catalogues): readonly Rule[] => [
  ...OF_FIELDS,
  ...OF_IDENTITY,
  ...OF_SETTINGS,
  ...OF_TOOLS(systems),
  ...OF_WORK(change_types),
]
