/** Systems that no longer have many rows of the service. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { READ_PAGE } from '../../src/areas/integration-syncs/declared.ts'
import type { PsaContact, PsaDirectoryCompany } from '../../src/connectors/psa.ts'
import { BASE_PATH } from '../../src/lib/api.ts'
import { IS_MARKABLE, isMarkable } from '../../src/lib/missing-rows.ts'
import { SETTINGS, startHalo } from '../doubles/halo/server.ts'
import { type Api, apisAt, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { activitiesOf } from '../setup/audit-log.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { performDue, useConnectedApp } from '../setup/connected.ts'
import { testDatabase } from '../setup/database.ts'
import { performWaiting, withPsa } from '../setup/due.ts'
import { request } from '../setup/http.ts'
import { type Msp, world } from '../setup/world.ts'
import { installQueues } from './agents/runnable.ts'

const name = 'connectwise-psa'

beforeAll(installQueues)

async function connected(): Promise<Msp> {
  const msp = await world()
  const { tenant_id, environment } = msp
  await msp.database.prisma.integrationConnection.create({
    data: { tenant_id, environment, name, connected: true, updated_at: clock.now() },
  })
  return msp
}

const ids = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => String(from + n))

/** Rows whose ids begin with this are inactive in the system. */
const INACTIVE = 'inactive_'
const inactive = ids(50).map((id) => INACTIVE + id)

const companyOf = (id: string): PsaDirectoryCompany => ({
  psa_company_id: id,
  name: `Company ${id}`,
  is_active: !id.startsWith(INACTIVE),
  attributes: {},
  domains: [],
})

const contactOf = (id: string): PsaContact => ({
  contact_id: id,
  psa_company_id: 'psa_a',
  name: `Contact ${id}`,
  email: null,
  phone: null,
  title: null,
  is_active: !id.startsWith(INACTIVE),
})

interface Given {
  companies?: readonly string[]
  contacts?: readonly string[]
  /** The rows that the PSA counts of each. */
  total?: number
}

const pageOf = <Row>(given: readonly string[] | undefined, make: (id: string) => Row, total?: number) => ({
  rows: (given ?? []).map(make),
  next: null,
  ...(total !== undefined && { total }),
})

async function perform(msp: Msp, { companies, contacts, total }: Given): Promise<void> {
  const services = await withPsa(() => ({
    companyPage: async () => pageOf(companies, companyOf, total),
    contactPage: async () => pageOf(contacts, contactOf, total),
  }))
  while ((await performWaiting(msp, READ_PAGE.name, { services })) > 0);
}

/** The sync of a PSA that gives these rows. */
async function sync(api: Api, msp: Msp, input: object, given: Given) {
  const asked = await api.call(msp.admin, 'sync_integration', { name, input })
  await perform(msp, given)
  return (await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })).data
}

const FULL = { is_full: true }

/** Rows that were there, rows of them that are gone, and rows that are new. */
const CASES = [
  { there: 100, gone: 21, added: 0, is_withheld: true },
  { there: 104, gone: 21, added: 30, is_withheld: true },
  { there: 100, gone: 20, added: 0, is_withheld: false },
  { there: 105, gone: 21, added: 0, is_withheld: false },
  { there: 200, gone: 30, added: 0, is_withheld: false },
]

describeApi('a full sync', (api) => {
  it.each(CASES)('marks a fifth of the companies at most: $gone of $there', async (numbers) => {
    const { there, gone, added, is_withheld } = numbers
    const msp = await connected()
    await sync(api, msp, FULL, { companies: [...ids(there), ...inactive] })
    const left = ids(there - gone + added, gone)
    const ended = await sync(api, msp, FULL, { companies: left })
    expect(ended).toMatchObject({
      status: is_withheld ? 'PARTIAL' : 'SUCCEEDED',
      accept_missing: false,
      error: is_withheld
        ? `${gone} of ${there} companies are gone from the system, more than a fifth: none was marked. ` +
          'Repeat with accept_missing if that is right.'
        : null,
      stages: [
        { status: is_withheld ? 'FAILED' : 'SUCCEEDED', added, missing: is_withheld ? 0 : gone },
        {},
        {},
        { status: 'SUCCEEDED' },
      ],
    })
    const { tenant_id, database } = msp
    const active = await database.prisma.endCompany.count({ where: { tenant_id, status: 'ACTIVE' } })
    expect(active).toBe(there + added - (is_withheld ? 0 : gone))
  })

  it('that withheld its marks is followed by syncs of changes, and repeated with accept_missing marks', async () => {
    const msp = await connected()
    const { tenant_id, database } = msp
    await addCompanies(msp, [{ id: 'a' }])
    const people = [...ids(100), ...inactive]
    await sync(api, msp, FULL, { companies: ['psa_a'], contacts: people })
    await addLinks(msp, [{ external_id: '1', psa_company_id: 'psa_a' }])
    const given = { companies: ['psa_a'], contacts: ids(64, 36) }
    const withheld = await sync(api, msp, FULL, given)
    expect(withheld).toMatchObject({
      status: 'PARTIAL',
      error: expect.stringMatching(/^36 of 100 contacts are gone from the system, more than a fifth: none/),
      stages: [{ status: 'SUCCEEDED' }, { status: 'FAILED', read: 64, missing: 0 }, {}, {}],
    })
    expect(await database.prisma.endUser.count({ where: { tenant_id, status: 'ACTIVE' } })).toBe(100)
    const changes = await sync(api, msp, {}, given)
    expect(changes).toMatchObject({ status: 'SUCCEEDED', changed_since: expect.any(String) })
    const accepted = await sync(api, msp, { accept_missing: true }, given)
    expect(accepted).toMatchObject({
      status: 'SUCCEEDED',
      is_full: true,
      accept_missing: true,
      changed_since: null,
      error: null,
      stages: [{ missing: 0 }, { missing: 36 }, {}, {}],
    })
    expect(await database.prisma.endUser.count({ where: { tenant_id, status: 'ACTIVE' } })).toBe(64)
    const links = await api.call(msp.key, 'company_links', { system: 'HUDU' })
    expect(links.data.links).toMatchObject([{ psa_company_id: 'psa_a', link_state: 'AUTO' }])
    const [activity] = (await activitiesOf(msp)).toReversed()
    expect(activity).toMatchObject({ action: 'integration_sync.requested', after: { accept_missing: true } })
  })

  it('that reads fewer rows than the system counts marks nothing, whatever is accepted', async () => {
    const msp = await connected()
    await addCompanies(
      msp,
      ids(10).map((id) => ({ id, psa_company_id: id })),
    )
    const given = { companies: ids(9), contacts: ids(10), total: 10 }
    const short = await sync(api, msp, { accept_missing: true }, given)
    expect(short).toMatchObject({
      status: 'PARTIAL',
      error: 'The system counts 10 rows and gave 9: companies are not complete.',
      stages: [{ status: 'FAILED', read: 9, missing: 0 }, { status: 'SUCCEEDED' }, {}, {}],
    })
    const next = await sync(api, msp, {}, { companies: ids(9), total: 9 })
    expect(next).toMatchObject({ changed_since: null, stages: [{ missing: 1 }, {}, {}, {}] })
  })

  it('of changes reads fewer rows than the system counts', async () => {
    const msp = await connected()
    await sync(api, msp, FULL, { companies: ids(10), contacts: ids(10), total: 10 })
    const changes = await sync(api, msp, {}, { companies: ids(1), total: 10 })
    expect(changes).toMatchObject({ status: 'SUCCEEDED', changed_since: expect.any(String) })
  })

  it('accepts by true and false alone', async () => {
    const msp = await connected()
    for (const accept_missing of ['yes', 1, 'true']) {
      const refused = await api.call(msp.admin, 'sync_integration', { name, input: { accept_missing } })
      expect([refused.status, refused.error?.code]).toEqual([422, 'request_validation_failed'])
    }
  })
})

const fed = 'sophos-central'

const put = (api: Api, msp: Msp, given: readonly string[], input: object = {}) => {
  const customers = given.map((external_id) => ({ external_id, name: `Customer ${external_id}` }))
  return api.call(msp.admin, 'put_integration_customers', { name: fed, input: { customers, ...input } })
}

async function endOf(api: Api, msp: Msp, sync_id: string) {
  await perform(msp, {})
  return (await api.call(msp.key, 'integration_sync', { name: fed, sync_id })).data
}

const customersOf = async ({ database, tenant_id }: Msp): Promise<number> =>
  await database.prisma.integrationCustomer.count({ where: { tenant_id, missing_since: null } })

describeApi('customers that are put', (api) => {
  it.each(CASES)('mark a fifth of the others at most: $gone of $there', async (numbers) => {
    const { there, gone, added, is_withheld } = numbers
    const msp = await world()
    await put(api, msp, inactive)
    // Customers that are missing already were not there.
    await put(api, msp, ids(there), { accept_missing: true })
    const answer = await put(api, msp, ids(there - gone + added, gone))
    const missing = is_withheld ? 0 : gone
    expect(answer.data.stages).toMatchObject([
      { status: is_withheld ? 'FAILED' : 'SUCCEEDED', read: there - gone + added, added, missing },
      { status: 'PENDING' },
    ])
    expect(await customersOf(msp)).toBe(there + added - missing)
    expect(await endOf(api, msp, answer.data.id)).toMatchObject({
      status: is_withheld ? 'PARTIAL' : 'SUCCEEDED',
      error: is_withheld
        ? `${gone} of ${there} customers are gone from the system, more than a fifth: none was marked. ` +
          'Repeat with accept_missing if that is right.'
        : null,
      stages: [{}, { status: 'SUCCEEDED', read: there + added - missing }],
    })
  })

  it('keep the links of the others, which accept_missing marks', async () => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a', name: 'Customer 0' }])
    const linked = async () => {
      const where = { tenant_id: msp.tenant_id, psa_company_id: 'psa_a', link_state: 'AUTO' } as const
      const links = await msp.database.prisma.companyLink.findMany({ where })
      return links.map(({ external_id }) => external_id)
    }
    const first = await put(api, msp, ids(100))
    await endOf(api, msp, first.data.id)
    expect(await linked()).toEqual(['0'])
    const withheld = await put(api, msp, ids(79, 21))
    expect(await endOf(api, msp, withheld.data.id)).toMatchObject({ status: 'PARTIAL' })
    expect(await linked()).toEqual(['0'])
    const accepted = await put(api, msp, ids(79, 21), { accept_missing: true })
    expect(await endOf(api, msp, accepted.data.id)).toMatchObject({
      status: 'SUCCEEDED',
      accept_missing: true,
      stages: [{ status: 'SUCCEEDED', missing: 21 }, {}],
    })
    expect(await customersOf(msp)).toBe(79)
    const refused = await put(api, msp, [], { accept_missing: 'yes' })
    expect([refused.status, refused.error?.code]).toEqual([422, 'request_validation_failed'])
  })

  it('are all marked by an empty list that is accepted', async () => {
    const msp = await world()
    await put(api, msp, ids(21))
    const withheld = await put(api, msp, [])
    expect(withheld.data.stages[0]).toMatchObject({ status: 'FAILED', missing: 0 })
    const accepted = await put(api, msp, [], { accept_missing: true })
    expect(accepted.data.stages[0]).toMatchObject({ status: 'SUCCEEDED', missing: 21 })
  })
})

describe('customers as NDJSON', () => {
  it('accept no missing rows', async () => {
    const msp = await world()
    const send = async (body: string) => {
      const init = { method: 'PUT', headers: { 'content-type': 'application/x-ndjson' }, body }
      const path = `${BASE_PATH}/integrations/${fed}/customers?accept_missing=true`
      return await (await request(path, init, msp.admin)).json()
    }
    await send(ids(100).reduce((text, external_id) => `${text}${JSON.stringify({ external_id })}\n`, ''))
    const { data, meta } = await send('{"external_id":"0"}')
    expect(data).toMatchObject({ accept_missing: false, stages: [{ status: 'FAILED', missing: 0 }, {}] })
    expect(meta.warnings).toEqual(['ignored_parameter: accept_missing'])
  })
})

describe('the rule of the database', () => {
  it('is the one of the service', async () => {
    const { prisma } = await testDatabase()
    const rows = await prisma.$queryRawUnsafe<{ gone: number; there: number; is_markable: boolean }[]>(
      `select gone, there, ${IS_MARKABLE} as is_markable
       from generate_series(0, 60) gone, generate_series(0, 320) there`,
    )
    expect(rows).toHaveLength(61 * 321)
    for (const { is_markable, ...row } of rows)
      expect({ ...row, is_markable }).toEqual({ ...row, is_markable: isMarkable(row) })
  })
})

describe('a PSA of which 21 of 100 companies are gone', () => {
  const running = useConnectedApp()

  it('has none of them marked, until that is accepted', async () => {
    const double = await startHalo({ now: () => clock.now() })
    onTestFinished(async () => void (await double.close()))
    double.add(
      '/Client',
      Array.from({ length: 100 }, (_, n) => ({
        id: n + 2,
        name: `Client ${n}`,
        inactive: false,
        toplevel_id: 0,
      })),
    )
    const msp = await world(running.database)
    const [api] = apisAt(async () => running.base) as [Api]
    const input = { halo_psa: { ...SETTINGS, site: double.url } }
    await api.call(msp.owner, 'connect_integration', { name: 'halo-psa', input })
    const syncOf = async (given: object) => {
      const asked = await api.call(msp.admin, 'sync_integration', { name: 'halo-psa', input: given })
      await performDue(running.app.services, msp)
      const sync = { name: 'halo-psa', sync_id: asked.data.id }
      return (await api.call(msp.key, 'integration_sync', sync)).data
    }
    expect(await syncOf(FULL)).toMatchObject({ status: 'SUCCEEDED', stages: [{ added: 100 }, {}, {}, {}] })
    double.rowsOf('/Client').splice(10, 21)
    expect(await syncOf(FULL)).toMatchObject({
      status: 'PARTIAL',
      error: expect.stringMatching(/^21 of 100 companies are gone/),
      stages: [{ read: 79, missing: 0 }, {}, {}, {}],
    })
    expect(await syncOf({ accept_missing: true })).toMatchObject({
      status: 'SUCCEEDED',
      stages: [{ read: 79, missing: 21 }, {}, {}, {}],
    })
  })
})
