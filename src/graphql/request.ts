/** Checks of requests that are stricter or more lenient than Yoga's own. */
import { ApiError } from '../errors/errors.ts'
import { parseJson } from '../http/json.ts'
import type { HttpRequest } from '../http/request.ts'
import { isObject } from '../lib/is-object.ts'

/** A document and its variables. */
interface Params {
  query: string
  operationName: string | null
  variables: Record<string, unknown>
}

/** Accepts only JSON: browsers send it to another site only after a preflight, which prevents CSRF. */
export function checkMediaType({ method, headers }: HttpRequest): void {
  if (method !== 'POST') return
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  throw new ApiError('unsupported_media_type', { details: { supported: ['application/json'] } })
}

/** True for the request of a browser for GraphiQL. */
export const asksForPage = ({ method, accepts_html }: HttpRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && accepts_html

/** Lets Yoga answer in JSON even if the client asks for another type. */
export function acceptJson({ headers }: HttpRequest): void {
  if (!JSON_TYPES.test(headers.accept ?? '')) headers.accept = '*/*'
}

/** True if the client takes a stream, if perhaps something else too. */
export const acceptsStream = ({ headers }: HttpRequest): boolean =>
  /\btext\/event-stream\b/i.test(headers.accept ?? '')

/** The JSON type of the answer, as Yoga chooses it: the first in `Accept` that is one of ours; null if none is. */
export function answerType({ headers }: HttpRequest): string | null {
  const { accept = '*/*' } = headers
  if (accept === '*/*') return JSON_ANSWER
  for (const range of accept.toLowerCase().replace(/\s/g, '').split(',')) {
    const [type = '', ...parameters] = range.split(';')
    const charset = parameters.find((parameter) => parameter.includes('charset='))
    if (charset !== undefined && charset !== 'charset=utf-8') continue
    if (type === GRAPHQL_ANSWER) return GRAPHQL_ANSWER
    if (type === JSON_ANSWER || type === '*/*' || type === 'application/*') return JSON_ANSWER
  }
  return null
}

export const JSON_ANSWER = 'application/json'
export const GRAPHQL_ANSWER = 'application/graphql-response+json'
const JSON_TYPES = /\*\/\*|\bapplication\/(?:\*|json|graphql-response\+json)/i

/** 400 for a query string with variables or extensions that cannot be read. */
export function checkQueryString(request: HttpRequest): void {
  if (request.method !== 'GET') return
  for (const name of ['variables', 'extensions']) {
    parseJson(request.query.get(name) || 'null', `The parameter ${name}`)
  }
}

/** Members of a body that clients send beside those of the specification, and that change nothing. */
export const IGNORED_PARAMS = ['id']

/** The parameters in a body, or null if it holds something else than a document and its variables. */
export function paramsIn(body: unknown): Params | null {
  if (!isObject(body)) return null
  const { query, variables, operationName, extensions, ...others } = body
  const isUnknown = (name: string): boolean => others[name] != null && !IGNORED_PARAMS.includes(name)
  if (typeof query !== 'string' || Object.keys(others).some(isUnknown)) return null
  if (extensions != null && !isObject(extensions)) return null
  if (variables != null && !isObject(variables)) return null
  if (operationName != null && typeof operationName !== 'string') return null
  return { query, variables: variables ?? {}, operationName: operationName || null }
}

/** The parameters in a query string, which has been checked; null if it has no document. */
export function paramsInQuery({ query: given }: HttpRequest): Params | null {
  return paramsIn({
    query: given.get('query') ?? undefined,
    operationName: given.get('operationName') || null,
    variables: parseJson(given.get('variables') || 'null', 'The parameter variables'),
  })
}
