import { beforeAll, describe, expect, it } from 'vitest'
import { READ_PAGE } from '../../src/areas/integration-syncs/declared.ts'
import { BASE_PATH } from '../../src/lib/api.ts'
import { type Api, apis, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { counted, times } from '../setup/at-once.ts'
import { activitiesOf } from '../setup/audit-log.ts'
import { addCompanies } from '../setup/companies.ts'
import { performAtOnce, performWaiting } from '../setup/due.ts'
import { request } from '../setup/http.ts'
import { statementsOf } from '../setup/statements.ts'
import { type Msp, world } from '../setup/world.ts'
import { installQueues } from './agents/runnable.ts'

const name = 'sophos-central'
const system = 'SOPHOS_CENTRAL'

beforeAll(installQueues)

const CUSTOMERS = [
  { external_id: '1', name: 'ACORN FREIGHT, Inc.' },
  { external_id: '2', name: 'Bluebell Web', domains: ['penrose.com'] },
  { external_id: '3', name: 'Default Site', asset_names: ['LT-1', 'LT-2'] },
]

async function mspWithCompanies(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [
    { id: 'a', name: 'Acorn Freight' },
    { id: 'b', name: 'Penrose Consulting', domains: ['penrose.com'] },
  ])
  return msp
}

async function perform(msp: Msp): Promise<void> {
  while ((await performWaiting(msp, READ_PAGE.name)) > 0);
}

const put = (api: Api, msp: Msp, customers: readonly object[], of = name, input: object = {}) =>
  api.call(msp.admin, 'put_integration_customers', { name: of, input: { customers, ...input } })

const linksOf = async (api: Api, msp: Msp, of = system) => {
  const { data } = await api.call(msp.key, 'company_links', { system: of })
  const links = data.links as Record<string, unknown>[]
  return Object.fromEntries(
    links.map((link) => [link.external_id, [link.psa_company_id, link.link_state, link.match_method]]),
  )
}

const storedOf = ({ database, tenant_id }: Msp) =>
  database.prisma.integrationCustomer.findMany({
    where: { tenant_id },
    select: { external_id: true, name: true, missing_since: true },
    orderBy: { external_id: 'asc' },
  })

describeApi('customers that are put', (api) => {
  it('are stored, and a sync finds their companies; what is no longer there is marked', async () => {
    const msp = await mspWithCompanies()
    const answer = await put(api, msp, CUSTOMERS)
    expect([answer.status, answer.data]).toMatchObject([
      200,
      {
        name,
        status: 'QUEUED',
        stages: [
          { stage: 'CUSTOMERS', status: 'SUCCEEDED', read: 3, added: 3, changed: 0, missing: 0 },
          { stage: 'COMPANY_LINKS', status: 'PENDING' },
        ],
      },
    ])
    await perform(msp)
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: answer.data.id })
    expect(data).toMatchObject({ status: 'SUCCEEDED', stages: [{}, { read: 3, added: 3, changed: 0 }] })
    const integration = await api.call(msp.key, 'integration', { name })
    expect(integration.data).toMatchObject({ connected: false, last_sync_status: 'SUCCEEDED' })
    expect(await linksOf(api, msp)).toEqual({
      1: ['psa_a', 'AUTO', 'EXACT_NAME'],
      2: ['psa_b', 'AUTO', 'DOMAIN'],
      3: [null, 'UNMAPPED', 'UNMATCHED'],
    })
    const again = await put(api, msp, CUSTOMERS.slice(0, 2))
    expect(again.data.stages[0]).toMatchObject({ read: 2, added: 0, changed: 0, missing: 1 })
    expect(await storedOf(msp)).toMatchObject([
      { external_id: '1', missing_since: null },
      { external_id: '2', missing_since: null },
      { external_id: '3', missing_since: expect.any(Date) },
    ])
    const back = await put(api, msp, CUSTOMERS)
    expect(back.data.stages[0]).toMatchObject({ read: 3, added: 0, changed: 1, missing: 0 })
    expect((await activitiesOf(msp)).map(({ action }) => action)).toContain('integration_customers.replaced')
  })

  it('are stored without the white space around their texts, in a short list and in a long one', async () => {
    const msp = await world()
    const { tenant_id, database } = msp
    const padded = {
      external_id: ' p ',
      name: ' Acorn ',
      domains: [' acorn.example '],
      asset_names: [' LT-1 '],
    }
    const others = Array.from({ length: 150 }, (_, n) => ({ external_id: `${n}`, name: `Other ${n}` }))
    for (const customers of [[padded], [...others, padded]]) {
      expect((await put(api, msp, customers)).status).toBe(200)
      expect(
        await database.prisma.integrationCustomer.findFirst({ where: { tenant_id, external_id: 'p' } }),
      ).toMatchObject({ name: 'Acorn', domains: ['acorn.example'], asset_names: ['LT-1'] })
    }
    expect(await storedOf(msp)).toHaveLength(151)
  })

  it('keep the company that a person mapped them to, sync after sync', async () => {
    const msp = await mspWithCompanies()
    await put(api, msp, CUSTOMERS)
    await perform(msp)
    await api.call(msp.admin, 'map_company_link', {
      input: { system, external_id: '1', psa_company_id: 'psa_b' },
    })
    for (let sync = 0; sync < 10; sync++) await put(api, msp, CUSTOMERS)
    await perform(msp)
    expect((await linksOf(api, msp))['1']).toEqual(['psa_b', 'MANUAL', 'MANUAL'])
    const { data } = await api.call(msp.key, 'integration_syncs', { name, page_size: 200 })
    const statuses = Object.groupBy(data as { status: string }[], ({ status }) => status)
    expect([statuses.SUCCEEDED?.length, statuses.CANCELLED?.length]).toEqual([2, 9])
  })

  it('find the companies that the PSA has newly, after its sync', async () => {
    const msp = await world()
    const row = { tenant_id: msp.tenant_id, environment: msp.environment, updated_at: clock.now() }
    await msp.database.prisma.integrationConnection.create({
      data: { ...row, name: 'connectwise-psa', connected: true },
    })
    await put(api, msp, CUSTOMERS)
    await put(api, msp, [{ external_id: 'x', name: 'Acorn Freight' }], 'auvik')
    await perform(msp)
    expect((await linksOf(api, msp))['1']).toEqual([null, 'UNMAPPED', 'UNMATCHED'])
    await addCompanies(msp, [{ id: 'a', name: 'Acorn Freight' }])
    const { data: asked } = await api.call(msp.admin, 'sync_integration', { name: 'connectwise-psa' })
    await perform(msp)
    const { data } = await api.call(msp.key, 'integration_sync', {
      name: 'connectwise-psa',
      sync_id: asked.id,
    })
    expect(data).toMatchObject({ status: 'SUCCEEDED' })
    expect(data.stages.at(-1)).toMatchObject({ stage: 'COMPANY_LINKS', read: 4, added: 0, changed: 2 })
    expect((await linksOf(api, msp))['1']).toEqual(['psa_a', 'AUTO', 'EXACT_NAME'])
    expect(await linksOf(api, msp, 'AUVIK')).toEqual({ x: ['psa_a', 'AUTO', 'EXACT_NAME'] })
  })

  it('find their company by devices that a customer of another system has', async () => {
    const msp = await mspWithCompanies()
    const asset_names = ['LT-1', 'LT-2', 'LT-3', 'LT-4']
    await put(api, msp, [{ external_id: 'n1', name: 'Acorn Freight', asset_names }], 'ninjaone')
    await perform(msp)
    await put(api, msp, [{ external_id: '7', name: 'Site 7', asset_names: asset_names.slice(1) }])
    await perform(msp)
    expect(await linksOf(api, msp)).toEqual({ 7: ['psa_a', 'AUTO', 'ASSET_OVERLAP'] })
  })

  it('are refused with the place of each problem, and nothing is written', async () => {
    const msp = await world()
    const refused = await put(api, msp, [
      { external_id: '1', name: 'One' },
      { external_id: '2', name: 'x'.repeat(501) },
      { name: 'No id' },
      { external_id: '4', domains: ['d'.repeat(256)] },
    ])
    const twice = await put(api, msp, [{ external_id: '1' }, { external_id: '2' }, { external_id: '1' }])
    if (api.name === 'rest')
      expect(refused.error?.details.field_errors).toMatchObject([
        { field: 'customers.1.name', code: 'length' },
        { field: 'customers.2.external_id', code: 'required' },
        { field: 'customers.3.domains.0', code: 'length' },
      ])
    expect(refused.error?.code).toBe('request_validation_failed')
    expect([twice.status, twice.error?.details.field_errors]).toMatchObject([
      422,
      [{ field: expect.stringMatching(/customers\.2\.external_id$/), code: 'duplicate' }],
    ])
    const unknown = await put(api, msp, [], 'nothing')
    expect([unknown.status, unknown.error?.code]).toEqual([404, 'unknown_integration'])
    expect(await storedOf(msp)).toEqual([])
    expect(await msp.database.prisma.integrationSync.count({ where: { tenant_id: msp.tenant_id } })).toBe(0)
  })

  it('are refused while the system is read', async () => {
    const msp = await mspWithCompanies()
    const row = { tenant_id: msp.tenant_id, environment: msp.environment, updated_at: clock.now() }
    await msp.database.prisma.integrationConnection.create({
      data: { ...row, name: 'connectwise-psa', connected: true },
    })
    const { data } = await api.call(msp.admin, 'sync_integration', { name: 'connectwise-psa' })
    const refused = await put(api, msp, CUSTOMERS, 'connectwise-psa')
    expect([refused.status, refused.error]).toMatchObject([
      409,
      { code: 'sync_already_running', details: { sync_id: data.id } },
    ])
    expect(await storedOf(msp)).toEqual([])
  })
})

describe('customers that are put at once', () => {
  it('are those of one call, and one sync goes on', async () => {
    const msp = await mspWithCompanies()
    const answers = await times((index) => {
      const api = apis[index % apis.length] as Api
      return put(api, msp, [{ external_id: 'all' }, { external_id: `own_${index}`, name: `Own ${index}` }])
    }, 10)
    expect(counted(answers)).toEqual({ 200: 10 })
    const there = (await storedOf(msp)).filter(({ missing_since }) => missing_since === null)
    expect(there.map(({ external_id }) => external_id)).toEqual(['all', expect.stringMatching(/^own_\d$/)])
    const open = { tenant_id: msp.tenant_id, status: 'QUEUED' } as const
    expect(await msp.database.prisma.integrationSync.count({ where: open })).toBe(1)
  })

  it('are resolved page by page, and twice at once they come to the same', async () => {
    const msp = await mspWithCompanies()
    const many = Array.from({ length: 1201 }, (_, n) => ({ external_id: `c${n}`, name: `Acorn Freight` }))
    const [api] = apis as [Api]
    const most = Array.from({ length: 10_000 }, (_, n) => ({ external_id: `m${n}`, name: `Customer ${n}` }))
    for (const one of apis) expect((await put(one, msp, most)).data.stages[0]).toMatchObject({ read: 10_000 })
    const { data: asked } = await put(api, msp, many, name, { accept_missing: true })
    expect(asked.stages[0]).toMatchObject({ read: 1201, added: 1201, missing: 10_000 })
    // Those of the two before are left as they are.
    expect(await performWaiting(msp, READ_PAGE.name)).toBe(3)
    const { data: half } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.id })
    expect(half).toMatchObject({ status: 'RUNNING', stages: [{}, { read: 500 }] })
    await perform(msp)
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.id })
    expect(data).toMatchObject({ status: 'SUCCEEDED', stages: [{}, { read: 1201, added: 1201 }] })
    const stored = () =>
      msp.database.prisma.companyLink.groupBy({
        by: ['psa_company_id', 'match_method'],
        where: { tenant_id: msp.tenant_id },
        _count: true,
      })
    const links = await stored()
    expect(links).toEqual([{ psa_company_id: 'psa_a', match_method: 'EXACT_NAME', _count: 1201 }])
    await put(api, msp, many)
    await performAtOnce(msp, READ_PAGE.name, 3)
    expect(await stored()).toEqual(links)
  })
})

describe('the companies of customers that are put', () => {
  it('are read once for all pages, and again once a company has changed', async () => {
    const msp = await mspWithCompanies()
    const { tenant_id, database } = msp
    const [api] = apis as [Api]
    const many = Array.from({ length: 1201 }, (_, n) => ({ external_id: `c${n}`, name: `Acorn Freight` }))
    for (const [name_of_a, reads] of [
      ['Acorn Freight', 1],
      ['Acorn Freight', 0],
      ['Acorn Freight Ltd', 1],
    ] as const) {
      await database.prisma.endCompany.updateMany({
        where: { tenant_id, psa_company_id: 'psa_a' },
        data: { name: name_of_a },
      })
      await put(api, msp, many)
      const companies = await statementsOf(
        database,
        () => perform(msp),
        /from end_company c\b.* order by c\.psa_company_id$/s,
      )
      expect({ name_of_a, reads: companies.length }).toEqual({ name_of_a, reads })
    }
  })
})

describe('customers as NDJSON', () => {
  async function send(msp: Msp, body: string, type = 'application/x-ndjson') {
    const init = { method: 'PUT', headers: { 'content-type': type }, body }
    const response = await request(`${BASE_PATH}/integrations/${name}/customers`, init, msp.admin)
    return { status: response.status, body: await response.json() }
  }

  it('are one in each line, as many as in a list', async () => {
    const msp = await mspWithCompanies()
    const asset_names = Array.from({ length: 20 }, (_, n) => `LT-${n}`)
    const lines = Array.from({ length: 10_000 }, (_, n) =>
      JSON.stringify({ external_id: String(n), name: `Customer ${n}`, asset_names }),
    )
    const { status, body } = await send(msp, `${lines.join('\r\n')}\n\n`)
    expect([status, body.data]).toMatchObject([200, { stages: [{ read: 10_000, added: 10_000 }, {}] }])
    const more = await send(msp, [...lines, '{"external_id":"more"}'].join('\n'))
    expect([more.status, more.body.error.details.field_errors]).toMatchObject([
      422,
      [{ field: 'customers', code: 'length' }],
    ])
  })

  it('are the content of a request with an Idempotency-Key', async () => {
    const msp = await world()
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'customers-of-today' }
    const codes: unknown[] = []
    for (const body of ['{"external_id":"1"}', '{"external_id":"1"}', '{"external_id":"2"}']) {
      const path = `${BASE_PATH}/integrations/${name}/customers`
      const response = await request(path, { method: 'PUT', headers, body }, msp.admin)
      codes.push([response.status, (await response.json()).error?.code])
    }
    expect(codes).toEqual([
      [200, undefined],
      [200, undefined],
      [422, 'idempotency_key_reused'],
    ])
    expect(await storedOf(msp)).toMatchObject([{ external_id: '1' }])
  })

  it('are refused before any line is read if there are too many, and if there is none, and nothing changes', async () => {
    const msp = await world()
    expect((await send(msp, '{"external_id":"1"}')).status).toBe(200)
    const stored = await storedOf(msp)
    const mebibytes = 8 * 1024 * 1024
    for (const line of ['1\n', '{}\n', 'no\n']) {
      const { status, body } = await send(msp, line.repeat(mebibytes / line.length))
      expect([status, body.error.details.field_errors]).toMatchObject([
        422,
        [{ field: 'customers', code: 'length' }],
      ])
    }
    for (const empty of ['', ' ', '\n', '\r\n \t\n', '\n'.repeat(mebibytes)]) {
      const { status, body } = await send(msp, empty)
      expect([status, body.error.code]).toEqual([422, 'request_validation_failed'])
    }
    const list = `{"customers":[${'[],'.repeat(2_000_000)}[]]}`
    const { status, body } = await send(msp, list, 'application/json')
    expect([status, body.error.details.reason]).toEqual([400, 'The body has more than 80000 values.'])
    expect(await storedOf(msp)).toEqual(stored)
    const none = await send(msp, '{"customers":[]}', 'application/json')
    expect(none.body.data.stages[0]).toMatchObject({ read: 0, missing: 1 })
  })

  it('are refused with the places of lines that are not JSON, or not customers', async () => {
    const msp = await world()
    const unreadable = await send(msp, '{"external_id":"1"}\n{"external_id":\n\n{"external_id":"3"}\nno')
    expect([unreadable.status, unreadable.body.error]).toMatchObject([
      400,
      { details: { field_errors: [{ field: 'customers.1' }, { field: 'customers.3' }] } },
    ])
    const wrong = await send(msp, '{"external_id":"1"}\n7')
    expect([wrong.status, wrong.body.error.details.field_errors]).toMatchObject([
      422,
      [{ field: 'customers.1', code: 'type' }],
    ])
    const large = await send(msp, ' '.repeat(8 * 1024 * 1024 + 1))
    expect([large.status, large.body.error.code]).toEqual([413, 'payload_too_large'])
    const other = await send(msp, '[]', 'text/csv')
    expect([other.status, other.body.error.details.supported]).toEqual([
      415,
      ['application/json', 'application/x-ndjson'],
    ])
    expect(await storedOf(msp)).toEqual([])
  })
})
