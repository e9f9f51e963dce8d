/** How Autotask PSA refuses requests. Sources as in `api.ts`. */
import { VendorFailure } from '../http/failure.ts'

/** `{errors: [text, …]}`, nearly always with 500, also of a request that asks for too much. [DA, GO] */
export const isRefusal = (status: number, body: unknown): boolean =>
  status === 500 &&
  typeof body === 'object' &&
  body !== null &&
  'errors' in body &&
  Array.isArray(body.errors) &&
  body.errors.length > 0

/** The PSA refused the request. The body says what is wrong, and may name what was asked for: it is not told. */
export class RefusedRequest extends VendorFailure {
  constructor(status: number) {
    super(`AUTOTASK_PSA refused the request (${status})`, { is_ended: true, is_refusal: true })
  }
}
