/** The rules of tenant settings. */
import { bodyProblem, type FieldError } from '../../errors/errors.ts'

export interface Patch {
  start_business_hours?: number
  end_business_hours?: number
  human_friendly_client_name?: string
  sleep_before_callback_processing_seconds?: number
  timezone?: string | null
}

/** The places in which a tenant’s data may be kept. */
export const DATA_RESIDENCIES = ['US', 'EU', 'UK', 'CA', 'AU'] as const

/** Settings that no user has chosen: the model's defaults. */
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
