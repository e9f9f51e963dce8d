/** The arguments of actions are validated by the input schemas of their tools. */
import { describe, expect, it } from 'vitest'
import { VALIDATOR } from '../../src/areas/agents/configuration/published-rules.ts'
import { ACTION_TYPES } from '../../src/areas/agents/configuration/rules/config-objects.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import type { JsonSchema } from '../../src/tools/tool.ts'
import { FACTS, VALID } from '../setup/agent-bodies.ts'

type Params = Record<string, unknown>

const schemaOf = (type: string) =>
  toolNamed(type)?.input_schema as { properties: Record<string, JsonSchema>; required: readonly string[] }

/** A value that fits the schema. */
function fitting({ type, enum: words, minimum, items, properties }: JsonSchema): unknown {
  if (Array.isArray(words)) return words[0]
  const [kind] = [type].flat()
  if (kind === 'integer') return minimum
  if (kind === 'boolean') return true
  if (kind === 'array') return [fitting(items as JsonSchema)]
  return kind === 'object' ? allOf((properties ?? {}) as Record<string, JsonSchema>) : 'x'
}

const allOf = (properties: Record<string, JsonSchema>): Params =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fitting(schema)]))

const validated = (type: string, params: Params, entity_type = 'TICKET') => {
  const trigger = entity_type === 'NONE' ? { trigger_type: 'ON_DEMAND' } : {}
  const body = { ...VALID.AGENTIC, ...trigger, entity_type, actions: [{ type, params }] }
  const { problems, warnings, fields } = VALIDATOR.draft(body, FACTS)
  const [action] = fields.actions as { params: Params }[]
  return { problems: problems.map(({ field, code }) => [field, code]), warnings, params: action?.params }
}

describe.each(ACTION_TYPES)('an action %s', (type) => {
  const { properties, required } = schemaOf(type)
  const whole = allOf(properties)

  it('takes what the schema of the tool has', () => {
    expect(validated(type, whole)).toEqual({ problems: [], warnings: [], params: whole })
  })

  it.each(Object.keys(properties))('is refused if %s is of another type', (name) => {
    const { problems } = validated(type, { ...whole, [name]: { not: 3.5 } })

    const inside = schemaOf(type).properties[name]?.type === 'object' ? `${name}.not` : name
    expect(problems).toEqual([[`actions.0.params.${inside}`, 'action_params_invalid']])
  })

  it('ignores what the tool does not have', () => {
    const { problems, warnings, params } = validated(type, { ...whole, colour: 'red' })
    expect([problems, warnings, params]).toEqual([[], ['ignored_field: actions.0.params.colour'], whole])
  })

  it('warns of what the tool requires, and nothing gives', () => {
    const { problems, warnings } = validated(type, {}, 'NONE')
    expect(problems).toEqual([])
    expect(warnings).toEqual(required.map((name) => `action_param_missing: actions.0.params.${name}`))
  })
})

describe('the arguments of actions', () => {
  it('may be left out if the ticket or time entry gives them', () => {
    expect(validated('ticket.read', {}).warnings).toEqual([])
    expect(validated('ticket.create', { title: 'x', description: 'x' }).warnings).toEqual([])
    expect(validated('time_entry.return', { reason: 'x' }).warnings).toHaveLength(1)
    expect(validated('time_entry.return', { reason: 'x' }, 'TIME_ENTRY').warnings).toEqual([])
    expect(validated('ticket.read', {}, 'NONE').warnings).toHaveLength(1)
  })

  it('say what is wrong with them, deep inside too', () => {
    const windows = [{ day: 'MONDAY', start_time: '', end_time: '17:00', note: 'x' }]
    const { problems, warnings } = validated('technician.replace_schedule', { schedule_id: 0, windows })
    expect(problems).toEqual([
      ['actions.0.params.schedule_id', 'action_params_invalid'],
      ['actions.0.params.windows.0.start_time', 'action_params_invalid'],
    ])
    expect(warnings).toEqual(['ignored_field: actions.0.params.windows.0.note'])
    const { problems: texts } = validated('device.run_script', {
      device_id: '1',
      script_id: '2',
      parameters: { count: 3.5 },
    })
    expect(texts).toEqual([['actions.0.params.parameters.count', 'action_params_invalid']])
  })

  it('that are stored are validated only if a change is one of actions', () => {
    const actions = [{ type: 'ticket.read', params: { ticket_id: 7 } }]
    const agent = { ...VALID.AGENTIC, actions }
    const problems = (body: object) =>
      VALIDATOR.patch(agent, { ...body }, FACTS).problems.map(({ code }) => code)
    expect(problems({ actions, name: 'Other' })).toEqual([])
    expect(problems({ actions: [...actions, ...actions] })).toEqual(Array(2).fill('action_params_invalid'))
  })

  it('are given by what the agent will work on', () => {
    const agent = { ...VALID.AGENTIC, entity_type: 'TIME_ENTRY' }
    const actions = [{ type: 'time_entry.read' }]
    const warnings = (body: object) => VALIDATOR.patch(agent, { ...body }, FACTS).warnings
    expect(warnings({ actions })).toEqual([])
    expect(warnings({ actions, entity_type: 'TICKET' })).toHaveLength(1)
  })
})
