import { afterAll, expect, it } from 'vitest'
import { REGISTRY } from '../../src/areas/integrations/registry.ts'
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Answer, type Api, describeApi } from '../setup/api.ts'
import { clock, ENVIRONMENT, type Running, startApp, testApp } from '../setup/app.ts'
import { openTestDatabase } from '../setup/database.ts'
import { json, request } from '../setup/http.ts'
import { countStatements } from '../setup/statements.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'

type Connection = Partial<Prisma.IntegrationConnectionUncheckedCreateInput> & { name: string }

async function connect({ database, tenant_id }: Msp, connection: Connection): Promise<void> {
  const row = { tenant_id, environment: ENVIRONMENT, connected: true, updated_at: clock.now() }
  await database.prisma.integrationConnection.create({ data: { ...row, ...connection } })
}

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

const outcome = ({ status, error }: Answer) => [status, error?.code]

const MINUTE_MS = 60_000

describeApi('integrations', (api) => {
  it('are listed, connected or not, by label', async () => {
    const msp = await world()
    const { data, pagination } = await api.call(msp.viewer, 'integrations')
    expect(pagination).toEqual({ next_cursor: null, has_more: false })
    expect(data).toHaveLength(38)
    const labels = data.map(({ label }: { label: string }) => label.toLowerCase())
    expect(labels).toEqual([...labels].sort())
    expect(data[0]).toEqual({
      id: 'atera',
      system: 'ATERA',
      label: 'Atera',
      category: 'RMM',
      connected: false,
      glyph: 'At',
      logo_path: '/public-api/integrations/atera/logo.svg',
      last_sync_at: null,
      last_sync_status: null,
      capabilities: ['COMPANIES', 'DEVICES', 'SCRIPTS', 'ALERTS'],
      health: 'UNKNOWN',
      health_message: null,
    })
  })

  it('come in pages that together are the whole list', async () => {
    const msp = await world()
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const args = { page_size: 15, ...(cursor && { cursor }) }
      const { data, pagination } = await api.call(msp.key, 'integrations', args)
      ids.push(...data.map(({ id }: { id: string }) => id))
      cursor = pagination?.next_cursor ?? undefined
    } while (cursor)
    expect(ids.toSorted()).toEqual(REGISTRY.map(({ name }) => name).toSorted())
  })

  it('show what the tenant has connected in this environment, and nobody else’s', async () => {
    const [msp, stranger] = [await world(), await world()]
    const last_sync_at = clock.now()
    await connect(msp, {
      name: 'hudu',
      last_sync_at,
      last_sync_status: 'PARTIAL',
      health: 'DEGRADED',
      health_message: 'Slow.',
    })
    await connect(msp, { name: 'okta', environment: 'other' })
    await connect(stranger, { name: 'pax8' })
    const { data } = await api.call(msp.key, 'integrations', { connected: true })
    expect(data).toMatchObject([
      {
        id: 'hudu',
        connected: true,
        last_sync_at: last_sync_at.toISOString(),
        last_sync_status: 'PARTIAL',
        health: 'DEGRADED',
        health_message: 'Slow.',
      },
    ])
    const one = await api.call(msp.key, 'integration', { name: 'hudu' })
    expect(one.data).toEqual(data[0])
    const others = await api.call(msp.key, 'integration', { name: 'okta' })
    expect(others.data.connected).toBe(false)
  })

  it.each([
    [{ category: 'DISTRIBUTOR' }, ['ingram-micro', 'td-synnex']],
    [{ connected: true }, ['slack']],
    [{ connected: false, category: 'TEAM_CHAT' }, ['microsoft-teams']],
    [{ search: 'kaseya' }, ['kaseya-bms', 'kaseya-vsa']],
    [{ search: ' KASEYA v ' }, ['kaseya-vsa']],
    [{ search: 'kaseya-vsa' }, []],
    [{ search: '%' }, []],
    [{ search: 'microsoft', category: 'IDENTITY_PROVIDER' }, ['microsoft-entra-id']],
    [{ category: 'PSA', connected: true }, []],
  ])('are narrowed by %j', async (args, ids) => {
    const msp = await world()
    await connect(msp, { name: 'slack' })
    await connect(msp, { name: 'hudu', connected: false })
    const { data } = await api.call(msp.key, 'integrations', args)
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids)
  })

  it.each([
    [{ category: 'psa' }, 'category', 'enum'],
    [{ connected: 'yes' }, 'connected', 'type'],
    [{ search: ' ' }, 'search', 'length'],
    [{ search: 'x'.repeat(201) }, 'search', 'length'],
    [{ page_size: 0 }, 'page_size', 'range'],
    [{ page_size: 201 }, 'page_size', 'range'],
  ])('are not listed with %j', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await api.call(msp.key, 'integrations', args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('refuse the cursor of another list', async () => {
    const [msp, stranger] = [await world(), await world()]
    const { pagination } = await api.call(msp.key, 'integrations', { page_size: 2 })
    const cursor = pagination?.next_cursor
    const refused = [
      await api.call(msp.key, 'integrations', { cursor, category: 'PSA' }),
      await api.call(stranger.key, 'integrations', { cursor }),
      await api.call(msp.key, 'integration_requests', { cursor }),
    ]
    expect(refused.map(outcome)).toEqual(Array(3).fill([400, 'invalid_cursor']))
  })

  it('are listed with one statement after the credential’s, however many are connected', async () => {
    const msp = await world()
    const statements = () => countStatements(msp.database, () => api.call(msp.key, 'integrations'))
    expect(await statements()).toBe(2)
    for (const { name } of REGISTRY) await connect(msp, { name })
    expect(await statements()).toBe(2)
  })

  it.each([
    'nope',
    'OKTA',
    'Okta',
    'it_glue',
    'okta ',
    ' ',
    '../okta',
    'constructor',
    '__proto__',
    'a\u0000b',
    'x'.repeat(201),
  ])('that are not in the registry are answered with 404: %j', async (name) => {
    const msp = await world()
    expect(outcome(await api.call(msp.key, 'integration', { name }))).toEqual([404, 'unknown_integration'])
  })

  it('that are not in the registry are named in the 404', async () => {
    const msp = await world()
    const { error } = await api.call(msp.key, 'integration', { name: 'nope' })
    expect(error?.details.id).toBe('nope')
  })

  it.each(['integrations', 'integration', 'chat_app_status', 'integration_requests', 'integration_request'])(
    'are not read by a key without the scope: %s',
    async (operation) => {
      const msp = await world()
      const key = await msp.newKey({ scopes: ['integrations:write'] })
      const args =
        { integration: { name: 'okta' }, integration_request: { request_id: 'x' } }[operation] ?? {}
      expect(outcome(await api.call(key, operation, args))).toEqual([403, 'insufficient_scope'])
      expect(outcome(await api.call(null, operation, args))).toEqual([401, 'unauthenticated'])
    },
  )
})

describeApi('the team-chat app', (api) => {
  it('is offered, with no workspace before it is installed', async () => {
    const msp = await world()
    const { data } = await api.call(msp.viewer, 'chat_app_status')
    expect(data).toEqual({ available: true, workspace: null })
  })

  it('shows the workspace it is installed in', async () => {
    const [msp, stranger] = [await world(), await world()]
    const installed_at = clock.now()
    const workspace = { team_id: 'T024BE7LD', team_name: 'Test MSP', installer_email: 'ada@msp.test' }
    const { tenant_id, environment } = msp
    await msp.database.prisma.chatAppWorkspace.create({
      data: { ...workspace, tenant_id, environment, installed_at },
    })
    const { data } = await api.call(msp.key, 'chat_app_status')
    expect(data).toEqual({
      available: true,
      workspace: { ...workspace, installed_at: installed_at.toISOString() },
    })
    expect((await api.call(stranger.key, 'chat_app_status')).data.workspace).toBeNull()
  })
})

describeApi('a request for an integration', (api) => {
  it('asks for the least where nothing else is said', async () => {
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
    expect(retry).toBeGreaterThan(50)
    expect(retry).toBeLessThanOrEqual(60)
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

  it('is made in the name of the user, of the acting user, or of the key', async () => {
    const msp = await world()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    const names = []
    for (const caller of [msp.owner, acting, msp.key]) {
      names.push((await wish(api, caller)).data.requested_by_name)
    }
    expect(names).toEqual(['Owner', 'Owner', msp.key.id])
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
    const rows = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id: msp.tenant_id } })
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

it('the logo of an integration is an SVG for anyone, and of no other name', async () => {
  const response = await request('/public-api/integrations/it-glue/logo.svg')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'")
  expect(await response.text()).toContain('>IG</text>')
  expect((await request('/public-api/integrations/nope/logo.svg')).status).toBe(404)
})
