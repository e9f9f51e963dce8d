/** The words of the page of a feedback link: for end users, without terms of the service. */
import type { ApiError, ErrorCode, FieldError } from '../../errors/errors.ts'
import type { EntryRow } from './entry.ts'
import { MAX_COMMENT } from './rules.ts'

export type Rating = NonNullable<EntryRow['rating']>

/** The ratings in the order in which they are offered, each with its word and what the page says to it. */
export const RATINGS: Readonly<Record<Rating, { label: string; reply: string }>> = {
  POSITIVE: { label: 'Good', reply: 'We are glad to hear it.' },
  NEUTRAL: { label: 'Okay', reply: 'Your answer helps us to do better next time.' },
  NEGATIVE: {
    label: 'Bad',
    reply: 'We are sorry that it did not go well. Your answer helps us to do better.',
  },
}

const NUMBER = new Intl.NumberFormat('en')

/** A count as people write it: `4,000`. */
export const count = (value: number): string => NUMBER.format(value)

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** The day, in UTC. */
export const dayOf = (instant: Date): string => DAY.format(instant)

/** The minute, in UTC: the page knows no time zone of its reader. */
export const momentOf = (instant: Date): string => `${DAY.format(instant)}, ${TIME.format(instant)} UTC`

const some = (number: number, unit: string): string => (number === 1 ? `1 ${unit}` : `${number} ${unit}s`)

/** A time to wait, rounded up. */
export function waitOf(seconds: number): string {
  if (seconds <= 10) return 'a few seconds'
  if (seconds < 60) return 'less than a minute'
  if (seconds <= 59 * 60) return some(Math.ceil(seconds / 60), 'minute')
  return some(Math.ceil(seconds / 3600), 'hour')
}

/** A page without a form. */
export interface Notice {
  title: string
  text: string
}

const BROKEN: Notice = {
  title: 'This link does not work',
  text: 'A part of it may be missing. Please open the link from your message again, or copy the whole of it.',
}

const NOT_TAKEN: Notice = {
  title: 'Your answer could not be read',
  text: 'Please open the link from your message again, and send your answer once more.',
}

const NOTICES: { readonly [Code in ErrorCode]?: Notice } = {
  invalid_signature: BROKEN,
  signature_expired: {
    title: 'This link has expired',
    text: 'It can no longer be used to give feedback. If you still want to tell us something, please reply to our message.',
  },
  feedback_not_found: {
    title: 'This link is no longer in use',
    text: 'Feedback is no longer asked for here, and you need not do anything.',
  },
  feedback_closed: {
    title: 'Your answer can no longer be changed',
    text: 'The time for changes is over. Thank you for your feedback.',
  },
  tenant_suspended: {
    title: 'Feedback cannot be given at the moment',
    text: 'We are sorry. Please try again another day.',
  },
  payload_too_large: {
    title: 'Your comment is too long',
    text: `A comment has at most ${count(MAX_COMMENT)} characters. Please go back, and make it shorter.`,
  },
}

/** The time to wait before the call is made again, in words. null: nobody knows. */
function waitAfter({ headers }: ApiError): string | null {
  const seconds = Number(headers['Retry-After'] ?? Number.NaN)
  return Number.isFinite(seconds) ? waitOf(seconds) : null
}

/** The words for an error. */
export function noticeOf(error: ApiError): Notice {
  const { code, status } = error
  const notice = NOTICES[code]
  if (notice) return notice
  const again = `Please try again in ${waitAfter(error) ?? 'a few minutes'}.`
  if (status === 429)
    return { title: 'Please wait a little', text: `There were many tries in a short time. ${again}` }
  if (status >= 500) return { title: 'Something went wrong', text: `The fault is ours, not yours. ${again}` }
  return status === 404 || status === 401 || status === 403 ? BROKEN : NOT_TAKEN
}

/** The messages beside the fields of the form. */
export interface Messages {
  rating?: string
  comment?: string
}

/** The messages for the fields that a 422 refuses. null: the fields of the form are none of its reasons. */
export function messagesOf(error: ApiError, comment: string): Messages | null {
  const problems = (error.details?.field_errors ?? []) as FieldError[]
  const of = (name: string) =>
    problems.find(({ field, location }) => location === 'body' && field.split(/[.[]/)[0] === name)
  const [rating, wrong] = [of('rating'), of('comment')]
  const messages: Messages = {
    ...(rating && { rating: 'Please choose one of the three answers.' }),
    ...(wrong && { comment: commentMessage(wrong, comment) }),
  }
  return rating || wrong ? messages : null
}

const commentMessage = ({ code }: FieldError, comment: string): string =>
  code === 'length'
    ? `Please make your comment shorter: it has ${count([...comment].length)} characters, and at most ${count(MAX_COMMENT)} fit.`
    : 'Your comment has characters that cannot be saved. Please write it again.'

/** The words for an answer that was not taken. An answer may have been stored before a failure: a new one replaces it. */
export function notTaken(error: ApiError): Notice {
  const { title, text } = noticeOf(error)
  return error.status < 500
    ? { title, text: `Your answer was not sent. ${text}` }
    : { title, text: `Your answer may not have arrived. ${text} A new answer replaces an earlier one.` }
}
