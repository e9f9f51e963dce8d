/** JSON from callers is bounded where it is read: nothing that walks it afterwards meets more. */
import { describe, expect, it } from 'vitest'
import { describeWithAndWithoutCache } from '../setup/document-cache.ts'
import { fastest } from '../setup/fastest.ts'
import { json, request } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const msp = await world()

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const many = (values: number): string => `[${Array(values).fill('1').join()}]`

/** As many as there may be, with as many options each. */
const COMPANY_FILTERS = JSON.stringify(
  Array(50).fill({ field_name: 'status', selected_options: Array(500).fill({ id: 1, name: 'Active' }) }),
)

interface Sent {
  status: number
  code?: string
  reason?: string
}

const MUTATION = 'mutation ($input: SettingsPatch!) { update_settings(input: $input) { timezone } }'

/** `value` is JSON that stands in an object of the body. */
const ways: Record<string, (value: string, headers: Record<string, string>) => Promise<Sent>> = {
  async rest(value, headers) {
    const init = json(`{"data_residency":${value}}`, { method: 'PUT', headers })
    const response = await request('/public-api/settings', init, msp.admin)
    const { error } = await response.json()
    return { status: response.status, code: error?.code, reason: error?.details.reason }
  },
  async variables(value, headers) {
    return graphql(`"variables":{"input":{"data_residency":${value}}}`, headers)
  },
  async extensions(value, headers) {
    return graphql(`"variables":{"input":{}},"extensions":{"a":${value}}`, headers)
  },
}

async function graphql(rest: string, headers: Record<string, string>): Promise<Sent> {
  const init = json(`{"query":${JSON.stringify(MUTATION)},${rest}}`, { headers })
  const response = await request('/graphql', init, msp.admin)
  const { extensions } = (await response.json()).errors?.[0] ?? {}
  return { status: response.status, code: extensions?.code, reason: extensions?.details.reason }
}

describeWithAndWithoutCache('bounds of JSON', () => {
  describe.each(Object.entries(ways))('JSON in %s', (name, send) => {
    // The body itself is the first level, and GraphQL has objects of its own around the input.
    const around = { rest: 1, variables: 3, extensions: 2 }[name] ?? 0

    it.each([
      ['without a key', () => ({})],
      [
        'with an Idempotency-Key',
        () => ({ 'idempotency-key': `${name} ${Math.random()}`.replaceAll(' ', '') }),
      ],
    ])('is refused over 32 levels, %s', async (_how, headers) => {
      expect((await send(nested(32 - around), headers())).code).not.toBe('bad_request')
      for (const levels of [33 - around, 5000, 200_000]) {
        const { status, code, reason } = await send(nested(levels), headers())
        expect([status, code, reason]).toEqual([400, 'bad_request', expect.stringContaining('32')])
      }
    })

    it('is refused over 80,000 values, in no time that grows with them', async () => {
      expect((await send(COMPANY_FILTERS, {})).code).not.toBe('bad_request')
      for (const count of [80_001, 400_000]) {
        const ms = await fastest(async () => {
          const { status, code, reason } = await send(many(count), {})
          expect([status, code, reason]).toEqual([400, 'bad_request', expect.stringMatching(/80[,.]?000/)])
        })
        expect(ms).toBeLessThan(2000)
      }
    })
  })

  it.each(['variables', 'extensions'])('JSON in the parameter %s of a GET is bounded too', async (name) => {
    const search = new URLSearchParams({ query: '{ __typename }', [name]: `{"a":${nested(40)}}` })
    const response = await request(`/graphql?${search}`, {}, msp.admin)
    const [{ extensions }] = (await response.json()).errors
    expect([response.status, extensions.code]).toEqual([400, 'bad_request'])
    expect(extensions.details.reason).toContain('32')
  })
})
