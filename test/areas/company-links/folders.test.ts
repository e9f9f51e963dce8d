import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Answer, describeApi } from '../../setup/api.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { type Msp, world } from '../../setup/world.ts'
import { ids, list } from './links.ts'

describeApi('folders and other entities', (api) => {
  interface Modelled {
    company: string | null
    isManual: boolean
    isConfirmed: boolean
  }
  type Model = Map<string, Modelled>

  const system = fc.constantFrom('SHAREPOINT' as const, 'HUDU' as const)
  const external_id = fc.constantFrom(...'abcde')
  const company = fc.constantFrom('psa_a', 'psa_b')
  const step = fc.oneof(
    fc.record({ kind: fc.constant('sync' as const), system, external_id, company: fc.option(company) }),
    fc.record({ kind: fc.constant('vanish' as const), system, external_id }),
    fc.record({ kind: fc.constant('map' as const), system, external_id, company }),
    fc.record({ kind: fc.constant('clear' as const), system, external_id }),
    fc.record({
      kind: fc.constant('confirm' as const),
      system,
      external_ids: fc.uniqueArray(external_id, { minLength: 1, maxLength: 3 }),
    }),
  )
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

  /** Does what a sync does: finds an entity, and a company for it if no person has set one. */
  async function sync(msp: Msp, { system, external_id, company }: Step & { kind: 'sync' }) {
    const where = { tenant_id: msp.tenant_id, system, external_id }
    const found = company
      ? ({ psa_company_id: company, link_state: 'AUTO', match_method: 'DOMAIN', confidence: 0.9 } as const)
      : ({ psa_company_id: null, link_state: 'UNMAPPED', match_method: 'UNMATCHED', confidence: 0 } as const)
    const { companyLink } = msp.database.prisma
    if ((await companyLink.count({ where })) === 0) await addLinks(msp, [{ external_id, system, ...found }])
    else await companyLink.updateMany({ where: { ...where, link_state: { not: 'MANUAL' } }, data: found })
  }

  const confirmed = (company: string): Modelled => ({ company, isManual: true, isConfirmed: true })

  /** Does the step in the database, and gives what it changes in the model of the step's system. */
  async function take(msp: Msp, step: Step, model: Model): Promise<[string, Modelled | null][]> {
    const { system } = step
    const stored = (id: string) => model.get(id)
    if (step.kind === 'confirm') {
      const { external_ids } = step
      const input = { system, external_ids }
      const { status } = await api.call(msp.admin, 'confirm_company_links', { input })
      const companies = external_ids.map((id) => stored(id)?.company)
      const expected = external_ids.some((id) => !stored(id)) ? 404 : companies.includes(null) ? 409 : 200
      expect(status).toBe(expected)
      return expected === 200 ? external_ids.map((id, index) => [id, confirmed(companies[index] ?? '')]) : []
    }
    const { external_id } = step
    const before = stored(external_id)
    if (step.kind === 'sync') {
      await sync(msp, step)
      if (before?.isManual) return []
      const isConfirmed = before?.isConfirmed ?? false
      return [[external_id, { company: step.company, isManual: false, isConfirmed }]]
    }
    if (step.kind === 'vanish') {
      const { tenant_id } = msp
      await msp.database.prisma.companyLink.deleteMany({ where: { tenant_id, system, external_id } })
      return [[external_id, null]]
    }
    const psa_company_id = step.kind === 'map' ? step.company : null
    const input = { system, external_id, psa_company_id }
    const { status } = await api.call(msp.admin, 'map_company_link', { input })
    expect(status).toBe(before ? 200 : 404)
    if (!before) return []
    if (step.kind === 'map') return [[external_id, confirmed(step.company)]]
    return [[external_id, { ...before, company: null, isManual: false }]]
  }

  it('are listed and counted as a model of them has it, whatever syncs and persons did', async () => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await msp.database.prisma.companyLink.deleteMany({ where: { tenant_id: msp.tenant_id } })
        const models: Record<string, Model> = { SHAREPOINT: new Map(), HUDU: new Map() }
        for (const each of steps) {
          const model = models[each.system] as Model
          for (const [id, link] of await take(msp, each, model)) {
            if (link) model.set(id, link)
            else model.delete(id)
          }
        }
        const links: Record<string, number> = { psa_a: 0, psa_b: 0 }
        for (const [system, model] of Object.entries(models)) {
          const listed = [...model].filter(([, { isConfirmed }]) => system === 'HUDU' || isConfirmed)
          const mapped = listed.flatMap(([, { company }]) => company ?? [])
          for (const company of mapped) links[company] = (links[company] ?? 0) + 1
          const { data } = await list(api, msp.viewer, { system })
          expect([...ids({ data } as Answer)].sort()).toEqual(listed.map(([id]) => id).sort())
          const counts = { total: listed.length, mapped: mapped.length }
          expect(data.counts).toEqual({ ...counts, unmapped: counts.total - counts.mapped })
        }
        const companies = await api.call(msp.viewer, 'end_companies')
        expect(
          companies.data.map(
            ({ psa_company_id, link_count }: { psa_company_id: string; link_count: number }) => [
              psa_company_id,
              link_count,
            ],
          ),
        ).toEqual(Object.entries(links))
      }),
      { numRuns: 20 },
    )
  })
})
