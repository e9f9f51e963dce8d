/** The technicians among whom dispatch chooses, with their working hours. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { SETTINGS } from '../settings/index.ts'
import { availabilityAt, businessHours, scheduledHours } from './rules.ts'
import type { Window } from './schedules/windows.ts'

interface Stored {
  technician_id: number
  psa_id: number
  name: string
  skills: string[]
  is_ready: boolean
  timezone: string | null
  windows: Window[] | null
}

export interface Worker extends Omit<Stored, 'timezone' | 'windows'> {
  available_now: boolean
  /** null: the technician is at work, or never is. */
  next_available_at: Date | null
}

const WORKERS = scoped(
  'technicians.workers',
  `select p.id as technician_id, p.psa_id, p.name, p.skills, p.is_ready, s.timezone, s.windows
   from technician_profile p left join technician_schedule s
     on s.tenant_id = p.tenant_id and s.environment = p.environment and s.id = p.schedule_id
   where p.tenant_id = $1 and p.environment = $2 and p.deleted_at is null
     and ($3::int[] is null or p.id = any($3)) order by p.id`,
)

/** The technicians among these ids, or all if it is null, who are not deleted, by id, with their availability at the instant. */
export async function workersAmong(
  ctx: DatabaseContext,
  ids: readonly number[] | null,
  at: Date,
): Promise<Worker[]> {
  const [stored, settings] = [await sql<Stored>(ctx, WORKERS, [ids]), await SETTINGS.read(ctx)]
  const usual = availabilityAt(businessHours(settings), at)
  // Many technicians are on the same few schedules.
  const known = new Map<string, typeof usual>()
  const availabilityOf = ({ timezone, windows }: Stored) => {
    if (timezone === null || windows === null) return usual
    const key = JSON.stringify([timezone, windows])
    const availability = known.get(key) ?? availabilityAt(scheduledHours({ timezone, windows }), at)
    known.set(key, availability)
    return availability
  }
  return stored.map(({ timezone, windows, ...worker }) => {
    const { available, next_available_at } = availabilityOf({ timezone, windows, ...worker })
    return { ...worker, available_now: available, next_available_at }
  })
}

const PSA_IDS = scoped(
  'technicians.psa_ids',
  `select p.id, p.psa_id from technician_profile p
   where p.tenant_id = $1 and p.environment = $2 and p.deleted_at is null
     and ($3::int[] is null or p.id = any($3)) order by p.id`,
)

/** The ids in the PSA of the technicians among these ids, or of all if it is null, who are not deleted, by id. */
export async function psaIdsAmong(
  ctx: DatabaseContext,
  ids: readonly number[] | null,
): Promise<Map<number, number>> {
  const rows = await sql<{ id: number; psa_id: number }>(ctx, PSA_IDS, [ids])
  return new Map(rows.map(({ id, psa_id }) => [id, psa_id]))
}
