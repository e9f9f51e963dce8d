/** The rules of tenant settings. */
import { bodyProblem, type FieldError } from '../../errors.ts'
import { isZoneName, suggestions } from '../../lib/timezone.ts'

export interface Patch {
  start_business_hours?: number
  end_business_hours?: number
  human_friendly_client_name?: string
  sleep_before_callback_processing_seconds?: number
  timezone?: string | null
}

/** Settings that nobody has chosen: the model's defaults. */
export const DEFAULTS = {
  start_business_hours: 8,
  end_business_hours: 18,
  sleep_before_callback_processing_seconds: 30,
} as const satisfies Patch

/** Business hours end after they start, the stored row and the patch taken together. */
export function businessHoursProblems(
  stored: Required<Pick<Patch, 'start_business_hours' | 'end_business_hours'>>,
  patch: Patch,
): FieldError[] {
  const start = patch.start_business_hours ?? stored.start_business_hours
  const end = patch.end_business_hours ?? stored.end_business_hours
  if (start < end) return []
  const message = `business hours would be ${start} to ${end}`
  return (['start_business_hours', 'end_business_hours'] as const)
    .filter((field) => patch[field] !== undefined)
    .map((field) => bodyProblem(field, 'business_hours_order', message))
}

/** True where the zone may be stored: null clears it, and the stored one is always accepted. */
export const isAcceptedZone = (zone: string | null, stored: string | null): boolean =>
  zone === null || zone === stored || isZoneName(zone)

const ZONE_CHARACTERS = 64

/** The details of a zone that is refused: its first 64 characters, and the zones that may have been meant. */
export function zoneDetails(zone: string): { timezone: string; suggestions: string[] } {
  // A character is two code units at most.
  const timezone = [...zone.slice(0, 2 * ZONE_CHARACTERS)].slice(0, ZONE_CHARACTERS).join('')
  return { timezone, suggestions: suggestions(timezone) }
}
