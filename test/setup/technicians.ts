/** Technicians and schedules for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Place = Pick<Msp, 'database' | 'tenant_id' | 'environment'>

const common = ({ tenant_id, environment }: Place) => ({
  tenant_id,
  environment,
  created_at: clock.now(),
  updated_at: clock.now(),
})

/** Technicians, by default without a profile; their ids, in order. */
export async function addTechnicians(
  msp: Place,
  technicians: readonly Partial<Prisma.TechnicianProfileCreateManyInput>[],
): Promise<number[]> {
  const { prisma } = msp.database
  const rows = await prisma.technicianProfile.createManyAndReturn({
    data: technicians.map((technician, index) => ({
      ...common(msp),
      psa_id: index + 1,
      name: `Technician ${index}`,
      ...technician,
    })),
  })
  return rows.map(({ id }) => id)
}

/** Schedules, by default from 9 to 5 on Mondays in UTC; their ids, in order. */
export async function addSchedules(
  msp: Place,
  schedules: readonly Partial<Prisma.TechnicianScheduleCreateManyInput>[],
): Promise<number[]> {
  const { prisma } = msp.database
  const rows = await prisma.technicianSchedule.createManyAndReturn({
    data: schedules.map((schedule, index) => ({
      ...common(msp),
      name: `Schedule ${index}`,
      timezone: 'UTC',
      windows: [{ day: 'MONDAY', start_time: '09:00', end_time: '17:00' }],
      updated_by_user: 'Owner',
      ...schedule,
    })),
  })
  return rows.map(({ id }) => id)
}
