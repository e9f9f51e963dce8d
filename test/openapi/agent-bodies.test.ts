/** The bodies of agent writes in the document: plain objects, which generators of clients and of MCP servers take. */
import { describe, expect, it } from 'vitest'
import { AUTONOMY_TYPES } from '../../src/areas/agents/configuration/rules/matrix.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import type { Json } from '../../src/rest/openapi/json.ts'
import { builtSchemas } from '../setup/app.ts'

const document = openApiDocument(builtSchemas().operations, {})
const schemas = document.components.schemas ?? {}

const PREFIX = '#/components/schemas/'
const refTo = (name: string) => ({ $ref: PREFIX + name })

const bodyOf = (path: string, method: string): Json => {
  const body = document.paths[path]?.[method]?.requestBody as { content: Record<string, Json> }
  return body.content['application/json']?.schema as Json
}

const propertiesOf = (name: string) => (schemas[name]?.properties ?? {}) as Record<string, Json>

/** The names of the components that the schema leads to, its own included. */
function reached(name: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(
    /"\$ref":"#\/components\/schemas\/(\w+)"/g,
  ))
    reached(other, found)
  return found
}

const CREATES = {
  AGENTIC: 'CreateAgenticAgent',
  CHAINED_ACTIONS: 'CreateChainedActionsAgent',
  CONVERSATIONAL: 'CreateConversationalAgent',
}

const OF_ALL = ['name', 'description', 'trigger_type', 'entity_type', 'autonomy_type']
const OF_RUNS = ['schedule', 'callback_settings', 'actions', 'ticket_conditions', 'time_entry_conditions']

describe('the body', () => {
  it('of a create is one of three, told apart by the kind of agent', () => {
    expect(bodyOf('/public-api/agents', 'post')).toEqual(refTo('CreateAgent'))
    expect(schemas.CreateAgent).toEqual({
      description: expect.any(String),
      oneOf: Object.values(CREATES).map(refTo),
      discriminator: {
        propertyName: 'autonomy_type',
        mapping: Object.fromEntries(Object.entries(CREATES).map(([kind, name]) => [kind, PREFIX + name])),
      },
    })
  })

  it('of a change is an object, and a validation takes both', () => {
    expect(bodyOf('/public-api/agents/{agent_id}', 'put')).toEqual(refTo('UpdateAgent'))
    expect(bodyOf('/public-api/agents/{agent_id}', 'patch')).toEqual(refTo('UpdateAgent'))
    expect(bodyOf('/public-api/agents/validate', 'post')).toEqual(refTo('AgentToValidate'))
    expect(schemas.AgentToValidate?.anyOf).toEqual([refTo('CreateAgent'), refTo('UpdateAgent')])
  })

  it.each(AUTONOMY_TYPES)('of a create of %s has the config objects of its kind alone', (kind) => {
    const own = {
      AGENTIC: ['agent_settings', 'toolbox', 'integrations', ...OF_RUNS],
      CHAINED_ACTIONS: ['agent_settings', 'integrations', ...OF_RUNS],
      CONVERSATIONAL: ['agent_settings', 'toolbox', 'integrations'],
    }[kind]
    const properties = propertiesOf(CREATES[kind])
    expect(Object.keys(properties).toSorted()).toEqual([...OF_ALL, 'activate', ...own].toSorted())
    expect(properties.autonomy_type?.const).toBe(kind)
    expect(schemas[CREATES[kind]]?.required).toContain('autonomy_type')
  })

  it('of a change has every config object', () => {
    const edits = ['agent_settings', 'agent_settings_edits', 'toolbox', 'integrations']
    expect(Object.keys(propertiesOf('UpdateAgent')).toSorted()).toEqual(
      [...OF_ALL, ...edits, ...OF_RUNS].toSorted(),
    )
  })
})

describe('their schemas', () => {
  /** Every schema in the part. */
  function schemasIn(part: Json): Json[] {
    const { properties = {}, items = {}, anyOf = [], oneOf = [] } = part
    const inner = [...Object.values(properties as Json), items, ...(anyOf as Json[]), ...(oneOf as Json[])]
    return [
      part,
      ...inner.flatMap((one) => (Object.keys(one as Json).length > 0 ? schemasIn(one as Json) : [])),
    ]
  }

  it('have no rule between fields', () => {
    const plain = [
      '$ref',
      'type',
      'description',
      'properties',
      'required',
      'items',
      'anyOf',
      'oneOf',
      'discriminator',
      'const',
      'enum',
      'minimum',
      'maximum',
      'maxLength',
      'pattern',
      'minItems',
      'maxItems',
      'additionalProperties',
    ]
    const all = [...reached('AgentToValidate')].flatMap((name) => schemasIn(schemas[name] ?? {}))
    expect(all.length).toBeGreaterThan(100)
    const keywords = new Set(all.flatMap((schema) => Object.keys(schema)))
    expect([...keywords].filter((keyword) => !plain.includes(keyword))).toEqual([])
  })

  it('share the config objects', () => {
    const configs = (name: string) =>
      Object.entries(propertiesOf(name)).flatMap(([property, schema]) =>
        [...JSON.stringify(schema).matchAll(/schemas\/(\w+)/g)].map(
          ([, component]) => `${property} ${component}`,
        ),
      )
    const ofChange = new Set(configs('UpdateAgent'))
    for (const name of Object.values(CREATES))
      expect(configs(name).filter((config) => !ofChange.has(config))).toEqual([])
    const names = [...reached('UpdateAgent')].filter((name) => schemas[name]?.type === 'object').toSorted()
    expect(names).toEqual([
      'AgentActionInput',
      'AgentIntegrationsInput',
      'AgentScheduleInput',
      'AgentSettingsEdits',
      'AgentSettingsInput',
      'CallbackSettingsInput',
      'ConditionInput',
      'ConditionsInput',
      'IntegrationGrantInput',
      'ToolboxInput',
      'UpdateAgent',
    ])
  })
})
