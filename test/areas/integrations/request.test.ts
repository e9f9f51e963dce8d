import { afterAll, expect, it, onTestFinished } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { type Answer, type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT, type Running, startApp, testApp } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { openTestDatabase } from '../../setup/database.ts'
import { json, request } from '../../setup/http.ts'
import { type Caller, days, type Msp, world } from '../../setup/world.ts'

const WISH = { vendor_name: 'Acme Backup', use_case: 'Read the results of backups.' }

/** Requests the tenant has sent so many milliseconds ago. */
async function sent(msp: Msp, ages_ms: readonly number[], environment = ENVIRONMENT): Promise<void> {
  const data = ages_ms.map((age) => ({
    ...WISH,
    tenant_id: msp.tenant_id,
    environment,
    id: newId('irq'),
    requested_by_name: 'Owner',
    created_at: new Date(clock.now().getTime() - age),
  }))
  await msp.database.prisma.integrationRequest.createMany({ data })
}

const wish = (api: Api, caller: Caller, input: object = WISH) =>
  api.call(caller, 'request_integration', { input })

const MINUTE_MS = 60_000

describeApi('a request for an integration', (api) => {
  it('asks for the least if nothing else is said', async () => {
    const msp = await world()
    const { status, data, etag, headers } = await wish(api, msp.admin)
    expect(status).toBe(200)
    const location = `/public-api/integrations/requests/${data.id}`
    expect(headers.get('location')).toBe(api.name === 'rest' ? location : null)
    const read = await api.call(msp.viewer, 'integration_request', { request_id: data.id })
    expect([read.data, read.etag]).toEqual([data, etag])
    expect(data).toEqual({
      ...WISH,
      id: expect.stringMatching(/^irq_\w{22}$/),
      docs_url: null,
      access: 'READ_ONLY',
      can_share_test_key: false,
      has_spec_file: false,
      requested_by_name: 'Admin',
      status: 'RECEIVED',
      revision: 1,
      created_at: expect.stringMatching(/Z$/),
    })
  })

  it('keeps everything that is said, at its longest', async () => {
    const msp = await world()
    const input = {
      vendor_name: 'é'.repeat(120),
      use_case: '😀'.repeat(4000),
      docs_url: `https://docs.test/${'x'.repeat(2030)}`,
      access: 'READ_WRITE',
      can_share_test_key: true,
    }
    const { data } = await wish(api, msp.key, input)
    expect(data).toMatchObject(input)
    const { data: requests } = await api.call(msp.viewer, 'integration_requests')
    expect(requests).toEqual([data])
  })

  it('takes null for an address that is not known', async () => {
    const msp = await world()
    const { status, data } = await wish(api, msp.admin, { ...WISH, docs_url: null })
    expect([status, data?.docs_url]).toEqual([200, null])
  })

  it.each([
    ['vendor_name', 'required', { vendor_name: undefined }],
    ['vendor_name', 'null', { vendor_name: null }],
    ['vendor_name', 'length', { vendor_name: ' ' }],
    ['vendor_name', 'length', { vendor_name: 'x'.repeat(121) }],
    ['use_case', 'required', { use_case: undefined }],
    ['use_case', 'length', { use_case: '' }],
    ['use_case', 'length', { use_case: 'x'.repeat(4001) }],
    ['use_case', 'characters', { use_case: 'a\u0000b' }],
    ['docs_url', 'format', { docs_url: 'ftp://docs.test' }],
    ['docs_url', 'format', { docs_url: 'https://user:secret@docs.test' }],
    ['docs_url', 'format', { docs_url: 'docs.test' }],
    ['docs_url', 'length', { docs_url: `https://docs.test/${'x'.repeat(2031)}` }],
    ['access', 'enum', { access: 'WRITE' }],
    ['access', 'null', { access: null }],
    ['can_share_test_key', 'type', { can_share_test_key: 'yes' }],
  ])('whose %s fails for its %s is refused with 422', async (field, code, change) => {
    const msp = await world()
    const { status, error } = await wish(api, msp.admin, { ...WISH, ...change })
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it.each([
    ['HaloPSA', 'halo-psa'],
    ['halo psa', 'halo-psa'],
    ['IT-Glue', 'it-glue'],
    [' OKTA ', 'okta'],
  ])('for %j is refused with 409: it is listed', async (vendor_name, name) => {
    const msp = await world()
    const answer = await wish(api, msp.admin, { ...WISH, vendor_name })
    expect(outcome(answer)).toEqual([409, 'integration_exists'])
    expect(answer.error?.details.name).toBe(name)
  })

  it('is the sixth of a tenant in seven days: refused until the oldest leaves the window', async () => {
    const msp = await world()
    const callers = [msp.owner, msp.admin, msp.key, msp.owner]
    clock.freeze()
    await sent(msp, [days(7) - MINUTE_MS])
    for (const caller of callers) expect((await wish(api, caller)).status).toBe(200)
    const { status, error, headers } = await wish(api, msp.owner)
    expect([status, error?.code]).toEqual([429, 'rate_limited'])
    const retry = Number(headers.get('retry-after'))
    expect(headers.get('ratelimit-policy')).toContain('"integration-requests";q=5;w=604800')
    expect(headers.get('ratelimit')).toContain(`"integration-requests";r=0;t=${retry}`)
    expect(error?.message).toContain('5 in 7 days')
    expect(error?.details).toMatchObject({
      name: 'integration_requests',
      limit: 5,
      window_seconds: 604_800,
      retry_after_seconds: retry,
      scope: 'TENANT',
      resets_at: expect.stringMatching(/Z$/),
    })
    expect(retry).toBe(60)
    clock.reset()
    clock.advance(retry * 1000)
    expect((await wish(api, msp.owner)).status).toBe(200)
    expect((await wish(api, msp.owner)).status).toBe(429)
  })

  it('does not count what is exactly seven days old or older', async () => {
    const msp = await world()
    await sent(msp, [days(7), days(7) + 1, days(8), days(9), days(10), 1, 2, 3, 4])
    expect((await wish(api, msp.admin)).status).toBe(200)
    expect((await wish(api, msp.admin)).status).toBe(429)
  })

  it('does not count what was refused', async () => {
    const msp = await world()
    for (let sixth = 0; sixth < 6; sixth++) {
      expect((await wish(api, msp.admin, { ...WISH, use_case: '' })).status).toBe(422)
      expect((await wish(api, msp.admin, { ...WISH, vendor_name: 'Okta' })).status).toBe(409)
      expect((await wish(api, msp.viewer)).status).toBe(403)
    }
    for (let fifth = 0; fifth < 5; fifth++) expect((await wish(api, msp.admin)).status).toBe(200)
    expect((await wish(api, msp.admin)).status).toBe(429)
    expect((await wish(api, msp.admin)).status).toBe(429)
    expect((await api.call(msp.admin, 'integration_requests')).data).toHaveLength(5)
  })

  it('is refused with 422 and 409 before the limit is looked at', async () => {
    const msp = await world()
    await sent(msp, [1, 2, 3, 4, 5])
    expect((await wish(api, msp.admin, { ...WISH, docs_url: 'docs' })).status).toBe(422)
    expect((await wish(api, msp.admin, { ...WISH, vendor_name: 'Okta' })).status).toBe(409)
    expect((await wish(api, msp.admin)).status).toBe(429)
  })

  it('counts in all environments of the tenant, and in nobody else’s', async () => {
    const [msp, stranger] = [await world(), await world()]
    await sent(msp, [1, 2, 3], 'elsewhere')
    await sent(msp, [4, 5])
    expect((await wish(api, msp.admin)).status).toBe(429)
    expect((await wish(api, stranger.admin)).status).toBe(200)
  })

  it('is sent once per Idempotency-Key', async () => {
    const msp = await world()
    const send = (key: string) =>
      api.call(msp.key, 'request_integration', { input: WISH }, { 'idempotency-key': key })
    const first = await send('wish-1')
    const second = await send('wish-1')
    expect(second.data.id).toBe(first.data.id)
    await sent(msp, [1, 2, 3, 4])
    const refused = await send('wish-2')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '604800'])
  })

  it('is made in the name of the user, of the key, or of both', async () => {
    const msp = await world()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    const names = []
    for (const caller of [msp.owner, acting, msp.key]) {
      names.push((await wish(api, caller)).data.requested_by_name)
    }
    expect(names).toEqual(['Owner', `Owner (API key ${acting.id})`, msp.key.id])
  })

  it('is not for a USER or VIEWER, nor for a key without the scope', async () => {
    const msp = await world()
    const key = await msp.newKey({ scopes: ['integrations:read'] })
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    const refused = []
    for (const caller of [msp.user, msp.viewer, key, acting]) refused.push(outcome(await wish(api, caller)))
    expect(refused).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
      [403, 'insufficient_scope'],
      [403, 'forbidden'],
    ])
  })

  it('leaves one activity row', async () => {
    const msp = await world()
    const { data } = await wish(api, msp.admin)
    const rows = await activitiesOf(msp)
    expect(rows).toMatchObject([
      {
        action: 'integration.requested',
        actor_id: msp.admin.id,
        targets: [{ type: 'integration_request', id: data.id, name: WISH.vendor_name }],
        after: { use_case: WISH.use_case },
      },
    ])
  })

  it('is listed to its tenant and environment, the latest first', async () => {
    const [msp, stranger] = [await world(), await world()]
    const created_at = clock.now()
    const row = { ...WISH, requested_by_name: 'Owner', created_at, environment: ENVIRONMENT }
    const { tenant_id } = msp
    const ids = ['irq_a', 'irq_b', 'irq_c'].map((id) => id + tenant_id)
    for (const id of ids) {
      await msp.database.prisma.integrationRequest.create({ data: { ...row, tenant_id, id } })
    }
    await sent(msp, [MINUTE_MS])
    await sent(msp, [1], 'elsewhere')
    await sent(stranger, [1])
    const first = await api.call(msp.viewer, 'integration_requests', { page_size: 2 })
    const idsOf = ({ data }: Answer) => data.map(({ id }: { id: string }) => id)
    expect(idsOf(first)).toEqual([ids[2], ids[1]])
    const cursor = first.pagination?.next_cursor
    const second = await api.call(msp.viewer, 'integration_requests', { page_size: 2, cursor })
    expect(idsOf(second)).toEqual([ids[0], expect.any(String)])
    expect(second.pagination).toEqual({ next_cursor: null, has_more: false })
  })

  const second: Promise<Running>[] = []

  afterAll(async () => {
    for (const running of second) {
      const { app, database } = await running
      await app.close()
      await database.close()
    }
  })

  it.runIf(process.env.DATABASE_URL)(
    'is accepted exactly five times when twenty arrive at once at two processes',
    async () => {
      const msp = await world()
      const [{ name } = { name: '' }] = await msp.database.sql.rows<{ name: string }>(
        { name: 'test_database_name', text: 'select current_database() as name' },
        [],
      )
      const url = new URL(process.env.DATABASE_URL ?? '')
      url.pathname = name
      second.push(openTestDatabase(url.href).then((database) => startApp(database)))
      const bases = [(await testApp()).base, (await second[0])?.base]
      const body = { input: WISH }
      const [path, payload] =
        api.name === 'rest'
          ? ['/public-api/integrations/requests', WISH]
          : ['/graphql', { query: MUTATION, variables: body }]
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          fetch(`${bases[index % 2]}${path}`, {
            ...json(payload),
            headers: { authorization: `Bearer ${msp.key.token}`, 'content-type': 'application/json' },
          }),
        ),
      )
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
      const { tenant_id } = msp
      expect(await msp.database.prisma.integrationRequest.count({ where: { tenant_id } })).toBe(5)
    },
  )
})

const MUTATION = `mutation ($input: IntegrationRequestDraft!) { request_integration(input: $input) { id } }`

it.each(['application/json', 'application/graphql-response+json'])(
  'the sixth request is a real 429 on GraphQL when nothing else was asked for: %s',
  async (accept) => {
    const msp = await world()
    clock.freeze()
    onTestFinished(() => clock.reset())
    await sent(msp, [1, 2, 3, 4, 5])
    const call = async (query: string) => {
      const headers = { accept }
      return await request('/graphql', json({ query, variables: { input: WISH } }, { headers }), msp.key)
    }
    const alone = await call(MUTATION)
    expect([alone.status, alone.headers.get('retry-after')]).toEqual([429, '604800'])
    const { data, errors, extensions } = await alone.json()
    expect(data).toEqual({ request_integration: null })
    expect(errors[0].extensions).toMatchObject({ code: 'rate_limited', status: 429 })
    expect(extensions).not.toHaveProperty('http')
    const among = await call(MUTATION.replace('} }', '} other: update_settings(input: {}) { timezone } }'))
    expect([among.status, among.headers.get('retry-after')]).toEqual([200, null])
    expect((await among.json()).data.other).toEqual({ timezone: null })
  },
)
