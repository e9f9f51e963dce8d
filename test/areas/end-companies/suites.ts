import type { EndCompany } from '../../../src/db/generated/client/client.ts'
import { addCompanies } from '../../setup/companies.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { ownedBy } from '../../setup/suites/owned.ts'
import { at, instant, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { directoryCompany, showConnected, syncCompanies } from '../../setup/syncs.ts'
import { installQueues } from '../agents/runnable.ts'

const end_companies: ListSampler<EndCompany> = {
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
  indexed: ['psa_company_id'],
  steady: 'its rows are the customers of one MSP',
}

export const SUITES: AreaSuites = {
  who_may: {
    end_companies: { scope: 'end_companies:read' },
    end_company: { scope: 'end_companies:read' },
    map_workplace_tenant: { scope: 'end_companies:write' },
    unmap_workplace_tenant: { scope: 'end_companies:write' },
  },
  examples: {
    reads: {
      end_companies: { workplace_mapped: true, page_size },
      end_company: { end_company_id: from('end_companies', 'id') },
    },
    writes: {
      map_workplace_tenant: {
        end_company_id: 'cmp_brightwater_dental_group',
        input: { workplace_tenant_id: '5b0f9d1e-2c34-4a7b-8e6d-1f2a3b4c5d6e' },
      },
      unmap_workplace_tenant: { end_company_id: 'cmp_anglia_crop_sciences' },
    },
  },
  async own_rows(msp, { id, mark }) {
    const end_company_id = `cmp_${id}`
    await msp.database.prisma.endCompany.create({
      data: { ...ownedBy(msp), id: end_company_id, psa_company_id: `psa_${id}`, name: mark },
    })
    return { end_company_id }
  },
  lists: { end_companies },
  events: {
    async 'end_company.created'({ msp, call }) {
      await installQueues()
      await showConnected(msp, 'halo-psa')
      await syncCompanies(msp, call, [directoryCompany('c1')], 'halo-psa')
    },
    async 'end_company.updated'({ msp, call }) {
      await installQueues()
      await showConnected(msp, 'halo-psa')
      await addCompanies(msp, [{ id: 'a' }])
      await syncCompanies(msp, call, [directoryCompany('psa_a', { name: 'Renamed' })], 'halo-psa')
    },
  },
  channel_writes: {
    map_workplace_tenant: 'runs at once',
    unmap_workplace_tenant: 'runs at once',
  },
  error_codes: {
    404: 'end_company_not_found',
    409: 'workplace_tenant_taken',
  },
  foreign_tables: {
    company_link: 'each company of the list has the number of its links; the links import the companies',
  },
}
