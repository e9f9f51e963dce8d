/** Company filters, and the field of the PSA that they are for, for the generated suites. */
import { clock } from '../app.ts'
import type { Msp } from '../world.ts'

export async function addCompanyFilters(
  { database: { prisma }, tenant_id, environment }: Msp,
  mark: string,
): Promise<void> {
  const tenancy = { tenant_id, environment }
  await prisma.psaCompanyOption.upsert({
    where: {
      tenant_id_environment_field_name_option_id: { ...tenancy, field_name: 'type', option_id: 1 },
    },
    create: { ...tenancy, field_name: 'type', option_id: 1, name: mark },
    update: { name: mark },
  })
  const filters = [{ field_name: 'type', selected_options: [{ id: 1, name: mark }] }]
  await prisma.companyFilters.upsert({
    where: { tenant_id_environment: tenancy },
    create: { ...tenancy, filters, updated_at: clock.now() },
    update: { filters },
  })
}
