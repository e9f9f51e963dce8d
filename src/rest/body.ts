/** Reads a JSON body: 415, 413 and 400, in this order. */
import { ApiError, bodyProblem } from '../errors/errors.ts'
import { unreadable } from '../http/body.ts'
import { parseJson } from '../http/json.ts'
import type { HttpRequest } from '../http/request.ts'
import { isObject } from '../lib/is-object.ts'

function checkType({ headers }: HttpRequest): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const readable = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type.trim() === 'application/json' && readable) return
  throw new ApiError('unsupported_media_type', { details: { supported: ['application/json'] } })
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    const value = parseJson(bytes, 'The body')
    if (isObject(value)) return value
    throw unreadable('The body must be a JSON object.')
  } catch (error) {
    throw error instanceof ApiError ? withFieldError(error) : error
  }
}

/** The refusal as writers look for it: a body that cannot be read is a problem of the whole body. */
const withFieldError = ({ code, message }: ApiError): ApiError =>
  new ApiError(code, {
    message,
    details: { field_errors: [bodyProblem('body', 'json_unreadable', message)] },
  })

/** The object in the body; no body is an empty object. */
export async function readBody(request: HttpRequest): Promise<Record<string, unknown>> {
  if (!request.has_body) return {}
  checkType(request)
  const bytes = await request.body()
  return bytes.length === 0 ? {} : parseObject(bytes)
}
