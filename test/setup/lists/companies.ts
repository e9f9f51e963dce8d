import type { CompanyLink, EndCompany } from '../../../src/db/generated/client/client.ts'
import { addCompanies, addLinks } from '../companies.ts'
import { at, instant, isEqual, isIn, type ListSampler } from './sampler.ts'

export const end_companies: ListSampler<EndCompany> = {
  add: (msp, numbers) =>
    addCompanies(
      msp,
      numbers.map((n) => ({
        id: `cmp_${n}`,
        name: `${at(['Ørsted', 'acme 100%', 'Acme', 'b_c'], n)} ${n % 5}`,
        status: at(['ACTIVE', 'INACTIVE', 'ACTIVE'] as const, n),
        in_scope: n % 2 === 0,
        workplace_tenant_id: n % 3 === 0 ? `workplace_${n}` : null,
        created_at: instant(n),
      })),
    ),
  rows: ({ database: { prisma }, tenant_id }) => prisma.endCompany.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.endCompany.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': [{ value: ({ name }) => name.toLowerCase() }, { value: ({ id }) => id }] },
  filters: {
    psa_company_id: isEqual('psa_company_id', ['psa_cmp_3', 'unknown']),
    status: isEqual('status', ['INACTIVE', ['ACTIVE', 'INACTIVE']]),
    in_scope: isEqual('in_scope', [true, false]),
    workplace_mapped: {
      values: [true, false],
      meets: (row, value: boolean) => (row.workplace_tenant_id !== null) === value,
    },
    search: isIn(({ name }) => [name], ['øR', '100%', '_']),
  },
}

const isReviewed = ({ link_state, confidence }: CompanyLink): boolean =>
  link_state === 'AUTO' && confidence < 0.95

export const company_links: ListSampler<CompanyLink> = {
  required: { system: 'HUDU' },
  async add(msp, numbers) {
    const known = await msp.database.prisma.endCompany.count({ where: { tenant_id: msp.tenant_id } })
    if (known === 0) await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    await addLinks(
      msp,
      numbers.map((n) => ({
        external_id: `ext_${n}`,
        external_name: at(['Contoso', 'ÉCOLE 100%', null, 'contoso_b'], n),
        psa_company_id: at(['psa_a', null, 'psa_b', null, 'psa_a'], n),
        ...(at([true, false, true, false, true], n) && {
          link_state: at(['AUTO', 'MANUAL', 'AUTO'] as const, n),
          confidence: at([0.5, 1, 0.99], n),
        }),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.companyLink.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, external_id) {
    await prisma.companyLink.deleteMany({ where: { tenant_id, external_id } })
  },
  id: 'external_id',
  items: ({ links }) => links as Record<string, unknown>[],
  orders: {
    '': [
      { value: ({ psa_company_id }) => psa_company_id !== null },
      { value: ({ external_name, external_id }) => (external_name ?? external_id).toLowerCase() },
      { value: ({ external_id }) => external_id },
    ],
  },
  filters: {
    system: isEqual('system', ['HUDU', 'IT_GLUE']),
    status: {
      values: ['all', 'mapped', 'unmapped', 'manual'],
      meets: ({ psa_company_id, link_state }, value: string) =>
        value === 'all' ||
        (value === 'manual' ? link_state === 'MANUAL' : (psa_company_id !== null) === (value === 'mapped')),
    },
    psa_company_id: isEqual('psa_company_id', ['psa_a', 'unknown']),
    needs_review: {
      values: [true, false],
      meets: (row, value: boolean) => isReviewed(row) === value,
    },
    search: isIn(({ external_name }) => [external_name], ['CONT', 'éc', '%', '_']),
  },
}

const { items: _of_links, filters, ...links } = company_links

export const unconfirmed_company_links: ListSampler<CompanyLink> = {
  ...links,
  required: { system: 'SHAREPOINT' },
  async add(msp, numbers) {
    await links.add(msp, numbers)
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id, link_state: { not: 'MANUAL' } } as const
    await prisma.companyLink.updateMany({ where, data: { system: 'SHAREPOINT' } })
  },
  lists: ({ hidden }) => hidden,
  filters: {
    system: isEqual('system', ['SHAREPOINT', 'IT_GLUE']),
    ...(filters.search && { search: filters.search }),
  },
}
