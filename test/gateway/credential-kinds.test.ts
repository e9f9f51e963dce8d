/** A kind of credentials that the service does not have: what a webhook or a signed URL would add. */
import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type CredentialKind,
  type CredentialRequest,
  refusedToken,
} from '../../src/access/credentials/credential.ts'
import { CREDENTIAL_KINDS } from '../../src/access/credentials/credential-kinds.ts'
import { anyCaller, only } from '../../src/access/policies/policies.ts'
import { buildSchemas } from '../../src/composition/schemas.ts'
import { ApiError } from '../../src/errors/errors.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { allAreas, placeIn } from '../../src/schema/area.ts'
import { newBuilder } from '../../src/schema/builder.ts'
import { startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const TYPE = 'TEST_WEBHOOK'
const QUOTA = 12
const KILOBYTE = 1024
const MAX_BODY = 1536 * KILOBYTE

const signatureOf = (secret: string, body: string | Buffer) =>
  createHmac('sha256', secret).update(body).digest('hex')

/** Signs the bytes of the body; the header names the tenant. */
const webhook: CredentialKind = {
  type: TYPE,
  description: 'A webhook that signs its body.',
  security: { name: 'signature', scheme: { type: 'apiKey', in: 'header', name: 'X-Signature' } },
  limits: [
    {
      limit: { name: 'webhook', item: 'webhook', quota: QUOTA, window_seconds: 60 },
      scope: 'TENANT',
      counts: 'calls',
    },
  ],
  errors: ['invalid_credentials'],
  errorsOf: () => [],
  requirement: () => null,
  refusal: () => new ApiError('forbidden'),
  roleRefusal: () => new ApiError('forbidden'),
  seen_in: null,
  credential({ signing_secrets: [secret = ''], environment }) {
    async function judge({ request }: CredentialRequest, signature: string) {
      if (signature !== signatureOf(secret, await request.body())) throw refusedToken('invalid_credentials')
      const tenant_id = String(request.headers['x-tenant'])
      return {
        kind: webhook,
        tenant_id,
        environment,
        id: 'hook',
        name: 'Webhook',
        scopes: new Set<never>(),
        own_scopes: new Set<never>(),
        person: null,
        acting_user: null,
        expires_at: null,
        sunset_at: null,
      }
    }
    return {
      authenticate(presented) {
        const signature = presented.request.headers['x-signature']
        return typeof signature === 'string' ? judge(presented, signature) : null
      },
    }
  },
}

/** A schema with operations for webhooks beside one for others. */
function testSchemas() {
  const builder = newBuilder()
  const [area] = allAreas()
  if (!area) throw new Error('There is no area')
  for (const name of ['test_me', 'test_receive', 'test_forget']) placeIn(area, name)
  const Event = builder.inputType('TestEvent', { fields: (t) => ({ text: t.string({ required: true }) }) })
  const Received = builder
    .objectRef<{ tenant_id: string; length: number }>('TestReceived')
    .implement({ fields: (t) => ({ tenant_id: t.exposeString('tenant_id'), length: t.exposeInt('length') }) })
  builder.queryField('test_me', (t) =>
    t.string({
      description: 'Names the caller.',
      rest: { method: 'GET', path: '/test-me' },
      access: anyCaller,
      resolve: (_root, _args, { viewer }) => viewer?.name ?? '',
    }),
  )
  builder.mutationField('test_receive', (t) =>
    t.field({
      type: Received,
      description: 'Receives an event.',
      rest: { method: 'POST', path: '/test-events' },
      access: only(TYPE),
      envelope: false,
      activity: false,
      max_body_bytes: MAX_BODY,
      args: { input: t.arg({ type: Event, required: true }) },
      resolve: (_root, { input }, { viewer }) => ({
        tenant_id: viewer?.tenant_id ?? '',
        length: input.text.length,
      }),
    }),
  )
  builder.mutationField('test_forget', (t) =>
    t.boolean({
      description: 'Records no activity, without saying so.',
      rest: { method: 'POST', path: '/test-forgotten' },
      access: only(TYPE),
      resolve: () => true,
    }),
  )
  return buildSchemas(builder)
}

const schemas = testSchemas()
const { app, base } = await startApp(await testDatabase(), {}, undefined, {
  schemas,
  credential_kinds: [...CREDENTIAL_KINDS, webhook],
})
afterAll(() => app.close(0))

let tenants = 0
const newTenant = () => `ten_hook_${tenants++}`

const secret = 'a signing secret for tests'

/** A request of the webhook, signed unless a signature is given. */
function send(
  path: string,
  body: string,
  { tenant = newTenant(), signature = signatureOf(secret, body) } = {},
) {
  const headers = { 'x-signature': signature, 'x-tenant': tenant }
  return fetch(base + path, json(body, { headers }))
}

const EVENTS = '/public-api/test-events'
const eventOf = (length: number) => JSON.stringify({ text: 'x'.repeat(length) })
const codeOf = async (response: Response) => [response.status, (await response.json()).error?.code]

describe('a credential that signs the body', () => {
  it('is judged by its bytes, and the operation reads the same body', async () => {
    const tenant = newTenant()
    const response = await send(EVENTS, eventOf(5), { tenant })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ tenant_id: tenant, length: 5 })
  })

  it('is 401 for another body, before anything is said about that', async () => {
    const signature = signatureOf(secret, eventOf(5))
    expect(await codeOf(await send(EVENTS, eventOf(6), { signature }))).toEqual([401, 'invalid_credentials'])
    expect(await codeOf(await send(EVENTS, '{', { signature }))).toEqual([401, 'invalid_credentials'])
    expect(await codeOf(await send(EVENTS, '{'))).toEqual([400, 'bad_request'])
  })

  it('works for GraphQL too', async () => {
    const query = 'mutation { test_receive(input: { text: "four" }) { length } }'
    const response = await send('/graphql', JSON.stringify({ query }))
    expect((await response.json()).data).toEqual({ test_receive: { length: 4 } })
  })

  it('reads no more of the body than the operation takes', async () => {
    expect((await send(EVENTS, eventOf(MAX_BODY - KILOBYTE))).status).toBe(200)
    const response = await send(EVENTS, eventOf(MAX_BODY))
    expect([response.status, (await response.json()).error.details.max_bytes]).toEqual([413, MAX_BODY])
    const other = await send('/public-api/test-forgotten', eventOf(MAX_BODY - KILOBYTE))
    expect(await codeOf(other)).toEqual([413, 'payload_too_large'])
  })

  it('has the limits of its kind', async () => {
    const tenant = newTenant()
    const told = []
    for (let call = 0; call <= QUOTA; call++) told.push(await send(EVENTS, eventOf(call), { tenant }))
    expect(told[0]?.headers.get('ratelimit-policy')).toBe(`"webhook";q=${QUOTA};w=60`)
    expect(told.map(({ status }) => status)).toEqual([...Array(QUOTA).fill(200), 429])
    const details = { name: 'webhook', scope: 'TENANT' }
    expect(await told[QUOTA]?.json()).toMatchObject({ error: { code: 'rate_limited', details } })
  })
})

describe('an operation for one kind of viewers', () => {
  it('refuses the others, and they are refused every other operation', async () => {
    const msp = await world()
    const authorization = `Bearer ${msp.key.token}`
    const byKey = await fetch(base + EVENTS, json(eventOf(1), { headers: { authorization } }))
    expect(await codeOf(byKey)).toEqual([403, 'forbidden'])
    expect(await codeOf(await fetch(base + EVENTS, json(eventOf(1))))).toEqual([401, 'unauthenticated'])
    const headers = { 'x-signature': signatureOf(secret, ''), 'x-tenant': newTenant() }
    expect(await codeOf(await fetch(`${base}/public-api/test-me`, { headers }))).toEqual([403, 'forbidden'])
    const me = await fetch(`${base}/public-api/test-me`, { headers: { authorization } })
    expect(await codeOf(me)).toEqual([200, undefined])
  })
})

describe('an operation outside the envelope', () => {
  it('is published as it answers', () => {
    const { paths } = openApiDocument(schemas.operations)
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/TestReceived' } } }
    expect(paths[EVENTS]?.post).toMatchObject({ responses: { 200: { content } } })
  })
})

describe('a mutation that records no activity', () => {
  it('fails if it does not say that it records none', async () => {
    expect(await codeOf(await send('/public-api/test-forgotten', ''))).toEqual([500, 'internal_error'])
  })
})
