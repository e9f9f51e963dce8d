import fc from 'fast-check'
import type { CompanyLink } from '../../../src/db/generated/client/client.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { FOLDERS, SYSTEM } from '../../setup/samples.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { ownedBy } from '../../setup/suites/owned.ts'
import { at, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { some } from '../../setup/suites/sent-back.ts'
import { at_row, mostly } from '../../setup/suites/skewed.ts'
import { performSyncs } from '../../setup/syncs.ts'
import { installQueues } from '../agents/runnable.ts'

const isReviewed = ({ link_state, confidence }: CompanyLink): boolean =>
  link_state === 'AUTO' && confidence < 0.95

const company_links: ListSampler<CompanyLink> = {
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
  indexed: ['status', 'psa_company_id', 'needs_review'],
  grows: { psa_company_id: ['psa_7', '-'] },
}

const { items: _of_links, filters, indexed: _indexed, ...links } = company_links

const unconfirmed_company_links: ListSampler<CompanyLink> = {
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
  grows: {},
}

export const SUITES: AreaSuites = {
  who_may: {
    company_links: { scope: 'end_companies:read' },
    unconfirmed_company_links: { scope: 'end_companies:read' },
    company_link: { scope: 'end_companies:read' },
    map_company_link: { scope: 'end_companies:write' },
    confirm_company_links: { scope: 'end_companies:write' },
  },
  examples: {
    reads: {
      company_links: { system: 'NINJAONE', needs_review: true, page_size },
      unconfirmed_company_links: { system: 'SHAREPOINT', page_size },
      company_link: { system: 'NINJAONE', external_id: from('company_links', 'external_id') },
    },
    writes: {
      map_company_link: {
        input: {
          system: 'NINJAONE',
          external_id: from('company_links', 'external_id'),
          psa_company_id: '1041',
          is_primary: true,
        },
      },
      confirm_company_links: {
        input: { system: 'NINJAONE', external_ids: [from('company_links', 'external_id', 1)] },
      },
    },
  },
  async own_rows(msp, { id, mark, of }) {
    await of('end-companies')
    const external_id = `ext_${id}`
    await msp.database.prisma.companyLink.createMany({
      data: [SYSTEM, FOLDERS].map((system) => ({
        ...ownedBy(msp),
        system,
        external_id,
        external_name: mark,
        psa_company_id: `psa_${id}`,
        psa_company_name: mark,
        link_state: 'AUTO',
        match_method: 'DOMAIN',
        confidence: 0.8,
      })),
    })
    return { external_id }
  },
  not_walked: ['CompanyLink.previous_end_company'],
  lists: { company_links, unconfirmed_company_links },
  nested_lists: {
    'EndCompany.company_links': {
      list: 'company_links',
      parent: 'psa_company_id',
      parents: ['a', 'b'].map((id) => [`psa_${id}`, `end_company(end_company_id: "${id}")`]),
    },
  },
  skewed_rows: {
    company_link: {
      system: mostly(`'HUDU'`, `(array['HUDU', 'IT_GLUE'])[1 + ? % 2]`),
      external_id: `'ext_' || lpad(n::text, 7, '0')`,
      external_name: `'Company ' || lpad(n::text, 7, '0')`,
      psa_company_id: mostly(`'psa_' || n`, `(case ? % 2 when 0 then 'psa_7' end)`),
      link_state: mostly(
        `'AUTO'::link_state`,
        `(case ? % 2 when 0 then (case ? % 4 when 0 then 'MANUAL' else 'AUTO' end) else 'UNMAPPED' end)::link_state`,
      ),
      confidence: mostly('1', '0.5'),
      created_at: at_row,
      updated_at: at_row,
    },
  },
  events: {
    async 'company_link.needs_review'({ msp, call }) {
      await installQueues()
      await addCompanies(msp, [{ id: 'a', name: 'Penrose Consulting', domains: ['penrose.com'] }])
      const customers = [{ external_id: '1', name: 'Bluebell Web', domains: ['penrose.com'] }]
      await call('put_integration_customers', { name: 'hudu', input: { customers } })
      await performSyncs(msp)
    },
    async 'company_link.mapped'({ msp, call }) {
      await addCompanies(msp, [{ id: 'a' }])
      await addLinks(msp, [{ external_id: '1' }])
      const input = { system: 'HUDU', external_id: '1', psa_company_id: 'psa_a' }
      await call('map_company_link', { input })
    },
  },
  channel_writes: {
    map_company_link: 'runs at once',
    confirm_company_links: 'runs at once',
  },
  sent_back: {
    map_company_link: {
      read: 'company_link',
      args: ({ ids }) => ({ system: SYSTEM, external_id: ids.external_id }),
      // A link of a sync becomes one of a person with the company that it has.
      written_first: true,
      bodies: (_msp, { ids, psa_company_id }) => {
        const link = { system: SYSTEM, external_id: ids.external_id }
        return fc.oneof(
          fc.constant({ ...link, psa_company_id: null }),
          some({ is_primary: fc.boolean() }).map((flags) => ({ ...link, psa_company_id, ...flags })),
        )
      },
    },
  },
  error_codes: {
    404: 'company_link_not_found psa_company_not_found',
    409: 'company_link_unmapped',
  },
  foreign_tables: {
    end_company: 'a link keeps the name that the company has when it is made, by the same statement',
  },
}
