import { clock } from '../app.ts'
import type { Msp } from '../world.ts'

type Place = Pick<Msp, 'database' | 'tenant_id' | 'environment'>

/** A technician and a schedule with this id, the one on the other, with the mark in their texts. */
export async function addTechnician(
  { database: { prisma }, tenant_id, environment }: Place,
  { id, mark }: { id: number; mark: string },
): Promise<void> {
  const at = { created_at: clock.now(), updated_at: clock.now() }
  const owned = { tenant_id, environment, id, name: mark, ...at }
  // A zone that the runtime does not know is answered as it is, and read as UTC.
  await prisma.technicianSchedule.create({
    data: { ...owned, timezone: mark, windows: [], updated_by_user: mark },
  })
  await prisma.technicianProfile.create({ data: { ...owned, psa_id: id, profile: mark, schedule_id: id } })
}
