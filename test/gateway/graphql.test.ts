import { serverAudits } from 'graphql-http'
import { afterAll, describe, expect, it } from 'vitest'
import { KEY_PEPPER, startApp, testApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { describeWithAndWithoutCache } from '../setup/document-cache.ts'
import { json, request } from '../setup/http.ts'
import { type Caller, world } from '../setup/world.ts'

const msp = await world()

async function post(query: string, { variables, caller = msp.admin, headers = {} }: Options = {}) {
  const response = await request('/graphql', json({ query, variables }, { headers }), caller ?? undefined)
  return { status: response.status, headers: response.headers, ...(await response.json()) }
}

interface Options {
  variables?: Record<string, unknown>
  caller?: Caller | null
  headers?: Record<string, string>
}

/** 400 with a reason, for what could not be read. */
async function expectUnreadable(response: Response): Promise<void> {
  const [{ extensions }] = (await response.json()).errors
  expect([response.status, extensions.code]).toEqual([400, 'bad_request'])
  expect(extensions.details.reason).toMatch(/\w/)
}

describe('a stranger in production', async () => {
  const production = await startApp(await testDatabase(), {
    NODE_ENV: 'production',
    DATA_DIR: 'memory',
    KEY_PEPPER,
    SIGNING_SECRETS: 'a signing secret for tests',
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    OIDC_ISSUER: 'https://issuer.test',
    OIDC_AUDIENCE: 'tests',
    OIDC_JWKS_URL: 'https://issuer.test/jwks',
  })
  afterAll(() => production.app.close(0))

  const ask = async (query: string, caller?: Caller) => {
    const init = json({ query }, caller ? { headers: { authorization: `Bearer ${caller.token}` } } : {})
    const response = await fetch(`${production.base}/graphql`, init)
    return await response.json()
  }

  it.each(['the first to ask', 'the second'])('does not read the schema, as %s', async (turn) => {
    const { getIntrospectionQuery } = await import('graphql')
    const query = `${getIntrospectionQuery()} # ${turn}`
    const ofStranger = async () => expect((await ask(query)).data).toBeUndefined()
    if (turn === 'the first to ask') await ofStranger()
    expect((await ask(query, msp.viewer)).data.__schema.queryType.name).toBe('Query')
    await ofStranger()
  })

  it.each(['{ setting { timezone } }', '{ company_links(system: HUD) { counts { totl } } }'])(
    'is not told what %s may have meant',
    async (query) => {
      const messages = async (caller?: Caller) =>
        (await ask(query, caller)).errors.map(({ message }: { message: string }) => message).join()
      expect(await messages(msp.viewer)).toMatch('Did you mean')
      expect(await messages()).not.toMatch(/Did you mean|settings|HUDU|total/)
    },
  )

  it('is shown no GraphiQL', async () => {
    await expectUnreadable(await fetch(`${production.base}/graphql`, { headers: { accept: 'text/html' } }))
  })
})

describeWithAndWithoutCache('GraphQL', () => {
  describe('GraphQL over HTTP', () => {
    const audits = serverAudits({
      url: async () => `${(await testApp()).base}/graphql`,
      fetchFn: (url: string, init?: RequestInit) => {
        const headers = new Headers(init?.headers)
        headers.set('authorization', `Bearer ${msp.admin.token}`)
        return fetch(url, { ...init, headers })
      },
    })
    it.each(audits)('$id $name', async (audit) => {
      const result = await audit.fn()
      const reason = 'reason' in result ? result.reason : ''
      // A MAY is the server's choice: forms are not taken, so that no other site can send them.
      if (audit.name.startsWith('MAY')) expect(result.status, reason).toMatch(/ok|notice/)
      else expect(result.status, reason).toBe('ok')
    })
  })

  describe('a GraphQL document', () => {
    it.each([
      ['a subscription', 'subscription { health { status } }'],
      ['@defer', '{ health { ... @defer { status } } }'],
      ['@stream', '{ error_codes @stream { code } }'],
      [
        'a variable __proto__',
        'query ($__proto__: Boolean! = true) { health { time @include(if: $__proto__) } }',
      ],
    ])('with %s is refused by validation', async (_what, query) => {
      const { errors, data } = await post(query)
      expect([errors[0].extensions.code, data]).toEqual(['graphql_validation_failed', undefined])
    })

    it('may give its parts the names of an object’s own properties', async () => {
      const query = `query constructor($toString: Boolean = true) { __proto__: health { ...hasOwnProperty } }
      fragment hasOwnProperty on Health { constructor: version @include(if: $toString) __proto__: status }`
      const { data, errors } = await post(query)
      expect(errors).toBeUndefined()
      expect(Object.keys(data)).toEqual(['__proto__'])
    })

    it('with several operations is counted as such, however they are combined', async () => {
      const fields = ['health', 'error_codes', 'enum_catalog']
      for (let i = 0; i < 9; i++) {
        const chosen = [fields[i % 3], fields[Math.floor(i / 3)]].map(
          (name, at) => `a${at}: ${name} { __typename }`,
        )
        await post(`{ ${chosen.join(' ')} }`)
      }
      const metrics = await (await request('/metrics')).text()
      const labels = [...metrics.matchAll(/_count\{interface="graphql",operation="([^"]*)"/g)].map(
        ([, name]) => name,
      )
      expect(labels).toContain('several')
      expect(labels.filter((name) => name?.includes(','))).toEqual([])
    })

    it('is the whole of a request: batches are refused', async () => {
      const response = await request('/graphql', json([{ query: '{ __typename }' }]), msp.admin)
      expect(response.status).toBe(400)
    })

    it.each([
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/graphql',
    ])('of type %s is 415', async (type) => {
      const init = { method: 'POST', headers: { 'content-type': type }, body: 'query={__typename}' }
      expect((await request('/graphql', init, msp.admin)).status).toBe(415)
    })

    it.each(['variables=%ff', 'extensions={', 'variables=%zz', 'variables=[]'])(
      'by GET with %s is 400',
      async (search) => {
        const response = await request(`/graphql?query={__typename}&${search}`, {}, msp.admin)
        await expectUnreadable(response)
      },
    )

    it.each(['text/event-stream', 'multipart/mixed', 'application/xml', 'image/*;q=0.1', 'x'.repeat(500)])(
      'is answered in JSON, though only %.20s is accepted',
      async (accept) => {
        const init = json({ query: '{ __typename }' }, { headers: { accept } })
        const response = await request('/graphql', init, msp.admin)
        expect([response.status, response.headers.get('content-type')]).toEqual([
          200,
          'application/json; charset=utf-8',
        ])
        expect((await response.json()).data).toEqual({ __typename: 'Query' })
      },
    )

    it('changes nothing by GET', async () => {
      const query = encodeURIComponent('mutation { update_settings(input: {}) { timezone } }')
      const response = await request(`/graphql?query=${query}`, {}, msp.admin)
      expect(response.status).toBe(405)
    })
  })

  describe('GraphQL errors', () => {
    it('of access have the HTTP status, and no data', async () => {
      const anonymous = await post('{ settings { timezone } }', { caller: null })
      expect([anonymous.status, anonymous.data, anonymous.errors[0].extensions.code]).toEqual([
        401,
        undefined,
        'unauthenticated',
      ])
      const viewer = await post('mutation { update_settings(input: {}) { timezone } }', {
        caller: msp.viewer,
      })
      expect([viewer.status, viewer.data, viewer.errors[0].extensions.details.required_role]).toEqual([
        403,
        undefined,
        'ADMIN',
      ])
    })

    it('of one refused field refuse the whole document', async () => {
      const query =
        'mutation { a: update_settings(input: {}) { timezone } b: update_settings(input: {}) { timezone } }'
      const { data, status } = await post(query, { caller: msp.viewer })
      expect([status, data]).toEqual([403, undefined])
    })

    it('of a credential are answered before the document is read', async () => {
      const bad = { id: '', token: 'nonsense' }
      const { status, errors } = await post('{ nonsense', { caller: bad })
      expect([status, errors[0].extensions.code]).toEqual([401, 'invalid_credentials'])
    })

    it('of variables have the same field_errors as REST', async () => {
      const query = 'mutation ($patch: SettingsPatch!) { update_settings(input: $patch) { timezone } }'
      const variables = { patch: { end_business_hours: 25, timezone: 7, colour: 1 } }
      const { errors } = await post(query, { variables })
      expect(errors[0].extensions).toMatchObject({ code: 'request_validation_failed', status: 422 })
      expect(errors[0].extensions.details.field_errors).toMatchObject([
        { field: 'end_business_hours', location: 'body', code: 'range' },
        { field: 'timezone', location: 'body', code: 'type' },
        { field: 'colour', location: 'body', code: 'unknown' },
      ])
    })

    it.each([
      [null, 'required'],
      ['text', 'type'],
      [[], 'type'],
    ])('of a variable that is no input at all name the argument: %j', async (input, code) => {
      const query = 'mutation ($input: SettingsPatch!) { update_settings(input: $input) { timezone } }'
      const { errors } = await post(query, { variables: { input } })
      expect(errors[0].extensions.details.field_errors).toMatchObject([
        { field: 'input', location: 'body', code },
      ])
    })

    it('of an argument that may be left out are none if it is null', async () => {
      const key = await msp.newKey()
      const query =
        'mutation ($id: ID!, $input: ApiKeyRevocation) { revoke_api_key(key_id: $id, input: $input) { status } }'
      const { data } = await post(query, { variables: { id: key.id, input: null } })
      expect(data.revoke_api_key.status).toBe('REVOKED')
    })

    it('of a variable inside a literal are found too', async () => {
      const query =
        'mutation ($hour: Int) { update_settings(input: { end_business_hours: $hour }) { timezone } }'
      const { errors } = await post(query, { variables: { hour: 25 } })
      expect(errors[0].extensions.details.field_errors).toMatchObject([
        { field: 'end_business_hours', code: 'range' },
      ])
      const unset = await post(query)
      expect(unset.data.update_settings).toEqual({ timezone: null })
    })

    it('of a variable in a directive are the caller’s', async () => {
      const query = 'query ($on: Boolean!) { settings { timezone @include(if: $on) } }'
      const { errors } = await post(query, { variables: { on: 'yes' } })
      expect(errors[0].extensions).toMatchObject({ code: 'request_validation_failed', status: 422 })
    })

    it.each([
      '{ "not JSON',
      '',
      'null',
      '[]',
      '[{"query": "{__typename}"}]',
      '{}',
      '{"query": 5}',
      '{"query": "{__typename}", "variables": 5}',
      '{"query": "{__typename}", "extensions": []}',
      '{"query": "{__typename}", "more": 1}',
    ])('of the body %s are 400', async (body) => {
      await expectUnreadable(await request('/graphql', json(body), msp.admin))
    })

    it('of one field leave the others their data', async () => {
      const query = `mutation {
      good: update_settings(input: { end_business_hours: 19 }) { end_business_hours }
      bad: update_settings(input: { timezone: "No/Where" }) { end_business_hours }
    }`
      const { status, data, errors } = await post(query)
      expect([status, data]).toEqual([200, { good: { end_business_hours: 19 }, bad: null }])
      expect(errors).toMatchObject([{ path: ['bad'], extensions: { code: 'invalid_timezone', status: 400 } }])
    })

    it('carry the request id, and so does every answer', async () => {
      const id = '0190a1b2-0000-7000-8000-00000000abcd'
      const { errors, extensions } = await post('{ nope }', { headers: { 'x-request-id': id } })
      expect([errors[0].extensions.request_id, extensions.request_id]).toEqual([id, id])
    })
  })
})
