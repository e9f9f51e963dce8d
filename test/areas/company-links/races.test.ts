/** Links that are judged while customers, companies and persons change. */
import { beforeAll, describe, expect, it } from 'vitest'
import { replaceCustomers } from '../../../src/areas/company-links/customers.ts'
import { judgeLinks, RESOLVE_LINKS } from '../../../src/areas/company-links/index.ts'
import { findLinksOfPage } from '../../../src/areas/company-links/resolution/pages.ts'
import { needsReview } from '../../../src/areas/company-links/rules.ts'
import { refreshCompany } from '../../../src/areas/end-companies/index.ts'
import { READ_PAGE } from '../../../src/areas/integration-syncs/declared.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { apis, describeApi } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { performWaiting, withPsa } from '../../setup/due.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { happen } from '../callbacks/events.ts'
import { onPostgresql } from './links.ts'

beforeAll(installQueues)

const system = 'HUDU'

async function using(msp: Msp) {
  const { services } = (await testApp()).app
  const { tenant_id, environment } = msp
  const context = () =>
    serviceContext(services, 'company-links.resolve', 'req_races', { tenant_id, environment })
  const within = async <Result>(
    work: (ctx: ReturnType<typeof context>) => Promise<Result>,
  ): Promise<Result> => {
    const ctx = context()
    return await inTransaction(ctx, 60_000, () => work(ctx))
  }
  return {
    within,
    put: (...names: string[]) =>
      within((ctx) => {
        const customers = names.map((name, n) => ({
          external_id: `${n + 1}`,
          name,
          domains: [],
          asset_names: [],
        }))
        return replaceCustomers(ctx, system, customers, true)
      }),
    rename: (psa_company_id: string, name: string) =>
      within((ctx) => refreshCompany(ctx, { psa_company_id, name, is_active: true, attributes: {} })),
    find: async () => {
      const signal = AbortSignal.timeout(60_000)
      const ctx = { ...context(), services, signal, log: services.log }
      const page = await findLinksOfPage(ctx, { only: system, after: null, asks_model: false })
      return { store: () => within(async (storing) => await page?.store(storing)) }
    },
    link: async () => {
      const { sort_name: _, ...link } = await msp.database.prisma.companyLink.findFirstOrThrow({
        where: { tenant_id, system, external_id: '1' },
      })
      return link
    },
  }
}

async function acorns(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [
    { id: 'a', name: 'Acorn Freight' },
    { id: 'b', name: 'Bluebell Web' },
  ])
  return msp
}

describe('a link that was found', () => {
  it('is not stored once its customer has been stored again', async () => {
    const msp = await acorns()
    const { put, find, link } = await using(msp)
    await put('Acorn Freight')
    const first = await find()
    await put('Bluebell Web')
    await (await find()).store()
    expect(await first.store()).toMatchObject({ added: 0, changed: 0 })
    expect(await link()).toMatchObject({ psa_company_id: 'psa_b', external_name: 'Bluebell Web' })
  })

  it('is not stored once a company has changed, and is found again', async () => {
    const msp = await acorns()
    const { put, find, rename, link } = await using(msp)
    await put('Acorn Freight')
    const first = await find()
    await rename('psa_b', 'Acorn Freight')
    await rename('psa_a', 'Zenith')
    expect(await first.store()).toBeNull()
    await (await find()).store()
    expect(await link()).toMatchObject({ psa_company_id: 'psa_b', psa_company_name: 'Acorn Freight' })
  })
})

describe('a company that the PSA tells of', () => {
  it('has its links judged anew if it has another name', async () => {
    const msp = await acorns()
    const { put, find, link } = await using(msp)
    await put('Acorn Freight')
    await (await find()).store()
    const tell = async (name: string) => {
      const company = async (psa_company_id: string) => ({
        psa_company_id,
        name,
        is_active: true,
        attributes: {},
      })
      const services = await withPsa(() => ({ company }))
      await happen(msp, [{ event_id: name, entity_type: 'COMPANY', entity_id: 'psa_a' }], services)
    }
    await tell('Acorn Freight')
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(0)
    await tell('Zenith Roofing')
    expect(await link()).toMatchObject({ link_state: 'AUTO', psa_company_name: 'Zenith Roofing' })
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(1)
    expect(await link()).toMatchObject({ link_state: 'UNMAPPED', psa_company_id: null })
  })
})

describe('a judgement that is asked for', () => {
  it('is one with those that wait, and another one beside those that are under way', async () => {
    const msp = await acorns()
    const { within } = await using(msp)
    const ask = () => within((ctx) => judgeLinks(ctx))
    await ask()
    await ask()
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(1)
    await ask()
    const { tenant_id } = msp
    await msp.database.prisma.$executeRaw`
      update pgboss.job set state = 'active'
      where name = ${RESOLVE_LINKS.name} and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}`
    await ask()
    await ask()
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(1)
  })
})

describeApi('a company that a person chooses', (api) => {
  it('is judged anew for the same name elsewhere once the person chooses another, and waits here', async () => {
    const msp = await acorns()
    await addLinks(msp, [{ external_id: '9', system: 'AUVIK', external_name: 'Quarry Lane' }])
    const { put, find, link } = await using(msp)
    await put('QUARRY LANE')
    const map = async (psa_company_id: string | null) => {
      const input = { system: 'AUVIK', external_id: '9', psa_company_id }
      expect((await api.call(msp.admin, 'map_company_link', { input })).status).toBe(200)
    }
    await map('psa_a')
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(0)
    await (await find()).store()
    expect(await link()).toMatchObject({ psa_company_id: 'psa_a', match_method: 'LEARNED_MANUAL' })
    await map('psa_b')
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(1)
    expect(await link()).toMatchObject({ psa_company_id: 'psa_b', match_method: 'LEARNED_MANUAL' })
    await map(null)
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(1)
    expect(await link()).toMatchObject({ psa_company_id: null, link_state: 'UNMAPPED' })
  })
})

describeApi('a sync that goes on no more', (api) => {
  const name = 'connectwise-psa'

  it('leaves no link unjudged whose company it has renamed', async () => {
    const msp = await acorns()
    const { tenant_id, environment, database } = msp
    await database.prisma.integrationConnection.create({
      data: { tenant_id, environment, name, connected: true, updated_at: clock.now() },
    })
    const { put, find, link } = await using(msp)
    await put('Acorn Freight')
    await (await find()).store()
    const rows = [{ psa_company_id: 'psa_a', name: 'Zenith', is_active: true, attributes: {}, domains: [] }]
    const services = await withPsa(() => ({ companyPage: async () => ({ rows, next: null }) }))
    const asked = await api.call(msp.admin, 'sync_integration', { name })
    await performWaiting(msp, READ_PAGE.name, { services })
    await api.call(msp.admin, 'cancel_integration_sync', { name, sync_id: asked.data.id })
    expect(await link()).toMatchObject({ psa_company_name: 'Zenith', link_state: 'AUTO' })
    expect(await performWaiting(msp, RESOLVE_LINKS.name)).toBe(1)
    expect(await link()).toMatchObject({ psa_company_id: null, link_state: 'UNMAPPED' })
  })

  it('leaves no link of another system unjudged whose customer it has renamed', async () => {
    const msp = await acorns()
    await addLinks(msp, [{ external_id: '9', system: 'AUVIK', external_name: 'Quarry Lane' }])
    const mapping = { system: 'AUVIK', external_id: '9', psa_company_id: 'psa_a' }
    await api.call(msp.admin, 'map_company_link', { input: mapping })
    const { put, find, link } = await using(msp)
    await put('QUARRY LANE')
    await (await find()).store()
    expect(await link()).toMatchObject({ match_method: 'LEARNED_MANUAL' })
    const input = { customers: [{ external_id: '9', name: 'Zenith' }] }
    for (let time = 0; time < 2; time++)
      await api.call(msp.admin, 'put_integration_customers', { name: 'auvik', input })
    while ((await performWaiting(msp, RESOLVE_LINKS.name)) > 0);
    expect(await link()).toMatchObject({ psa_company_id: null, link_state: 'UNMAPPED' })
  })
})

describe('the rule of the database on what needs review', () => {
  it('is the one of the service', async () => {
    const msp = await acorns()
    const names = [null, 'Acorn', 'Zenith']
    const states = [
      { link_state: 'AUTO', confidence: 0.94 },
      { link_state: 'AUTO', confidence: 0.95 },
      { link_state: 'MANUAL', confidence: 1 },
    ] as const
    const links = [true, false].flatMap((company_missing) =>
      states.flatMap((state) =>
        names.flatMap((external_name) =>
          names.flatMap((mapped_external_name) =>
            names.flatMap((psa_company_name) =>
              names.map((mapped_company_name) => ({
                ...state,
                company_missing,
                external_name,
                mapped_external_name,
                psa_company_name,
                mapped_company_name,
              })),
            ),
          ),
        ),
      ),
    )
    await addLinks(
      msp,
      [...links, { link_state: 'UNMAPPED', psa_company_id: null, company_missing: true } as const].map(
        (link, n) => ({
          external_id: String(n),
          psa_company_id: 'psa_a',
          ...link,
        }),
      ),
    )
    const stored = await msp.database.prisma.companyLink.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(stored).toHaveLength(487)
    for (const { needs_review, ...link } of stored)
      expect({ ...link, needs_review }).toEqual({ ...link, needs_review: needsReview(link) })
  })
})

describe.runIf(onPostgresql)('at once', () => {
  it('renames, judgements and mappings leave a link with the names of both systems', async () => {
    for (const api of apis) {
      const msp = await acorns()
      const { put, find, rename, link } = await using(msp)
      await put('Acorn Freight')
      await (await find()).store()
      const input = { system, external_id: '1', psa_company_id: 'psa_b' }
      for (let round = 0; round < 10; round++) {
        await times(async (index) => {
          if (index % 4 === 0) return await rename('psa_b', `Bluebell ${round} ${index}`)
          if (index % 4 === 1) return await put(`Acorn ${round} ${index}`)
          if (index % 4 === 2) return await (await find()).store()
          const { status } = await api.call(msp.admin, 'map_company_link', {
            input: { ...input, psa_company_id: index % 8 === 3 ? 'psa_b' : null },
          })
          return expect(status).toBe(200)
        })
        const { prisma } = msp.database
        const where = { tenant_id: msp.tenant_id }
        const customer = await prisma.integrationCustomer.findFirstOrThrow({ where })
        const { psa_company_id, psa_company_name, external_name } = await link()
        const company = await prisma.endCompany.findFirst({
          where: { ...where, psa_company_id: psa_company_id ?? '' },
        })
        expect([external_name, psa_company_name]).toEqual([customer.name, company?.name ?? null])
      }
    }
  })
})
