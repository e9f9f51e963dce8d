/** How Autotask PSA refuses requests. Sources as in `api.ts`. */

/** `{errors: [text, …]}`, nearly always with 500, also of a request that asks for too much. [DA, GO] */
export const isRefusal = (status: number, body: unknown): boolean =>
  status === 500 &&
  typeof body === 'object' &&
  body !== null &&
  'errors' in body &&
  Array.isArray(body.errors) &&
  body.errors.length > 0
