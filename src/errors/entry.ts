/** The shape of an error code, and texts that many of them have. */
import type { z } from 'zod'
import { UNKNOWN_ID } from './details.ts'

export interface ErrorEntry {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  /** The default message. */
  message: string
  /** Advice for the caller. */
  fix: string
  /** The same request may succeed later. */
  retryable?: true
  /** The members of its `details`, beyond `docs_url`. */
  details?: z.ZodObject
}

export type ErrorTable = Record<string, ErrorEntry>

export const WAIT = 'Wait for the seconds in the Retry-After header, then send the request again.'
export const CORRECT_FIELDS = 'Correct the fields named in details.field_errors.'

/** The 404 of an id: rows of others, and rows that the caller may not see, are answered alike. */
export const noSuch = (thing: string) =>
  ({
    status: 404,
    message: `There is no such ${thing}.`,
    fix: 'Use an id that a listing of this tenant and environment returned.',
    details: UNKNOWN_ID,
  }) as const satisfies ErrorEntry
