/** The technicians whom other areas tell of something. */
import { type DatabaseContext, db, scoped, sql } from '../../db/db.ts'
import { availabilityAt, scheduledHours } from './rules.ts'
import type { Window } from './schedules/windows.ts'

export interface ToldTechnician {
  id: number
  name: string
}

const NAMED = scoped(
  'technicians.named',
  `select p.id, p.name from technician_profile p
   where p.tenant_id = $1 and p.environment = $2 and p.id = any($3::int[]) and p.deleted_at is null order by p.id`,
)

/** The technicians among these who are not deleted. */
export const presentAmong = (ctx: DatabaseContext, ids: readonly number[]): Promise<ToldTechnician[]> =>
  sql<ToldTechnician>(ctx, NAMED, [ids])

/** The id that the technician has in the PSA; null: there is no such technician, or it is deleted. */
export async function psaIdOf(ctx: DatabaseContext, id: number): Promise<number | null> {
  const where = { id, deleted_at: null }
  const technician = await db(ctx).technicianProfile.findFirst({ where, select: { psa_id: true } })
  return technician?.psa_id ?? null
}

interface OnSchedule extends ToldTechnician {
  timezone: string
  windows: Window[]
}

const ON_SCHEDULES = scoped(
  'technicians.on_schedules',
  `select p.id, p.name, s.timezone, s.windows from technician_schedule s
   join technician_profile p on p.tenant_id = s.tenant_id and p.environment = s.environment and p.schedule_id = s.id
     and p.deleted_at is null
   where s.tenant_id = $1 and s.environment = $2 and s.id = any($3::int[]) order by p.id`,
)

/** The technicians on the schedules who are at work at the instant; all of them if none is. */
export async function onDuty(
  ctx: DatabaseContext,
  schedule_ids: readonly number[],
  at: Date,
): Promise<ToldTechnician[]> {
  const all = await sql<OnSchedule>(ctx, ON_SCHEDULES, [schedule_ids])
  const at_work = all.filter((technician) => availabilityAt(scheduledHours(technician), at).available)
  return (at_work.length > 0 ? at_work : all).map(({ id, name }) => ({ id, name }))
}

const SCHEDULES = scoped(
  'technicians.known_schedules',
  `select s.id from technician_schedule s where s.tenant_id = $1 and s.environment = $2 and s.id = any($3::int[])`,
)

/** The ids among these that are schedules of the tenant. */
export async function knownSchedules(ctx: DatabaseContext, ids: readonly number[]): Promise<Set<number>> {
  const known = await sql<{ id: number }>(ctx, SCHEDULES, [ids])
  return new Set(known.map(({ id }) => id))
}
