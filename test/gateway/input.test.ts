/** The details of errors about input. */
import { describe, expect, it } from 'vitest'
import { addAgents } from '../setup/agents.ts'
import { describeApi } from '../setup/api.ts'
import { describeWithAndWithoutCache } from '../setup/document-cache.ts'
import { graphql } from '../setup/graphql.ts'
import { json, request } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const SETTINGS = '/public-api/settings'
const MUTATION = 'mutation ($input: SettingsPatch!) { update_settings(input: $input) { timezone } }'

const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]))

describeWithAndWithoutCache('input', () => {
  describe('what an operation does not have', () => {
    it.each([
      [20, 20, undefined],
      [21, 21, 'ignored_fields: 1 more'],
      [32, 21, 'ignored_fields: 12 more'],
    ])('is named up to the twentieth field of a body, and then counted: %i', async (fields, count, last) => {
      const msp = await world()
      const response = await request(SETTINGS, json(unknown(fields), { method: 'PUT' }), msp.admin)
      const { warnings } = (await response.json()).meta
      expect(warnings.slice(0, 20)).toEqual(Object.keys(unknown(20)).map((name) => `ignored_field: ${name}`))
      expect([warnings.length, warnings[20]]).toEqual([count, last])
    })

    it('is named up to the twentieth parameter, and then counted', async () => {
      const msp = await world()
      const search = Object.keys(unknown(32)).map((name) => `${name}=1`)
      const { meta } = await (await request(`${SETTINGS}?${search.join('&')}`, {}, msp.admin)).json()
      expect(meta.warnings).toHaveLength(21)
      expect(meta.warnings.at(-1)).toBe('ignored_parameters: 12 more')
    })

    it('is refused by GraphQL, with no more said than that', async () => {
      const msp = await world()
      const init = json({ query: MUTATION, variables: { input: unknown(32) } })
      const [{ extensions }] = (await (await request('/graphql', init, msp.admin)).json()).errors
      const { field_errors } = extensions.details
      expect(field_errors).toHaveLength(21)
      expect(field_errors.at(-1)).toMatchObject({
        field: 'input',
        code: 'unknown',
        message: 'has 12 more unknown fields',
      })
    })
  })

  describeApi('input', (api) => {
    it.each([
      ['HUDU', 'hudu'],
      ['It-Glue', 'it-glue'],
      ['it_glue', 'it-glue'],
      ['ITGLUE', 'it-glue'],
    ])('names no integration by %s, but nearly %s', async (name, meant) => {
      const msp = await world()
      const { status, error } = await api.call(msp.admin, 'integration', { name })
      expect([status, error?.code]).toEqual([404, 'unknown_integration'])
      expect(error?.details).toMatchObject({ id: name, suggestions: [meant] })
      expect(error?.message).toContain(meant)
    })

    it('names no integration at all by a name that is like none', async () => {
      const msp = await world()
      const { error } = await api.call(msp.admin, 'integration', { name: 'nothing' })
      expect(error?.details.suggestions).toEqual([])
    })

    it.each([
      ['hudu', 'HUDU'],
      ['It-Glue', 'IT_GLUE'],
      ['itglue', 'IT_GLUE'],
    ])('is told of the value %s that it may mean %s', async (system, meant) => {
      const msp = await world()
      const { status, error } = await api.call(msp.admin, 'company_links', { system })
      const [problem] = error?.details.field_errors ?? []
      expect([status, problem]).toMatchObject([422, { field: 'system', code: 'enum' }])
      expect(problem?.message).toMatch(new RegExp(`; did you mean ${meant}\\?$`))
    })

    it('is told of a value that is like none what there is', async () => {
      const msp = await world()
      const { error } = await api.call(msp.admin, 'company_links', { system: 'HUD' })
      expect(error?.details.field_errors?.[0]?.message).toMatch(/^must be one of [A-Z0-9_, ]+$/)
    })

    it.each(['2026-01-01T00:00:00 02:00', '2026-01-01T00:00:00.5 05:30'])(
      'is told of the time %s that its + was lost on the way',
      async (from) => {
        const msp = await world()
        const { status, error } = await api.call(msp.admin, 'executions', { from })
        const [problem] = error?.details.field_errors ?? []
        expect([status, problem]).toMatchObject([422, { field: 'from', code: 'format' }])
        expect(problem?.message).toContain('%2B')
      },
    )

    it.each(['2026-01-01T00:00:00 99:00', '2026-13-01T00:00:00 02:00', '2026-01-01 02:00', 'yesterday'])(
      'is not told so of %s',
      async (from) => {
        const msp = await world()
        const { error } = await api.call(msp.admin, 'executions', { from })
        expect(error?.details.field_errors?.[0]?.message).toBe('must be an RFC 3339 date-time or date')
      },
    )
  })

  it('a filter of several values is repeated, separated by commas, or a single value', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, state: 'DRAFT' }, { id: 3, state: 'PAUSED' }])
    const rest = async (search: string) => {
      const { data } = await (await request(`/public-api/agents?${search}`, {}, msp.admin)).json()
      return data.map(({ id }: { id: number }) => id)
    }
    expect(await rest('state=ACTIVE,DRAFT')).toEqual([2, 1])
    expect(await rest('state=ACTIVE&state=DRAFT')).toEqual([2, 1])
    const literal = await graphql(msp.admin, '{ agents(state: PAUSED) { items { id } } }')
    expect(literal.data.agents.items).toEqual([{ id: 3 }])
  })

  it.each([
    ['page_size=1&page_size=2', 'page_size'],
    ['search=a&search=b', 'search'],
    ['supervised=true&supervised=true', 'supervised'],
    ['autonomy_type=AGENTIC&autonomy_type=CONVERSATIONAL', 'autonomy_type'],
  ])('a parameter with one value is sent once: %s', async (search, field) => {
    const msp = await world()
    const response = await request(`/public-api/agents?${search}`, {}, msp.admin)
    expect([response.status, (await response.json()).error.details.field_errors]).toEqual([
      422,
      [{ field, location: 'query', code: 'repeated', message: 'must be sent once' }],
    ])
  })

  it('a time whose offset is sent with a bare + is told how to send it', async () => {
    const msp = await world()
    const ask = async (from: string) =>
      await (await request(`/public-api/executions?from=${from}`, {}, msp.admin)).json()
    expect((await ask('2026-01-01T00:00:00%2B02:00')).error).toBeUndefined()
    expect((await ask('2026-01-01T00:00:00+02:00')).error.message).toContain('%2B')
  })
})
