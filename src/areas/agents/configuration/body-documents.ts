/** The bodies of creates and changes as OpenAPI documents them: the fields of each, without the rules between fields. */
import type { JsonSchema } from '../../../lib/json-schema.ts'
import type { DocumentedObject, DocumentedUnion } from '../../../schema/bounds/bounds.ts'
import { CONDITION } from '../conditions/rules/conditions.ts'
import { type BodySchemas, ofCreate } from './rules/body-schemas.ts'
import { accepts, CONFIG_NAMES, type ConfigName } from './rules/config-objects.ts'
import { AUTONOMY_TYPES, type Autonomy, entitiesOf, triggersOf } from './rules/matrix.ts'

type Properties = Readonly<Record<string, JsonSchema>>

const propertiesOf = ({ properties }: JsonSchema): Properties => properties as Properties

/** The schema with other properties in place of some. */
const having = (schema: JsonSchema, properties: Properties): JsonSchema => ({
  ...schema,
  properties: { ...propertiesOf(schema), ...properties },
})

/** Instructions in either form. */
function withInstructions(settings: JsonSchema): JsonSchema {
  const { custom_instructions: { maxLength, default: value } = {} } = propertiesOf(settings)
  const plain = { type: 'string', maxLength }
  const text = { ...plain, description: 'The instructions.' }
  const object = { type: 'object', description: 'It is taken for its `text`.', properties: { text } }
  return having(settings, { custom_instructions: { anyOf: [plain, object], default: value } })
}

const withConditions = (conditions: JsonSchema): JsonSchema =>
  having(conditions, { rules: { ...propertiesOf(conditions).rules, items: CONDITION } })

/** Config objects that are documented in another form than that of the rules. */
const PLAIN: Partial<Record<ConfigName, (schema: JsonSchema) => JsonSchema>> = {
  agent_settings: withInstructions,
  agent_settings_edits: withInstructions,
  ticket_conditions: withConditions,
  time_entry_conditions: withConditions,
}

/** The fields of the body, with the config objects that it takes. */
function fieldsOf(schema: JsonSchema, takes: (name: ConfigName) => boolean): Properties {
  const properties = propertiesOf(schema)
  const others = Object.entries(properties).filter(([name]) => !(CONFIG_NAMES as string[]).includes(name))
  const configs = CONFIG_NAMES.filter(takes).map((name) => {
    const config = properties[name] ?? {}
    return [name, PLAIN[name]?.(config) ?? config]
  })
  return Object.fromEntries([...others, ...configs])
}

const NAMES: Readonly<Record<Autonomy, string>> = {
  AGENTIC: 'CreateAgenticAgent',
  CHAINED_ACTIONS: 'CreateChainedActionsAgent',
  CONVERSATIONAL: 'CreateConversationalAgent',
}

const DESCRIPTIONS: Readonly<Record<Autonomy, string>> = {
  AGENTIC: 'A new agent that decides itself, within its instructions and its toolbox.',
  CHAINED_ACTIONS: 'A new agent that takes the same actions in the same order, every time.',
  CONVERSATIONAL: 'A new agent that chats.',
}

const RULES = 'The rules between fields are in `GET /public-api/schemas/agents`.'

function createBodyOf(schemas: BodySchemas, autonomy: Autonomy): DocumentedObject {
  const schema = schemas.create[autonomy]
  const triggers = triggersOf(autonomy)
  const fields = fieldsOf(schema, (name) => accepts(name, 'CREATE', autonomy))
  const narrower: Properties = {
    trigger_type: { enum: triggers },
    entity_type: { enum: [...new Set(triggers.flatMap((trigger) => entitiesOf(autonomy, trigger)))] },
    ...ofCreate(autonomy),
  }
  return {
    name: NAMES[autonomy],
    description: `${DESCRIPTIONS[autonomy]} ${RULES}`,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, { ...field, ...narrower[name] }]),
    ),
    required: schema.required as string[],
  }
}

/** The body of a create. */
export const createBody = (schemas: BodySchemas): DocumentedUnion => ({
  name: 'CreateAgent',
  description: 'One of three bodies, by `autonomy_type`.',
  bodies: AUTONOMY_TYPES.map((autonomy) => createBodyOf(schemas, autonomy)),
  told_apart_by: 'autonomy_type',
})

/** The body of a change. */
export const updateBody = ({ update }: BodySchemas): DocumentedObject => ({
  name: 'UpdateAgent',
  description:
    'A field that is left out keeps its value. A config object that is given replaces the stored one, and null clears ' +
    `it. ${RULES}`,
  properties: fieldsOf(update, () => true),
  required: [],
})
