/** Rows of billing and documentation storage, for the generated suites. */
import { clock } from '../app.ts'
import type { Msp } from '../world.ts'

interface Own {
  mark: string
  number: number
  id: string
}

export async function addBilling(
  { database: { prisma }, tenant_id, environment }: Msp,
  { mark, number, id }: Own,
): Promise<void> {
  const now = clock.now()
  const tenancy = { tenant_id, environment }
  await prisma.subscription.upsert({
    where: { tenant_id_environment: tenancy },
    create: { ...tenancy, plan_name: mark, first_period_start: now, updated_at: now },
    update: { plan_name: mark },
  })
  await prisma.billingAlerts.upsert({
    where: { tenant_id_environment: tenancy },
    create: { ...tenancy, thresholds_pct: [number], updated_at: now },
    update: { thresholds_pct: [number] },
  })
  await prisma.documentationFile.create({
    data: { ...tenancy, id: `doc_${id}`, name: mark, size_bytes: number, created_at: now },
  })
  await prisma.documentationAllowance.createMany({
    data: { ...tenancy, updated_at: now },
    skipDuplicates: true,
  })
}
