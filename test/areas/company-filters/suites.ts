import fc from 'fast-check'
import { clock } from '../../setup/app.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'

const choice = (field_name: string, names: Readonly<Record<number, string>>) => ({
  field_name,
  selected_options: Object.entries(names).map(([id, name]) => ({ id: Number(id), name })),
})

export const SUITES: AreaSuites = {
  who_may: {
    company_filters: { scope: 'settings:read' },
    company_filter_options: { scope: 'settings:read' },
    replace_company_filters: { scope: 'settings:write' },
    remove_unmatched_companies: { scope: 'settings:write', admins: true },
  },
  examples: {
    reads: {
      company_filters: {},
      company_filter_options: {},
    },
    writes: {
      replace_company_filters: {
        input: {
          filters: [
            choice('classification', { 11: 'Managed', 12: 'Break-fix' }),
            choice('status', { 31: 'Active' }),
          ],
        },
      },
      remove_unmatched_companies: { input: { psa_company_ids: ['1104'], expected_count: 1 } },
    },
  },
  async own_rows({ database: { prisma }, tenant_id, environment }, { mark }) {
    const tenancy = { tenant_id, environment }
    const option = { ...tenancy, field_name: 'type', option_id: 1 }
    await prisma.psaCompanyOption.upsert({
      where: { tenant_id_environment_field_name_option_id: option },
      create: { ...option, name: mark },
      update: { name: mark },
    })
    const filters = [{ field_name: 'type', selected_options: [{ id: 1, name: mark }] }]
    await prisma.companyFilters.upsert({
      where: { tenant_id_environment: tenancy },
      create: { ...tenancy, filters, updated_at: clock.now() },
      update: { filters },
    })
    return {}
  },
  not_walked: ['CompanyRemoval.end_companies', 'CompanyRemoval.filters'],
  events: {
    async 'company_filters.changed'({ msp: { database, tenant_id, environment }, call }) {
      const option = { tenant_id, environment, field_name: 'type', option_id: 1, name: 'Managed' }
      await database.prisma.psaCompanyOption.create({ data: option })
      const filters = [{ field_name: 'type', selected_options: [{ id: 1 }] }]
      await call('replace_company_filters', { input: { filters } })
    },
  },
  channel_writes: {
    replace_company_filters: 'runs at once',
    remove_unmatched_companies: 'runs at once',
  },
  sent_back: {
    replace_company_filters: {
      bodies: (_msp, { mark }) =>
        fc
          .subarray([{ field_name: 'type', selected_options: [{ id: 1, name: mark }] }])
          .map((filters) => ({ filters })),
    },
  },
  error_codes: {
    409: 'removable_changed company_in_use',
  },
  foreign_tables: {
    end_company: 'the scope of one company is one statement, at every event',
  },
}
