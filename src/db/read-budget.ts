/** The bytes that one call may read, so that what it asks for fills no memory before it is refused. */
import { ApiError } from '../errors/errors.ts'

/** Columns that an answer does not show, and spaces in JSON, are read too. */
const READ_PER_ANSWERED = 2

export class ReadBudget {
  /** The largest answer. */
  readonly max_bytes: number
  /** Bytes of rows so far. */
  read = 0
  /** The most times that one row may be in the answer. */
  repeats = 1

  constructor(max_bytes: number) {
    this.max_bytes = max_bytes
  }

  /** Counts a row; an error if there are too many. */
  spend(bytes: number): void {
    this.read += bytes
    if (this.read > this.max_bytes * READ_PER_ANSWERED) throw tooLarge(this.max_bytes)
  }
}

/** 422 for an answer that is larger than answers may be. */
export const tooLarge = (max_bytes: number, message?: string): ApiError =>
  new ApiError('response_too_large', { ...(message && { message }), details: { max_bytes } })
