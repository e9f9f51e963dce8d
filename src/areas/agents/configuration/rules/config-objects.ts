/** The config objects of an agent: which bodies accept them, and their JSON Schemas. */

import type { JsonSchema } from '../../../../lib/json-schema.ts'
import { TOOLS } from '../../../../tools/registry.ts'
import { PERMISSION_GROUPS } from '../../../../tools/tool.ts'
import { type ConditionsName, conditionsFields } from '../../conditions/rules/conditions.ts'
import { AUTONOMY_TYPES, type Autonomy } from './matrix.ts'

export type Operation = 'CREATE' | 'UPDATE'

/** The values that other areas define. */
export interface Catalogues {
  systems: readonly string[]
  change_types: readonly string[]
}

interface Acceptance {
  accepted_on: readonly Operation[]
  autonomy_types: readonly Autonomy[]
}

const BOTH: readonly Operation[] = ['CREATE', 'UPDATE']
const RUNS: readonly Autonomy[] = ['AGENTIC', 'CHAINED_ACTIONS']

// Contract silent: an agent that chats has no schedule, callbacks and conditions; AGENTIC ones may begin with actions.
/** The nine config objects. Each stands at the top of the body, never inside another one. */
export const ACCEPTANCE = {
  agent_settings: { accepted_on: BOTH, autonomy_types: AUTONOMY_TYPES },
  agent_settings_edits: { accepted_on: ['UPDATE'], autonomy_types: AUTONOMY_TYPES },
  toolbox: { accepted_on: BOTH, autonomy_types: ['AGENTIC', 'CONVERSATIONAL'] },
  integrations: { accepted_on: BOTH, autonomy_types: AUTONOMY_TYPES },
  schedule: { accepted_on: BOTH, autonomy_types: RUNS },
  callback_settings: { accepted_on: BOTH, autonomy_types: RUNS },
  actions: { accepted_on: BOTH, autonomy_types: RUNS },
  ticket_conditions: { accepted_on: BOTH, autonomy_types: RUNS },
  time_entry_conditions: { accepted_on: BOTH, autonomy_types: RUNS },
} as const satisfies Record<string, Acceptance>

export type ConfigName = keyof typeof ACCEPTANCE

export const CONFIG_NAMES = Object.keys(ACCEPTANCE) as ConfigName[]

/** True if the body of such a write to such an agent takes the config object. */
export const accepts = (name: ConfigName, operation: Operation, autonomy: Autonomy): boolean => {
  const { accepted_on, autonomy_types }: Acceptance = ACCEPTANCE[name]
  return accepted_on.includes(operation) && autonomy_types.includes(autonomy)
}

// Contract silent: the key alone counts, whatever its value is, null included.
/** Properties that refuse config objects among the immediate keys of another one. */
const NESTED = Object.fromEntries(
  CONFIG_NAMES.map((name) => [name, { not: {}, 'x-codes': { not: 'config_object_nested' } }]),
)

/** The types of actions: the tools that an agent can be given. */
export const ACTION_TYPES = TOOLS.filter(({ grant }) => grant === 'REQUESTABLE' || grant === 'GROUP').map(
  ({ name }) => name,
)

export const MAX_INT = 2_147_483_647
const INSTRUCTIONS = { maxLength: 20_000 }

const text = (maxLength: number): JsonSchema => ({ type: 'string', maxLength })
const list = (items: JsonSchema, maxItems: number): JsonSchema => ({ type: 'array', items, maxItems })
const whole = (minimum: number, maximum: number): JsonSchema => ({ type: 'integer', minimum, maximum })

const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: ['object', 'null'],
  properties: { ...NESTED, ...properties },
  ...(required.length > 0 && { required }),
})

/** The settings without their defaults, as edits have them. */
const SETTINGS: Readonly<Record<string, JsonSchema>> = {
  custom_instructions: {
    type: ['string', 'object'],
    ...INSTRUCTIONS,
    properties: { text: { type: 'string', ...INSTRUCTIONS } },
    description: 'Text. An object is taken for its `text`.',
  },
  supervised: { type: 'boolean' },
  supervisor_technician_ids: list(whole(1, MAX_INT), 50),
  max_tool_calls: whole(1, 500),
  max_minutes: whole(1, 240),
  approval_minutes: whole(5, 20_160),
  confidence_threshold: { type: 'number', minimum: 0, maximum: 1 },
  estimated_minutes_saved: { type: 'number', minimum: 0, maximum: 10_000 },
  supervision_mode: { type: 'string', enum: ['ENFORCED', 'SHADOW'] },
}

// Contract silent: the defaults of confidence_threshold and estimated_minutes_saved.
export const DEFAULTS: Readonly<Record<string, unknown>> = {
  custom_instructions: '',
  supervised: false,
  supervisor_technician_ids: [],
  max_tool_calls: 100,
  max_minutes: 60,
  approval_minutes: 4320,
  confidence_threshold: 0.7,
  estimated_minutes_saved: 0,
  supervision_mode: 'ENFORCED',
}

const SETTINGS_WITH_DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, schema]) => [name, { ...schema, default: DEFAULTS[name] }]),
)

const conditions = (name: ConditionsName): JsonSchema => object(conditionsFields(name))

/** The schema of each config object, if the body accepts it. */
export const configSchemas = ({ systems, change_types }: Catalogues): Record<ConfigName, JsonSchema> => ({
  agent_settings: object(SETTINGS_WITH_DEFAULTS),
  agent_settings_edits: object(SETTINGS),
  toolbox: object({ tools: { ...list(text(200), 200), default: [] } }),
  integrations: object({
    grants: {
      ...list(
        {
          type: 'object',
          properties: {
            system: { type: 'string', enum: systems, 'x-codes': { enum: 'integration_unknown' } },
            permission_groups: {
              ...list(
                { type: 'string', enum: PERMISSION_GROUPS, 'x-codes': { enum: 'permission_group_unknown' } },
                50,
              ),
              default: [],
            },
            // Contract silent: the least that can be granted.
            access: { type: 'string', enum: ['READ', 'WRITE'], default: 'READ' },
            // Absent is false: what is stored of earlier grants stays as it is.
            cross_company: { type: 'boolean' },
          },
          required: ['system'],
        },
        100,
      ),
      default: [],
    },
  }),
  schedule: object(
    {
      cron: text(200),
      timezone: { ...text(64), default: 'UTC' },
      start_at: { type: ['string', 'null'], maxLength: 64, default: null },
      end_at: { type: ['string', 'null'], maxLength: 64, default: null },
    },
    ['cron'],
  ),
  callback_settings: object({
    change_types: {
      ...list({ type: 'string', enum: change_types, 'x-codes': { enum: 'change_type_unknown' } }, 100),
      default: [],
    },
    ignore_own_changes: { type: 'boolean', default: true },
    debounce_seconds: { ...whole(0, 3600), default: 0 },
  }),
  actions: {
    type: ['array', 'null'],
    properties: NESTED,
    maxItems: 100,
    items: {
      type: 'object',
      properties: {
        ...NESTED,
        type: { type: 'string', enum: ACTION_TYPES, 'x-codes': { enum: 'action_type_unknown' } },
        params: { type: 'object', default: {} },
      },
      required: ['type'],
    },
  },
  ticket_conditions: conditions('ticket_conditions'),
  time_entry_conditions: conditions('time_entry_conditions'),
})

/** The schema of a config object that the body does not accept: it is ignored, but nothing may be nested in it. */
export const ignoredSchema = (name: ConfigName): JsonSchema => ({
  properties: NESTED,
  ...(name === 'actions' && { items: { properties: NESTED } }),
})
