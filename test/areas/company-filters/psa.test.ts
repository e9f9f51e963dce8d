/** Company filters of a PSA that is another system: it has companies that were never synced, and may be out of reach. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RESOLVE_LINKS } from '../../../src/areas/company-links/declared.ts'
import { localPsa } from '../../../src/connectors/local/psa.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import type { Psa, PsaCompany } from '../../../src/connectors/psa.ts'
import { clock, type Running, startApp } from '../../setup/app.ts'
import { countActivities } from '../../setup/audit-log.ts'
import { addCompanies } from '../../setup/companies.ts'
import { testDatabase } from '../../setup/database.ts'
import { performWaiting } from '../../setup/due.ts'
import { json } from '../../setup/http.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

const running: Running[] = []
beforeAll(installQueues)
afterAll(async () => {
  for (const { app } of running) await app.close(0)
})

/** The service with a PSA of which some calls are other ones. */
async function serviceWith(calls: Partial<Psa>): Promise<Running> {
  const connectors = { psa: (ctx: Parameters<typeof localPsa>[0]) => ({ ...localPsa(ctx), ...calls }) }
  const started = await startApp(await testDatabase(), {}, undefined, { connectors })
  running.push(started)
  return started
}

async function ask({ base }: Running, { admin }: Msp, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${admin.token}` }
  const init = body ? json(body, { method, headers }) : { method, headers }
  const response = await fetch(`${base}/public-api/company-filters${path}`, init)
  return { status: response.status, headers: response.headers, ...(await response.json()) }
}

const company = (id: string, type: number, is_active = true): PsaCompany => ({
  psa_company_id: `psa_${id}`,
  name: `Company ${id}`,
  is_active,
  attributes: { type },
})
const FIELDS = [
  { field_name: 'type', label: 'Type', options: [1, 2].map((id) => ({ id, name: `Type ${id}` })) },
]
const onlyType = (id: number) => ({ filters: [{ field_name: 'type', selected_options: [{ id }] }] })

it('Companies that were never synced are brought into scope, and one that the PSA has lost is removable', async () => {
  const msp = await world()
  await addCompanies(msp, [{ id: 'known', in_scope: false }, { id: 'lost' }])
  const service = await serviceWith({
    companyFields: async () => FIELDS,
    companies: async () => [
      company('known', 1),
      company('new', 1),
      company('left', 1, false),
      company('other', 2),
    ],
  })
  const { status, data } = await ask(service, msp, 'PUT', '', onlyType(1))
  expect([status, data]).toEqual([
    200,
    {
      psa_type: null,
      removable: { companies: [{ name: 'Company lost', psa_company_id: 'psa_lost' }], count: 1 },
    },
  ])
  const rows = await msp.database.prisma.endCompany.findMany({
    where: { tenant_id: msp.tenant_id },
    orderBy: { psa_company_id: 'asc' },
  })
  expect(rows.map((row) => [row.psa_company_id, row.in_scope, row.status, row.revision])).toEqual([
    ['psa_known', true, 'ACTIVE', 1],
    ['psa_left', true, 'INACTIVE', 1],
    ['psa_lost', true, 'ACTIVE', 1],
    ['psa_new', true, 'ACTIVE', 1],
  ])
  expect(rows.map(({ name }) => name)).toEqual([
    'Company known',
    'Company left',
    'Company lost',
    'Company new',
  ])
})

it('Customers of integrations find companies that come into scope, and nothing is enqueued if none comes', async () => {
  const msp = await world()
  const { tenant_id, environment, database } = msp
  const stamps = { last_synced_at: clock.now(), created_at: clock.now(), updated_at: clock.now() }
  await database.prisma.integrationCustomer.create({
    data: { tenant_id, environment, system: 'HUDU', external_id: '1', name: 'ACORN FREIGHT', ...stamps },
  })
  const service = await serviceWith({
    companyFields: async () => FIELDS,
    companies: async () => [{ ...company('new', 1), name: 'Acorn Freight' }, company('other', 2)],
  })
  await ask(service, msp, 'PUT', '', onlyType(1))
  expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(1)
  expect(await database.prisma.companyLink.findMany({ where: { tenant_id } })).toMatchObject([
    { external_id: '1', psa_company_id: 'psa_new', link_state: 'AUTO' },
  ])
  await ask(service, msp, 'PUT', '', {
    filters: [{ field_name: 'type', selected_options: [{ id: 1 }, { id: 1 }] }],
  })
  expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(0)
})

it('While the PSA is out of reach, all answer 503 without its name, and nothing is stored', async () => {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }])
  const fail = async (): Promise<never> => {
    throw new PortUnavailable('ECONNREFUSED psa.vendor.example', { retry_after_seconds: 7 })
  }
  const service = await serviceWith({ companyFields: fail, companies: fail })
  for (const [method, path, body] of [
    ['GET', ''],
    ['GET', '/options'],
    ['PUT', '', { filters: [] }],
    ['POST', '/remove-unmatched', {}],
  ] as const) {
    const { status, error, headers } = await ask(service, msp, method, path, body)
    expect([status, error.code, headers.get('retry-after')]).toEqual([503, 'upstream_unavailable', '7'])
    expect(JSON.stringify(error)).not.toContain('vendor')
  }
  const where = { tenant_id: msp.tenant_id }
  expect(await msp.database.prisma.companyFilters.count({ where })).toBe(0)
  expect(await countActivities(msp)).toBe(0)
})
