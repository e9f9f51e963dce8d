/** The company filters of the demo MSP: some companies in scope no longer fit them. */
import type { Seeding } from './seeding.ts'

const option = (id: number, name: string) => ({ id, name })

/** As they are stored: by field, and options by id. */
export const FILTERS = [
  { field_name: 'classification', selected_options: [option(11, 'Managed')] },
  { field_name: 'status', selected_options: [option(31, 'Active'), option(32, 'On hold')] },
  {
    field_name: 'territory',
    selected_options: [option(21, 'North'), option(22, 'Midlands'), option(23, 'South')],
  },
]

export async function seedCompanyFilters({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.companyFilters.create({
    data: { ...tenancy, filters: FILTERS, revision: 3, updated_at: ago(17) },
  })
}
