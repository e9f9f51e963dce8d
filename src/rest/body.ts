/** Reads a body of JSON or NDJSON: 415, 413 and 400, in this order. */
import { ApiError, bodyProblem, type FieldError } from '../errors/errors.ts'
import type { Operation } from '../gateway/operation.ts'
import { unreadable } from '../http/body.ts'
import { parseJson } from '../http/json.ts'
import type { HttpRequest } from '../http/request.ts'
import { isObject } from '../lib/is-object.ts'

const JSON_BODY = 'application/json'
export const NDJSON_BODY = 'application/x-ndjson'

type Readable = Pick<Operation, 'ndjson'>

/** The media type of the body, which the operation reads. */
function typeOf({ headers }: HttpRequest, { ndjson }: Readable): string {
  const [text = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const readable = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  const supported = ndjson ? [JSON_BODY, NDJSON_BODY] : [JSON_BODY]
  const type = text.trim()
  if (supported.includes(type) && readable) return type
  throw new ApiError('unsupported_media_type', { details: { supported } })
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    const value = parseJson(bytes, 'The body')
    if (isObject(value)) return value
    throw unreadable('The body must be a JSON object.')
  } catch (error) {
    throw error instanceof ApiError
      ? withFieldErrors(error, [bodyProblem('body', UNREADABLE, error.message)])
      : error
  }
}

const UNREADABLE = 'json_unreadable'

/** The refusal as writers look for it: with the parts of the body that cannot be read. */
const withFieldErrors = ({ code, message }: ApiError, field_errors: FieldError[]): ApiError =>
  new ApiError(code, { message, details: { field_errors } })

const NEWLINE = 10
/** Space, tab, newline and carriage return. */
const WHITE_SPACE = new Set([32, 9, 10, 13])

/** The lines that are not empty, each of which stands for the item of its place. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at)
    const line = bytes.subarray(at, end === -1 ? bytes.length : end)
    if (line.some((byte) => !WHITE_SPACE.has(byte))) yield line
    at = end === -1 ? bytes.length : end + 1
  }
}

/** The most lines whose problems are named. */
const MAX_PROBLEMS = 100

function parseLines(bytes: Buffer, member: string): Record<string, unknown> {
  const items: unknown[] = []
  const problems: FieldError[] = []
  for (const line of linesOf(bytes)) {
    try {
      items.push(parseJson(line, 'The line'))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problems.push(bodyProblem(`${member}.${items.length}`, UNREADABLE, error.message))
      if (problems.length === MAX_PROBLEMS) break
      items.push(null)
    }
  }
  if (problems.length > 0) throw withFieldErrors(unreadable('Some lines of the body are not JSON.'), problems)
  return { [member]: items }
}

/** The object in the body; no body is an empty object. */
export async function readBody(request: HttpRequest, operation: Readable): Promise<Record<string, unknown>> {
  if (!request.has_body) return {}
  const type = typeOf(request, operation)
  const bytes = await request.body()
  if (operation.ndjson && type === NDJSON_BODY) return parseLines(bytes, operation.ndjson)
  return bytes.length === 0 ? {} : parseObject(bytes)
}
