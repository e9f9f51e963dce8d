/** The JSON Schemas of the bodies that create and change agents. The server validates bodies by these. */
import { implies, type JsonSchema } from '../../../../lib/json-schema.ts'
import {
  accepts,
  type Catalogues,
  CONFIG_NAMES,
  configSchemas,
  ignoredSchema,
  type Operation,
} from './config-objects.ts'
import {
  AUTONOMY_TYPES,
  type Autonomy,
  ENTITY_TYPES,
  entitiesOf,
  TRIGGER_TYPES,
  triggersOf,
} from './matrix.ts'

export interface BodySchemas {
  create: Readonly<Record<Autonomy, JsonSchema>>
  /** A create without a kind, or with one that does not exist. */
  unknown: JsonSchema
  update: JsonSchema
}

const IDENTITY = {
  name: {
    type: 'string',
    maxLength: 120,
    pattern: '^\\s*\\S[\\s\\S]*$',
    'x-codes': { maxLength: 'name_too_long', pattern: 'name_required' },
  },
  description: { type: ['string', 'null'], maxLength: 1024 },
  trigger_type: { type: 'string', enum: TRIGGER_TYPES },
  entity_type: { type: 'string', enum: ENTITY_TYPES },
}

const given = (name: string, values: readonly string[]): JsonSchema => ({
  properties: { [name]: { enum: values } },
  required: [name],
})

const within = (name: string, values: readonly string[]): JsonSchema => ({
  properties: { [name]: { enum: values, 'x-codes': { enum: 'combination_not_allowed' } } },
})

/** The triggers that agents of the kind may have, each with the entities that go with it. */
export const combinationRules = (autonomy: Autonomy): JsonSchema[] => [
  implies(given('trigger_type', TRIGGER_TYPES), within('trigger_type', triggersOf(autonomy))),
  ...triggersOf(autonomy).map((trigger) =>
    implies(
      { allOf: [given('trigger_type', [trigger]), given('entity_type', ENTITY_TYPES)] },
      within('entity_type', entitiesOf(autonomy, trigger)),
    ),
  ),
]

export const SCHEDULE_RULE: JsonSchema = implies(given('trigger_type', ['SCHEDULED']), {
  properties: { schedule: { type: 'object', 'x-codes': { type: 'schedule_required' } } },
  required: ['schedule'],
  'x-codes': { required: 'schedule_required' },
})

const NO_SUPERVISORS = 'supervisors_required'

export const SUPERVISORS_RULE: JsonSchema = {
  properties: {
    agent_settings: implies(
      { properties: { supervised: { const: true } }, required: ['supervised'] },
      {
        properties: {
          supervisor_technician_ids: { minItems: 1, 'x-codes': { minItems: NO_SUPERVISORS } },
        },
        required: ['supervisor_technician_ids'],
        'x-codes': { required: NO_SUPERVISORS },
      },
    ),
  },
}

const REQUIRED_CODES = {
  name: 'name_required',
  autonomy_type: 'autonomy_type_required',
  agent_settings: 'agent_settings_required',
  actions: 'actions_required',
}

// Contract silent: a CONVERSATIONAL agent has the trigger CHAT and the entity NONE if the body has neither.
const REQUIRED: Readonly<Record<Autonomy, readonly string[]>> = {
  AGENTIC: ['name', 'autonomy_type', 'trigger_type', 'entity_type', 'agent_settings'],
  CHAINED_ACTIONS: ['name', 'autonomy_type', 'trigger_type', 'entity_type', 'agent_settings', 'actions'],
  CONVERSATIONAL: ['name', 'autonomy_type', 'agent_settings'],
}

/** The schemas of the config objects in bodies of the operation, for agents of the kind. */
function configs(catalogues: Catalogues, operation: Operation, autonomy: Autonomy | null) {
  const schemas = configSchemas(catalogues)
  const isAccepted = (name: (typeof CONFIG_NAMES)[number]) =>
    autonomy === null || accepts(name, operation, autonomy)
  return Object.fromEntries(
    CONFIG_NAMES.map((name) => [name, isAccepted(name) ? schemas[name] : ignoredSchema(name)]),
  )
}

/** Settings are required, and null is none. */
const NOT_NULL = { agent_settings: { type: 'object', 'x-codes': { type: 'agent_settings_required' } } }

const ACTIONS = {
  actions: {
    type: 'array',
    minItems: 1,
    'x-codes': { type: 'actions_required', minItems: 'actions_required' },
  },
}

/** The further rules of fields in the body of a create. */
export const ofCreate = (autonomy: Autonomy): Readonly<Record<string, JsonSchema>> => ({
  ...NOT_NULL,
  ...(autonomy === 'CHAINED_ACTIONS' && ACTIONS),
})

const createSchema = (catalogues: Catalogues, autonomy: Autonomy): JsonSchema => ({
  type: 'object',
  properties: {
    ...IDENTITY,
    autonomy_type: { type: 'string', const: autonomy },
    activate: { type: 'boolean', default: false },
    ...configs(catalogues, 'CREATE', autonomy),
  },
  required: REQUIRED[autonomy],
  'x-codes': { required: REQUIRED_CODES },
  allOf: [
    { properties: ofCreate(autonomy) },
    ...combinationRules(autonomy),
    ...(accepts('schedule', 'CREATE', autonomy) ? [SCHEDULE_RULE] : []),
    SUPERVISORS_RULE,
  ],
})

const schemaOfUnknownKind = (catalogues: Catalogues): JsonSchema => ({
  type: 'object',
  properties: {
    ...IDENTITY,
    autonomy_type: { type: 'string', enum: AUTONOMY_TYPES },
    activate: { type: 'boolean' },
    ...configs(catalogues, 'CREATE', null),
  },
  required: ['name', 'autonomy_type', 'agent_settings'],
  'x-codes': { required: REQUIRED_CODES },
})

const updateSchema = (catalogues: Catalogues): JsonSchema => ({
  type: 'object',
  properties: {
    ...IDENTITY,
    autonomy_type: { type: 'string', enum: AUTONOMY_TYPES },
    ...configs(catalogues, 'UPDATE', null),
  },
})

export const bodySchemas = (catalogues: Catalogues): BodySchemas => ({
  create: {
    AGENTIC: createSchema(catalogues, 'AGENTIC'),
    CHAINED_ACTIONS: createSchema(catalogues, 'CHAINED_ACTIONS'),
    CONVERSATIONAL: createSchema(catalogues, 'CONVERSATIONAL'),
  },
  unknown: schemaOfUnknownKind(catalogues),
  update: updateSchema(catalogues),
})
