/** Other forms of an operation's answer over REST, such as a page for browsers. */
import type { Viewer } from '../access/viewer.ts'
import type { DatabaseContext } from '../db/db.ts'
import type { ApiError } from '../errors/errors.ts'

/** The call that is answered. */
export interface RepresentedCall {
  method: string
  query: URLSearchParams
  now: Date
  /** The body as it was sent. null: none was read. */
  body: Readonly<Record<string, unknown>> | null
  /** Reads for the viewer. null: the call was refused before it had one. */
  reader: (DatabaseContext & { viewer: Viewer | null }) | null
}

/** Another form of the answer over REST. */
export interface Representation {
  media_type: string
  description: string
  /** The headers of answers in this form, beyond those of every answer. */
  headers?: Readonly<Record<string, string>>
  /** The address, relative to that of a call by another method, at which a GET has the page. */
  pageFor?(query: URLSearchParams): string
  /** The answer in this form, of `data` in the envelope. */
  of(data: unknown, call: RepresentedCall): string
  /** The answer to a call that failed. Without it, errors are JSON for everybody. */
  ofError?(error: ApiError, call: RepresentedCall): Promise<string>
}
