/** What of a request Yoga would take otherwise than we do. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'

/** Only JSON is taken: no other type can be sent across sites without asking. */
export function checkMediaType(req: IncomingMessage): void {
  if (req.method !== 'POST') return
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  throw new ApiError('unsupported_media_type', { details: { supported: ['application/json'] } })
}

/** JSON is what is answered, also to a client that would rather have something else. */
export function settleAccept({ method, headers }: IncomingMessage, graphiql: boolean): void {
  const accept = headers.accept ?? ''
  const page = graphiql && method === 'GET' && accept.includes('text/html')
  if (!page && !JSON_TYPES.test(accept)) headers.accept = '*/*'
}

const JSON_TYPES = /\*\/\*|\bapplication\/(?:\*|json|graphql-response\+json)/i

/** 400 for a query string with variables or extensions that are no JSON. */
export function checkSearch({ method, url = '' }: IncomingMessage): void {
  if (method !== 'GET') return
  const search = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  for (const name of ['variables', 'extensions']) {
    try {
      JSON.parse(search.get(name) || 'null')
    } catch {
      const reason = `The parameter ${name} is not JSON.`
      throw new ApiError('bad_request', { message: reason, details: { reason } })
    }
  }
}
