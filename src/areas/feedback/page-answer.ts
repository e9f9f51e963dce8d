/** The answers of a feedback link as pages. */
import type { ApiError } from '../../errors/errors.ts'
import type { Representation, RepresentedCall } from '../../gateway/representation.ts'
import {
  type Addresses,
  type Draft,
  formPage,
  noticePage,
  openUntil,
  type ShownForm,
  thanksPage,
} from './page.ts'
import { messagesOf, noticeOf, notTaken, RATINGS, type Rating } from './page-words.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
}

/** The addresses below that of the link, which work behind the prefix of a proxy too. */
function addressesOf({ query }: Pick<RepresentedCall, 'query'>): Addresses {
  const signed = new URLSearchParams()
  for (const name of ['expires', 'signature']) signed.set(name, query.get(name) ?? '')
  return { form: `form?${signed}`, submit: `submit?${signed}` }
}

type Instant = Date | string
type Data = Omit<ShownForm, 'expires_at' | 'closes_at'> & { expires_at: Instant; closes_at: Instant | null }

/** The form of `data`, whose instants are texts once they were stored for an `Idempotency-Key`. */
function shownOf(data: unknown): ShownForm {
  const { expires_at, closes_at, ...form } = data as Data
  const dates = {
    expires_at: new Date(expires_at),
    closes_at: closes_at === null ? null : new Date(closes_at),
  }
  return { ...form, ...dates }
}

const isRating = (value: unknown): value is Rating => typeof value === 'string' && value in RATINGS

/** The text that was sent; the first one of several. */
function textOf(value: unknown): string {
  const [text] = [value].flat()
  return typeof text === 'string' ? text : ''
}

/** The answer that was sent and refused, to be shown again. null: trying it again would not help. */
function draftOf(error: ApiError, { method, body }: RepresentedCall): Draft | null {
  if (method !== 'POST' || body === null) return null
  const comment = textOf(body.comment)
  const rating = isRating(body.rating) ? body.rating : null
  const messages = error.status === 422 ? messagesOf(error, comment) : null
  if (messages) return { rating, comment, messages, notice: null }
  if (error.status !== 429 && error.status < 500) return null
  return { rating, comment, messages: {}, notice: notTaken(error) }
}

type Reader = NonNullable<RepresentedCall['reader']>

/** Reads the form of the link that the caller has. */
type ReadForm = (reader: Reader) => Promise<ShownForm>

/** The form; null if the caller has none, or if it cannot be read. */
async function readOrNull(read: ReadForm, { reader }: RepresentedCall, { status }: ApiError) {
  if (!reader?.viewer || status >= 500) return null
  return await read(reader).catch(() => null)
}

/** The page for browsers. `read` reads the words of the form again for a call that failed. */
export const feedbackPage = (read: ReadForm): Representation => ({
  media_type: 'text/html',
  description: 'A page for the end user, without a script.',
  headers: HEADERS,
  pageFor: (query) => addressesOf({ query }).form,
  of(data, call) {
    const { method, now } = call
    const form = shownOf(data)
    const is_closed = form.closes_at !== null && openUntil(form, now) === null
    const addresses = addressesOf(call)
    return method === 'POST' || is_closed ? thanksPage(form, addresses, now) : formPage(form, addresses, now)
  },
  async ofError(error, call) {
    const form = await readOrNull(read, call, error)
    const addresses = addressesOf(call)
    const draft = draftOf(error, call)
    if (draft) return formPage(form, addresses, call.now, draft)
    const again = error.status === 429 || error.status >= 500 ? addresses.form : null
    return noticePage(noticeOf(error), form?.tenant_name ?? null, again)
  },
})
