import { clock } from '../../setup/app.ts'
import type { Msp } from '../../setup/world.ts'

export async function technicians(
  { database, tenant_id, environment }: Msp,
  count: number,
): Promise<number[]> {
  const at = clock.now()
  const rows = await database.prisma.technicianProfile.createManyAndReturn({
    data: Array.from({ length: count }, (_, psa_id) => ({
      tenant_id,
      environment,
      psa_id,
      created_at: at,
      updated_at: at,
      name: `Technician ${psa_id}`,
    })),
  })
  return rows.map(({ id }) => id)
}
