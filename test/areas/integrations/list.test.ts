import { expect, it } from 'vitest'
import { REGISTRY } from '../../../src/areas/integrations/registry.ts'
import type { Prisma } from '../../../src/db/generated/client/client.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { request } from '../../setup/http.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'

type Connection = Partial<Prisma.IntegrationConnectionUncheckedCreateInput> & { name: string }

async function connect({ database, tenant_id }: Msp, connection: Connection): Promise<void> {
  const row = { tenant_id, environment: ENVIRONMENT, connected: true, updated_at: clock.now() }
  await database.prisma.integrationConnection.create({ data: { ...row, ...connection } })
}

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
      capabilities: ['COMPANIES'],
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

it('the logo of an integration is an SVG for anyone, and of no other name', async () => {
  const response = await request('/public-api/integrations/it-glue/logo.svg')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'")
  expect(await response.text()).toContain('>IG</text>')
  expect((await request('/public-api/integrations/nope/logo.svg')).status).toBe(404)
})
