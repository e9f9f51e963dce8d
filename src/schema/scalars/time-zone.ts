/** Time zones that callers set. */
import { ApiError } from '../../errors/errors.ts'
import { isAcceptedZone, zoneDetails } from '../../lib/timezone.ts'

/** 400 for a zone that the service does not support, unless it is the stored one. */
export function checkZone(timezone: string, stored: string | null): void {
  if (isAcceptedZone(timezone, stored)) return
  throw new ApiError('invalid_timezone', {
    message: 'timezone: must be the name of an IANA time zone, in its own letter case',
    details: zoneDetails(timezone),
  })
}
