/** Reads a body of JSON, NDJSON or a form: 415, 413 and 400, in this order. */
import { ApiError, bodyProblem, type FieldError, invalid } from '../errors/errors.ts'
import type { NdjsonList, Operation } from '../gateway/operation.ts'
import { unreadable } from '../http/body.ts'
import { parseJson, readJson } from '../http/json.ts'
import type { HttpRequest } from '../http/request.ts'
import { isObject } from '../lib/is-object.ts'
import { createYield } from '../lib/yielding.ts'

const JSON_BODY = 'application/json'
export const NDJSON_BODY = 'application/x-ndjson'
export const FORM_BODY = 'application/x-www-form-urlencoded'

type Readable = Pick<Operation, 'ndjson' | 'takes_form'>

/** The media type of the body, which the operation reads. */
function typeOf({ headers }: HttpRequest, { ndjson, takes_form }: Readable): string {
  const [text = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const readable = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  const supported = [JSON_BODY, ...(ndjson ? [NDJSON_BODY] : []), ...(takes_form ? [FORM_BODY] : [])]
  const type = text.trim()
  if (supported.includes(type) && readable) return type
  throw new ApiError('unsupported_media_type', { details: { supported } })
}

/** No bytes are an empty object. */
async function readObject(request: HttpRequest): Promise<Record<string, unknown>> {
  try {
    const { value } = await readJson(request, {})
    if (isObject(value)) return value
    throw unreadable('The body must be a JSON object.')
  } catch (error) {
    throw error instanceof ApiError && error.code === 'bad_request'
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
const isSpace = (byte: number | undefined): boolean =>
  byte === 32 || byte === 9 || byte === NEWLINE || byte === 13

/** The lines that are not empty, each of which stands for the item of its place. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; ; ) {
    while (isSpace(bytes[at])) at++
    if (at === bytes.length) return
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline === -1 ? bytes.length : newline
    yield bytes.subarray(at, end)
    at = end
  }
}

/** The most lines whose problems are named. */
const MAX_PROBLEMS = 100

/** The items of the lines. A body without any is no list: an empty list comes as JSON. */
async function parseLines(
  bytes: Buffer,
  { member, max_items }: NdjsonList,
): Promise<Record<string, unknown>> {
  const lines = [...linesOf(bytes).take(max_items + 1)]
  if (lines.length === 0) return {}
  if (lines.length > max_items)
    throw invalid([bodyProblem(member, 'length', `must have 1 to ${max_items} lines`)])
  const items: unknown[] = []
  const problems: FieldError[] = []
  const yielded = createYield()
  for (const line of lines) {
    await yielded()
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

/** The most members of a form. */
const MAX_MEMBERS = 100

/** The members of a form. Browsers send CRLF for a new line, and leave nothing out that is empty. */
function parseForm(bytes: Buffer): Record<string, unknown> {
  const text = bytes.toString()
  if (text.split('&', MAX_MEMBERS + 1).length > MAX_MEMBERS)
    throw unreadable(`The form has more than ${MAX_MEMBERS} members.`)
  const form = new URLSearchParams(text)
  const members = [...new Set(form.keys())].map((name) => {
    const values = form.getAll(name).map((value) => value.replaceAll('\r\n', '\n'))
    return [name, values.length === 1 ? values[0] : values] as const
  })
  return Object.fromEntries(members.filter(([, value]) => value !== ''))
}

/** The object in the body; no body is an empty object. */
export async function readBody(request: HttpRequest, operation: Readable): Promise<Record<string, unknown>> {
  if (!request.has_body) return {}
  const type = typeOf(request, operation)
  if (operation.ndjson && type === NDJSON_BODY)
    return await parseLines(await request.body(), operation.ndjson)
  if (type === FORM_BODY) return parseForm(await request.body())
  return await readObject(request)
}
