/** The rules of technicians. */
import { bodyProblem, type FieldError } from '../../errors/errors.ts'
import { changedValues } from '../../lib/changed-values.ts'
import { distinctTexts } from '../../lib/distinct-texts.ts'
import { type Hours, positionIn } from '../../lib/weekly-hours.ts'
import { hoursOf, type Window } from './schedules/windows.ts'

type ProfileStatus = 'PENDING' | 'GENERATING' | 'READY' | 'STALE' | 'FAILED'

export interface Profile {
  name: string
  profile: string | null
  profile_status: ProfileStatus
  custom_instructions: string | null
  is_ready: boolean
  update_automatically: boolean
  skills: string[]
  deleted_at: Date | null
}

/** Agents may work with a technician who has a profile, and is not deleted. */
export const isReady = ({ profile_status, deleted_at }: Pick<Profile, 'profile_status' | 'deleted_at'>) =>
  deleted_at === null && (profile_status === 'READY' || profile_status === 'STALE')

export interface Patch {
  profile?: string | null | undefined
  custom_instructions?: string | null | undefined
  update_automatically?: boolean | null | undefined
  skills?: string[] | null | undefined
}

/** The technician with the patch. Empty texts clear. A skill that is there twice, in whatever letter case, counts once. */
export function patched(technician: Profile, patch: Patch): Profile {
  const cleared = (text: string | null | undefined) => (text === undefined ? undefined : text || null)
  const given = {
    profile: cleared(patch.profile),
    custom_instructions: cleared(patch.custom_instructions),
    update_automatically: patch.update_automatically ?? undefined,
    skills: patch.skills ? distinctTexts(patch.skills) : undefined,
  }
  const after = { ...technician, ...changedValues<Profile, typeof given>(technician, given) }
  // Contract silent: a text that a person writes is READY, whatever the status of the generated one was.
  if (after.profile !== technician.profile)
    after.profile_status = after.profile === null ? 'PENDING' : 'READY'
  return { ...after, is_ready: isReady(after) }
}

/** The columns of a technician that a deletion clears; the row stays. */
export const deletion = (now: Date) =>
  ({
    profile: null,
    profile_status: 'PENDING',
    custom_instructions: null,
    is_ready: false,
    update_automatically: false,
    deleted_at: now,
  }) as const satisfies Partial<Profile>

/** The columns of a deleted technician who is brought back, under the name that the PSA has now. */
export const restoration = ({ profile_status }: Pick<Profile, 'profile_status'>, name: string) => ({
  name,
  update_automatically: true,
  deleted_at: null,
  is_ready: isReady({ profile_status, deleted_at: null }),
})

/** The problems of ids that are no technicians of the tenant. */
export const unknownTechnicians = (
  field: string,
  ids: readonly number[],
  known: ReadonlySet<number>,
): FieldError[] =>
  ids.flatMap((id, index) =>
    known.has(id) ? [] : [bodyProblem(`${field}.${index}`, 'unknown', 'is not a technician of the tenant')],
  )

/** The technicians who come to a schedule or leave it, in the order of their ids. */
export const movedBetween = (before: readonly number[], after: readonly number[]): number[] =>
  [...new Set(before).symmetricDifference(new Set(after))].sort((one, other) => one - other)

/** The changed columns of a schedule, with the name of who changed them; none if nothing differs. */
export const edited = <Schedule extends { updated_by_user: string }, Content extends Partial<Schedule>>(
  schedule: Schedule,
  content: Content,
  updated_by_user: string,
): Partial<Content & { updated_by_user: string }> =>
  changedValues(schedule, content) ? { ...content, updated_by_user } : {}

interface BusinessHours {
  start_business_hours: number
  end_business_hours: number
  timezone: string | null
}

export interface WorkingHours {
  timezone: string
  hours: Hours[]
}

const WORKING_DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'] as const

const fullHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

// Contract silent: technicians on no schedule work in the tenant's business hours, Monday to Friday.
/** The tenant’s business hours, as working hours. */
export const businessHours = ({
  start_business_hours,
  end_business_hours,
  timezone,
}: BusinessHours): WorkingHours => {
  const [start_time, end_time] = [fullHour(start_business_hours), fullHour(end_business_hours)]
  return {
    timezone: timezone ?? 'UTC',
    hours: WORKING_DAYS.map((day) => hoursOf({ day, start_time, end_time })),
  }
}

/** The working hours of a schedule. */
export const scheduledHours = ({
  timezone,
  windows,
}: {
  timezone: string
  windows: readonly Window[]
}): WorkingHours => ({ timezone, hours: windows.map(hoursOf) })

export interface Availability {
  available: boolean
  until: Date | null
  next_available_at: Date | null
}

/** The availability in working hours at an instant; null for a technician who is never available. */
export function availabilityAt(working: WorkingHours | null, at: Date): Availability {
  if (!working) return { available: false, until: null, next_available_at: null }
  const { within, changes_at } = positionIn(working.hours, working.timezone, at)
  return {
    available: within,
    until: within ? changes_at : null,
    next_available_at: within ? null : changes_at,
  }
}

// Contract silent: time zones are not known for other years.
const YEARS = { first: 1970, last: 2199 }

/** The problem of an instant whose local time is not known. */
export const instantProblems = (at: Date): FieldError[] =>
  at.getUTCFullYear() >= YEARS.first && at.getUTCFullYear() <= YEARS.last
    ? []
    : [
        {
          field: 'at',
          location: 'query',
          code: 'range',
          message: `must be in the years ${YEARS.first} to ${YEARS.last}`,
        },
      ]
