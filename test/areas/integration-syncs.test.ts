import { beforeAll, describe, expect, it } from 'vitest'
import { READ_PAGE } from '../../src/areas/integration-syncs/declared.ts'
import { beginDueSyncs } from '../../src/areas/integration-syncs/scheduled.ts'
import { PortUnavailable } from '../../src/connectors/port.ts'
import type { Psa, PsaDirectoryCompany } from '../../src/connectors/psa.ts'
import { type Api, apis, describeApi } from '../setup/api.ts'
import { clock, testApp } from '../setup/app.ts'
import { TIMES, times } from '../setup/at-once.ts'
import { activitiesOf } from '../setup/audit-log.ts'
import { addCompanies } from '../setup/companies.ts'
import { performWaiting, withoutPsa, withPsa } from '../setup/due.ts'
import { addPsaAttributes, addPsaContacts } from '../setup/psa.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { type Msp, world } from '../setup/world.ts'
import { installQueues } from './agents/runnable.ts'

const name = 'connectwise-psa'

beforeAll(installQueues)

/** A tenant with a connected PSA, two companies and a contact at each. */
async function connected(): Promise<Msp> {
  const msp = await world()
  const { tenant_id, environment } = msp
  const row = { tenant_id, environment, connected: true, updated_at: clock.now() }
  await msp.database.prisma.integrationConnection.createMany({
    data: [
      { ...row, name },
      { ...row, name: 'hudu' },
    ],
  })
  await addCompanies(msp, [
    { id: 'a', name: 'Alpha' },
    { id: 'b', name: 'Beta' },
  ])
  await addPsaContacts(msp, [
    { contact_id: '1', psa_company_id: 'psa_a', name: 'Ada', email: 'ada@a.example' },
    { contact_id: '2', psa_company_id: 'psa_b', name: 'Bo', is_active: false },
    { contact_id: '3', psa_company_id: 'psa_unknown' },
  ])
  return msp
}

/** Each interface in turn. */
const callBy = (index: number): Api['call'] => (apis[index % apis.length] as Api).call

/** Performs the pages of the tenant's sync until none waits. */
async function perform(msp: Msp, options: Parameters<typeof performWaiting>[2] = {}): Promise<void> {
  while ((await performWaiting(msp, READ_PAGE.name, options)) > 0);
}

const company = (psa_company_id: string, changes: Partial<PsaDirectoryCompany>): PsaDirectoryCompany => ({
  psa_company_id,
  name: `Company ${psa_company_id}`,
  is_active: true,
  attributes: {},
  domains: [],
  ...changes,
})

const stage = (read: number, added: number, changed: number, missing = 0) => ({
  status: 'SUCCEEDED',
  read,
  added,
  changed,
  missing,
})

describeApi('syncs of an integration', (api) => {
  it('are queued, read the PSA page by page, and end', async () => {
    const msp = await connected()
    const asked = await api.call(msp.admin, 'sync_integration', { name })
    expect([asked.status, asked.data]).toMatchObject([
      200,
      {
        name,
        status: 'QUEUED',
        is_full: false,
        changed_since: null,
        requested_by_name: 'Admin',
        finished_at: null,
      },
    ])
    const { id: sync_id } = asked.data
    const status = async () => (await api.call(msp.key, 'integration', { name })).data.last_sync_status
    expect(await status()).toBe('QUEUED')
    await performWaiting(msp, READ_PAGE.name)
    expect(await status()).toBe('RUNNING')
    await perform(msp)
    expect(await status()).toBe('SUCCEEDED')
    const { data } = await api.call(msp.viewer, 'integration_sync', { name, sync_id })
    expect(data).toMatchObject({
      status: 'SUCCEEDED',
      error: null,
      finished_at: expect.any(String),
      stages: [
        { stage: 'COMPANIES', ...stage(2, 0, 0) },
        { stage: 'CONTACTS', ...stage(3, 2, 0) },
        { stage: 'TECHNICIANS', ...stage(0, 0, 0) },
        { stage: 'COMPANY_LINKS', ...stage(0, 0, 0) },
      ],
    })
    const users = await api.call(msp.key, 'end_users', {})
    expect(users.data).toMatchObject([
      { name: 'Ada', email: 'ada@a.example', status: 'ACTIVE' },
      { name: 'Bo', status: 'INACTIVE' },
    ])
    const list = await api.call(msp.key, 'integration_syncs', { name })
    expect(list.data).toEqual([data])
    expect(await activitiesOf(msp)).toMatchObject([{ action: 'integration_sync.requested' }])
  })

  it('store what changed, and mark what the PSA no longer has', async () => {
    const msp = await connected()
    await addPsaAttributes(msp, 'type', { 1: 'Customer', 2: 'Prospect' })
    await api.call(msp.admin, 'replace_company_filters', {
      input: { filters: [{ field_name: 'type', selected_options: [{ id: 1, name: 'Customer' }] }] },
    })
    const services = await withPsa(() => ({
      companyPage: async () => ({
        rows: [
          company('psa_a', { name: 'Alpha Ltd', domains: ['alpha.example'] }),
          company('psa_c', { attributes: { type: 1 } }),
          company('psa_d', { attributes: { type: 2 } }),
        ],
        next: null,
      }),
      contactPage: async () => ({ rows: [], next: null }),
    }))
    const { data } = await api.call(msp.admin, 'sync_integration', { name, input: { is_full: true } })
    await perform(msp, { services })
    const ended = await api.call(msp.key, 'integration_sync', { name, sync_id: data.id })
    expect(ended.data.stages[0]).toMatchObject(stage(3, 2, 1, 1))
    const companies = await api.call(msp.key, 'end_companies', {})
    expect(companies.data).toMatchObject([
      { name: 'Alpha Ltd', status: 'ACTIVE', domains: ['alpha.example'], in_scope: true },
      { name: 'Beta', status: 'INACTIVE', in_scope: true },
      { name: 'Company psa_c', status: 'ACTIVE', in_scope: true },
      { name: 'Company psa_d', status: 'ACTIVE', in_scope: false },
    ])
  })

  it('leave a company the domains that the PSA does not tell with it', async () => {
    const msp = await connected()
    const sync = async (rows: PsaDirectoryCompany[]) => {
      const services = await withPsa(() => ({ companyPage: async () => ({ rows, next: null }) }))
      const { data } = await api.call(msp.admin, 'sync_integration', { name, input: { is_full: true } })
      await perform(msp, { services })
      const ended = await api.call(msp.key, 'integration_sync', { name, sync_id: data.id })
      const companies = await api.call(msp.key, 'end_companies', {})
      return [ended.data.stages[0].changed, companies.data[0].domains]
    }
    const alpha = company('psa_a', { name: 'Alpha', domains: ['alpha.example'] })
    expect(await sync([alpha])).toEqual([1, ['alpha.example']])
    expect(await sync([{ ...alpha, domains: null }])).toEqual([0, ['alpha.example']])
    expect(await sync([{ ...alpha, name: 'Alpha Ltd', domains: null }])).toEqual([1, ['alpha.example']])
    expect(await sync([company('psa_0', { name: 'A', domains: null }), alpha])).toEqual([1, []])
    expect(await sync([{ ...alpha, domains: [] }])).toEqual([1, []])
  })

  it('ask the next time for what changed since, unless a full one is asked for', async () => {
    const msp = await connected()
    await api.call(msp.admin, 'sync_integration', { name })
    await perform(msp)
    const next = await api.call(msp.admin, 'sync_integration', { name })
    expect(next.data).toMatchObject({ is_full: false, changed_since: expect.any(String) })
    const asked: unknown[] = []
    const services = await withPsa((local) => ({
      companyPage: (search) => {
        asked.push(search.changed_since?.toISOString())
        return local.companyPage(search)
      },
    }))
    await perform(msp, { services })
    expect(asked).toEqual([next.data.changed_since])
    const full = await api.call(msp.admin, 'sync_integration', { name, input: { is_full: true } })
    expect(full.data).toMatchObject({ is_full: true, changed_since: null })
  })

  it('are PARTIAL or FAILED if the PSA is away for all attempts, and say what is not complete', async () => {
    const msp = await connected()
    const asked = await api.call(msp.admin, 'sync_integration', { name })
    const services = await withoutPsa('contactPage')
    await performWaiting(msp, READ_PAGE.name, { services })
    await expect(performWaiting(msp, READ_PAGE.name, { services })).rejects.toThrow()
    await perform(msp, { services, attempt: 6 })
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })
    expect(data).toMatchObject({
      status: 'PARTIAL',
      error: 'The system did not answer: contacts are not complete.',
      stages: [
        { status: 'SUCCEEDED' },
        { status: 'FAILED' },
        { status: 'SUCCEEDED' },
        { status: 'SUCCEEDED' },
      ],
    })
    const next = await api.call(msp.admin, 'sync_integration', { name })
    expect(next.data).toMatchObject({ changed_since: null })
  })

  describe('of a PSA that does not come to an end', () => {
    /** The sync, whose service reads so many rows at most, and the pages of companies that it read. */
    async function syncOf(companyPage: (n: number) => { rows: PsaDirectoryCompany[]; next: string | null }) {
      const msp = await connected()
      const asked = await api.call(msp.admin, 'sync_integration', { name, input: { is_full: true } })
      let pages = 0
      const services = await withPsa(() => ({ companyPage: async () => companyPage(pages++) }))
      await perform(msp, { services: { ...services, psa_bounds: { ...services.psa_bounds, sync_rows: 10 } } })
      const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })
      const next = await api.call(msp.admin, 'sync_integration', { name })
      return { data, pages, next: next.data }
    }

    const fourNew = (n: number) => [0, 1, 2, 3].map((k) => company(`new_${n}_${k}`, {}))

    it('are PARTIAL at the most rows, and mark nothing as missing', async () => {
      const { data, pages, next } = await syncOf((n) => ({ rows: fourNew(n), next: `p${n}` }))
      expect([pages, next.changed_since]).toEqual([3, null])
      expect(data).toMatchObject({
        status: 'PARTIAL',
        error: 'A sync reads at most 10 rows: companies are not complete.',
        stages: [
          { status: 'FAILED', read: 12, added: 12, missing: 0 },
          { status: 'SUCCEEDED' },
          { status: 'SUCCEEDED' },
          { status: 'SUCCEEDED' },
        ],
      })
    })

    it.each([
      ['that continues with itself', (n: number) => ({ rows: [company(`new_${n}`, {})], next: 'p' })],
      ['that comes again', (n: number) => ({ rows: [company('same', {})], next: `p${n}` })],
    ])('are PARTIAL at a page %s', async (_name, page) => {
      const { data, pages } = await syncOf(page)
      expect(pages).toBe(2)
      expect(data).toMatchObject({
        status: 'PARTIAL',
        error: 'The system repeated a page: companies are not complete.',
      })
    })
  })

  it('are PARTIAL with rows that cannot be stored, name them, and store the others', async () => {
    const msp = await connected()
    await addTechnicians(msp, [{ psa_id: 1 }, { psa_id: 2 }, { psa_id: 3 }])
    const technician = (psa_id: number) => ({ psa_id, name: `New name ${psa_id}`, email: null })
    const services = await withPsa(() => ({
      companyPage: async () => ({
        rows: [company('psa_a', {}), company('', {}), company('x'.repeat(3000), {}), company('psa_c', {})],
        next: null,
      }),
      technicianPage: async () => ({
        rows: [technician(1), technician(2 ** 40), technician(2), technician(3)],
        next: null,
      }),
    }))
    const asked = await api.call(msp.admin, 'sync_integration', { name, input: { is_full: true } })
    await perform(msp, { services })
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })
    expect(data).toMatchObject({
      status: 'PARTIAL',
      error: `Cannot be stored: company "", company "${'x'.repeat(40)}…", technician "1099511627776".`,
      stages: [
        { status: 'FAILED', read: 4, added: 1, changed: 1, missing: 0 },
        { status: 'SUCCEEDED' },
        { status: 'FAILED', read: 4, changed: 3 },
        { status: 'SUCCEEDED' },
      ],
    })
    const names = await msp.database.prisma.technicianProfile.findMany({
      where: { tenant_id: msp.tenant_id },
      orderBy: { psa_id: 'asc' },
      select: { name: true },
    })
    expect(names.map((row) => row.name)).toEqual(['New name 1', 'New name 2', 'New name 3'])
    const next = await api.call(msp.admin, 'sync_integration', { name })
    expect(next.data).toMatchObject({ changed_since: expect.any(String) })
  })

  it('are FAILED after the last attempt at a page that the service fails at', async () => {
    const msp = await connected()
    const asked = await api.call(msp.admin, 'sync_integration', { name })
    const services = await withPsa(() => ({ companyPage: () => Promise.reject(new Error('a bug')) }))
    await expect(performWaiting(msp, READ_PAGE.name, { services, attempt: 5 })).rejects.toThrow('a bug')
    await perform(msp, { services, attempt: 6 })
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })
    expect(data).toMatchObject({
      status: 'FAILED',
      error: 'The service itself failed.',
      finished_at: expect.any(String),
    })
  })

  it('go on where they were once the PSA answers again, and count nothing twice', async () => {
    const msp = await connected()
    const asked = await api.call(msp.admin, 'sync_integration', { name })
    const pages =
      (...calls: (string | null)[]) =>
      (local: Psa): Partial<Psa> => ({
        contactPage: async (search) => {
          if (!calls.includes(search.after)) throw new PortUnavailable('It is away')
          const { rows } = await local.contactPage({ ...search, after: null })
          const [first, ...others] = rows
          return search.after === null
            ? { rows: first ? [first] : [], next: 'second' }
            : { rows: others, next: null }
        },
      })
    await performWaiting(msp, READ_PAGE.name)
    const halfway = await withPsa(pages(null))
    await performWaiting(msp, READ_PAGE.name, { services: halfway })
    await expect(performWaiting(msp, READ_PAGE.name, { services: halfway })).rejects.toThrow()
    await perform(msp, { services: await withPsa(pages('second')), attempt: 2 })
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })
    expect(data.status).toBe('SUCCEEDED')
    expect(data.stages[1]).toMatchObject({ stage: 'CONTACTS', ...stage(3, 2, 0) })
  })

  it('can be cancelled until they have ended, and then read nothing more', async () => {
    const msp = await connected()
    const asked = await api.call(msp.admin, 'sync_integration', { name })
    const sync = { name, sync_id: asked.data.id }
    await performWaiting(msp, READ_PAGE.name)
    const cancelled = await api.call(msp.admin, 'cancel_integration_sync', sync)
    expect([cancelled.status, cancelled.data]).toMatchObject([
      200,
      { status: 'CANCELLED', finished_at: expect.any(String), revision: 2 },
    ])
    expect((await api.call(msp.key, 'integration', { name })).data.last_sync_status).toBe('CANCELLED')
    await perform(msp)
    const left = await api.call(msp.key, 'integration_sync', sync)
    expect(left.data.stages).toMatchObject([
      { status: 'SUCCEEDED' },
      { status: 'PENDING' },
      { status: 'PENDING' },
      { status: 'PENDING' },
    ])
    expect((await api.call(msp.admin, 'cancel_integration_sync', sync)).data.revision).toBe(2)
    const next = await api.call(msp.admin, 'sync_integration', { name })
    await perform(msp)
    const refused = await api.call(msp.admin, 'cancel_integration_sync', { name, sync_id: next.data.id })
    expect([refused.status, refused.error]).toMatchObject([
      409,
      { code: 'sync_not_cancellable', details: { current_status: 'SUCCEEDED' } },
    ])
  })

  it('mark nothing that they read, even if the clock of the worker is behind', async () => {
    const msp = await connected()
    const { data } = await api.call(msp.admin, 'sync_integration', { name, input: { is_full: true } })
    const { services } = (await testApp()).app
    const now = () => new Date(clock.now().getTime() - 3_600_000)
    await perform(msp, { services: { ...services, now } })
    const ended = await api.call(msp.key, 'integration_sync', { name, sync_id: data.id })
    expect(ended.data.stages).toMatchObject([
      { stage: 'COMPANIES', ...stage(2, 0, 0) },
      { stage: 'CONTACTS', ...stage(3, 2, 0) },
      { stage: 'TECHNICIANS', ...stage(0, 0, 0) },
      { stage: 'COMPANY_LINKS', ...stage(0, 0, 0) },
    ])
  })

  it('store nothing more once the integration is disconnected', async () => {
    const msp = await connected()
    const { tenant_id, database } = msp
    const { data } = await api.call(msp.admin, 'sync_integration', { name, input: { is_full: true } })
    await performWaiting(msp, READ_PAGE.name)
    await database.prisma.integrationConnection.updateMany({
      where: { tenant_id, name },
      data: { connected: false },
    })
    await perform(msp)
    const ended = await api.call(msp.key, 'integration_sync', { name, sync_id: data.id })
    expect(ended.data).toMatchObject({
      status: 'FAILED',
      error: 'The integration was disconnected.',
      stages: [
        { status: 'SUCCEEDED' },
        { status: 'FAILED', read: 0 },
        { status: 'FAILED' },
        { status: 'FAILED' },
      ],
    })
  })

  it('are refused for what is not connected, not readable, or under way', async () => {
    const msp = await connected()
    const asked = await api.call(msp.admin, 'sync_integration', { name })
    for (const [of, status, error] of [
      ['nothing', 404, { code: 'unknown_integration' }],
      ['halo-psa', 409, { code: 'integration_not_connected', details: { name: 'halo-psa' } }],
      ['hudu', 409, { code: 'integration_not_syncable', details: { name: 'hudu' } }],
      [name, 409, { code: 'sync_already_running', details: { sync_id: asked.data.id } }],
    ] as const) {
      const refused = await api.call(msp.admin, 'sync_integration', { name: of })
      expect([refused.status, refused.error]).toMatchObject([status, error])
    }
    const other = await api.call(msp.key, 'integration_sync', { name: 'hudu', sync_id: asked.data.id })
    expect([other.status, other.error?.code]).toEqual([404, 'integration_sync_not_found'])
    expect(await msp.database.prisma.integrationSync.count({ where: { tenant_id: msp.tenant_id } })).toBe(1)
  })
})

describe('syncs that are asked for at once', () => {
  it('are one', async () => {
    const msp = await connected()
    const answers = await times((index) => callBy(index)(msp.admin, 'sync_integration', { name }))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: TIMES - 1 }, () => 409)])
  })
})

describe('syncs that the service begins by itself', () => {
  const HOUR = 3_600_000

  /** A tenant with credentials, which are never used: the PSA is the local one. */
  async function withCredentials(): Promise<Msp> {
    const msp = await connected()
    const { tenant_id, environment } = msp
    const connection = {
      connection_id: `con_${tenant_id}`,
      settings: {},
      secrets: 'unread',
      updated_by_name: 'Admin',
    }
    await msp.database.prisma.systemConnection.create({
      data: {
        tenant_id,
        environment,
        name,
        ...connection,
        connected_at: clock.now(),
        updated_at: clock.now(),
      },
    })
    return msp
  }

  /** What a worker does at that time. */
  async function beginAt(msp: Msp, now: Date): Promise<void> {
    const services = { ...(await testApp()).app.services, now: () => now }
    const request = { id: 'req_syncs', ip: null, user_agent: null, if_match: null }
    await beginDueSyncs({ services, now, request, log: services.log }, msp.tenant_id)
  }

  const syncsOf = ({ database, tenant_id }: Msp) =>
    database.prisma.integrationSync.findMany({ where: { tenant_id }, orderBy: { created_at: 'asc' } })

  async function performAt(msp: Msp, now: Date): Promise<void> {
    const services = await withPsa(() => ({}))
    await perform(msp, { services: { ...services, now: () => now } })
  }

  it('are one in an hour however many workers look, and a full one in a day', async () => {
    const msp = await withCredentials()
    const start = clock.now().getTime()
    for (let hour = 0; hour < 26; hour++) {
      const now = new Date(start + hour * HOUR)
      await times(() => beginAt(msp, now), 3)
      await beginAt(msp, now)
      await performAt(msp, now)
    }
    const syncs = await syncsOf(msp)
    expect(syncs.map(({ status }) => status)).toEqual(Array.from({ length: 26 }, () => 'SUCCEEDED'))
    expect(syncs.every(({ requested_by_name }) => requested_by_name === null)).toBe(true)
    const full = syncs.flatMap(({ is_full, changed_since }, hour) =>
      is_full && !changed_since ? [hour] : [],
    )
    // The first one, and one at the connection's own hour of the day, which may be the first of the next day.
    expect(full[0]).toBe(0)
    expect([2, 3]).toContain(full.length)
    expect(syncs.filter(({ changed_since }) => changed_since === null).length).toBe(full.length)
  })

  it('accept no missing rows: a full one withholds its marks, and syncs of changes follow', async () => {
    const msp = await withCredentials()
    const { tenant_id, database } = msp
    await addCompanies(
      msp,
      Array.from({ length: 100 }, (_, n) => ({ id: `gone_${n}` })),
    )
    const start = clock.now().getTime()
    const services = await withPsa(() => ({ companyPage: async () => ({ rows: [], next: null }) }))
    for (const hour of [0, 1, 2]) {
      const now = new Date(start + hour * HOUR)
      await beginAt(msp, now)
      await perform(msp, { services: { ...services, now: () => now } })
    }
    const syncs = await syncsOf(msp)
    expect(syncs.map(({ accept_missing }) => accept_missing)).toEqual([false, false, false])
    expect(syncs[0]).toMatchObject({ status: 'PARTIAL', is_full: true, changed_since: null })
    // The connection's own hour of the day may come second: that sync is full too.
    const of_changes = syncs.filter(({ changed_since }) => changed_since !== null)
    expect([1, 2]).toContain(of_changes.length)
    for (const sync of of_changes) expect(sync).toMatchObject({ status: 'SUCCEEDED', is_full: false })
    expect(await database.prisma.endCompany.count({ where: { tenant_id, status: 'INACTIVE' } })).toBe(0)
  })

  it('wait for one that is under way, and end with the connection', async () => {
    const msp = await withCredentials()
    const start = clock.now().getTime()
    const [api] = apis as [Api]
    await api.call(msp.admin, 'sync_integration', { name })
    await beginAt(msp, new Date(start + 2 * HOUR))
    expect(await syncsOf(msp)).toHaveLength(1)
    await perform(msp, { services: await withPsa(() => ({})) })
    await msp.database.prisma.systemConnection.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { secrets: null },
    })
    await beginAt(msp, new Date(start + 2 * HOUR))
    expect(await syncsOf(msp)).toHaveLength(1)
  })
})
