import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { request } from '../../setup/http.ts'
import { world } from '../../setup/world.ts'

interface Rule {
  code: string
  severity: string
  applies_to: string[]
  autonomy_types: string[]
  fields: string[]
  condition: unknown
  message: string
  checked: string
}

describeApi('the schema of agents', (api) => {
  const schema = async () => (await api.call((await world()).viewer, 'agent_schema')).data

  it('says which bodies take each config object', async () => {
    const { config_objects } = await schema()
    expect(config_objects.map(({ name }: { name: string }) => name)).toEqual([
      'agent_settings',
      'agent_settings_edits',
      'toolbox',
      'integrations',
      'schedule',
      'callback_settings',
      'actions',
      'ticket_conditions',
      'time_entry_conditions',
    ])
    const named = (name: string) => config_objects.find((one: { name: string }) => one.name === name)
    expect(named('agent_settings_edits')).toEqual({
      name: 'agent_settings_edits',
      accepted_on: ['UPDATE'],
      autonomy_types: ['AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'],
    })
    expect(named('actions').autonomy_types).not.toContain('CONVERSATIONAL')
    expect(named('toolbox').autonomy_types).not.toContain('CHAINED_ACTIONS')
  })

  it('has the whole matrix', async () => {
    const { matrix } = await schema()
    expect(matrix).toHaveLength(36)
    expect(matrix).toContainEqual({
      autonomy_type: 'CONVERSATIONAL',
      trigger_type: 'CHAT',
      entity_type: 'NONE',
      allowed: true,
    })
    expect(matrix).toContainEqual({
      autonomy_type: 'AGENTIC',
      trigger_type: 'TRIGGERED',
      entity_type: 'NONE',
      allowed: false,
    })
  })

  it('has every rule in full, once for each write and kind', async () => {
    const { rules } = (await schema()) as { rules: Rule[] }
    const keys = rules.flatMap(({ code, applies_to, autonomy_types }) =>
      applies_to.flatMap((write) => autonomy_types.map((autonomy) => `${code} ${write} ${autonomy}`)),
    )
    expect(new Set(keys).size).toBe(keys.length)
    for (const { code, severity, fields, condition, message, checked } of rules) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(message).toMatch(/^[A-Z].+\.$/)
      expect(fields.length).toBeGreaterThan(0)
      expect(condition).toBeTypeOf('object')
      expect(['ERROR', 'WARNING']).toContain(severity)
      expect(['SCHEMA', 'SERVER']).toContain(checked)
    }
  })

  it('has no tool of run time', async () => {
    expect(JSON.stringify(await schema())).not.toMatch(/run\.finish|run\.wait|conversation\.reply/)
  })
})

it('/public-api/schemas/agents may be kept for five minutes and is not sent again unchanged', async () => {
  const { key } = await world()
  const first = await request('/public-api/schemas/agents', {}, key)
  expect(first.headers.get('cache-control')).toBe('private, max-age=300')
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  expect((await request('/public-api/schemas/agents', { headers }, key)).status).toBe(304)
  expect((await request('/public-api/schemas/agents')).status).toBe(401)
})
