import { scope } from '../../../access/policies/policies.ts'
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import { found, invalid } from '../../../errors/errors.ts'
import { builder } from '../../../schema/builder.ts'
import { SETTINGS } from '../../settings/index.ts'
import { area } from '../area.ts'
import { TECHNICIAN } from '../queries.ts'
import {
  type Availability,
  availabilityAt,
  businessHours,
  instantProblems,
  scheduledHours,
  type WorkingHours,
} from '../rules.ts'
import type { Window } from './windows.ts'

interface AvailabilityOfTechnician extends Availability {
  technician_id: number
  at: Date
  timezone: string
  schedule_id: number | null
}

const TechnicianAvailability = builder
  .objectRef<AvailabilityOfTechnician>('TechnicianAvailability')
  .implement({
    description: 'The availability of a technician at an instant, by their working hours.',
    fields: (t) => ({
      technician_id: t.exposeInt('technician_id', { description: 'The technician.' }),
      at: t.expose('at', { type: 'DateTime', description: 'The instant that was asked about.' }),
      timezone: t.expose('timezone', { type: 'TimeZone', description: 'The zone of the working hours.' }),
      available: t.exposeBoolean('available', { description: 'True if the instant is in working hours.' }),
      until: t.expose('until', {
        type: 'DateTime',
        nullable: true,
        description: 'The end of these working hours. null: the technician is not available, or always is.',
      }),
      next_available_at: t.expose('next_available_at', {
        type: 'DateTime',
        nullable: true,
        description: 'The start of the next working hours. null: the technician is available, or never is.',
      }),
      schedule_id: t.exposeInt('schedule_id', {
        nullable: true,
        description:
          'The schedule. null: the technician is on none, and works in the tenant’s business hours.',
      }),
    }),
  })

interface Hours {
  id: number
  schedule_id: number | null
  deleted_at: Date | null
  timezone: string | null
  windows: Window[] | null
}

const READ = scoped(
  'technicians.hours',
  `select p.id, p.schedule_id, p.deleted_at, s.timezone, s.windows
   from technician_profile p left join technician_schedule s
     on s.tenant_id = p.tenant_id and s.environment = p.environment and s.id = p.schedule_id
   where p.tenant_id = $1 and p.environment = $2 and p.id = $3::int`,
)

/** The hours of the technician’s schedule, else the tenant’s business hours. */
async function workingHours(ctx: DatabaseContext, { timezone, windows }: Hours): Promise<WorkingHours> {
  return timezone !== null && windows !== null
    ? scheduledHours({ timezone, windows })
    : businessHours(await SETTINGS.read(ctx))
}

interface Found {
  technician: Hours
  working: WorkingHours
  availability: Availability
}

/** The availability of the technician at the instant; null if there is no such technician. */
export async function availabilityOf(
  ctx: DatabaseContext,
  id: number | null,
  at: Date,
): Promise<Found | null> {
  const [technician] = await sql<Hours>(ctx, READ, [id])
  if (!technician) return null
  const working = await workingHours(ctx, technician)
  // Contract silent: a deleted technician is never available.
  const availability = availabilityAt(technician.deleted_at === null ? working : null, at)
  return { technician, working, availability }
}

area.query('technician_availability', (t) =>
  t.field({
    type: TechnicianAvailability,
    description:
      'Tells whether a technician is available at an instant, and when that changes. It goes by what clocks in the ' +
      'zone show: hours that they skip are missing, and those that they show twice are there twice.',
    rest: { method: 'GET', path: '/technicians/{profile_id}/availability' },
    access: scope('technicians:read'),
    errors: ['technician_not_found'],
    args: {
      profile_id: t.arg(TECHNICIAN.key),
      at: t.arg({ type: 'DateTime', description: 'The instant. Now if it is left out.' }),
    },
    resolve: async (_root, { profile_id, at: asked }, ctx) => {
      const at = asked ?? ctx.now
      const problems = instantProblems(at)
      if (problems.length > 0) throw invalid(problems)
      const known = await availabilityOf(ctx, profile_id, at)
      const { technician, working, availability } = found(known, 'technician_not_found', profile_id)
      const { id: technician_id, schedule_id } = technician
      return { technician_id, at, timezone: working.timezone, schedule_id, ...availability }
    },
  }),
)
