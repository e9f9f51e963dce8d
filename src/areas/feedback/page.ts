/** The page of a feedback link: plain HTML, without a script. */
import { escapeHtml } from '../../lib/html.ts'
import type { EntryRow } from './entry.ts'
import {
  count,
  dayOf,
  type Messages,
  momentOf,
  type Notice,
  RATINGS,
  type Rating,
  waitOf,
} from './page-words.ts'
import { MAX_COMMENT } from './rules.ts'

/** The form of a link, as the page shows it. */
export interface ShownForm extends Pick<EntryRow, 'status' | 'rating' | 'ticket_title'> {
  tenant_name: string
  ticket_reference: string | null
  agent_name: string | null
  expires_at: Date
  closes_at: Date | null
}

/** The addresses of the link, relative to each other. */
export interface Addresses {
  form: string
  submit: string
}

/** The answer in the form as it is shown: given before, or sent and refused. */
export interface Draft {
  rating: Rating | null
  comment: string
  messages: Messages
  /** The reason why the answer was not taken, which is in none of its fields. */
  notice: Notice | null
}

const NO_DRAFT: Draft = { rating: null, comment: '', messages: {}, notice: null }

const QUESTION = 'How did we do?'

/** The first character of the name, as people count characters. */
function initialOf(name: string): string {
  const [first] = new Intl.Segmenter('en').segment(name.trim())
  return first?.segment ?? ''
}

const bannerOf = (tenant_name: string): string => `
<header>
<span class="initial" aria-hidden="true">${escapeHtml(initialOf(tenant_name))}</span>
<p><bdi>${escapeHtml(tenant_name)}</bdi></p>
</header>`

/** A page; `title` comes first in its title, before the tenant whose page it is. */
function pageOf(title: string, tenant_name: string | null, main: string): string {
  const whole = tenant_name === null ? title : `${title} – ${tenant_name}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(whole)}</title>
<link rel="stylesheet" href="../../feedback.css">
</head>
<body>
<div class="card">${tenant_name === null ? '' : bannerOf(tenant_name)}
<main>
${main}
</main>
</div>
</body>
</html>
`
}

const MOUTHS: Readonly<Record<Rating, string>> = {
  POSITIVE: 'M15 28.5c2 4.4 5.2 6.5 9 6.5s7-2.1 9-6.5',
  NEUTRAL: 'M16 31.5h16',
  NEGATIVE: 'M15 35c2-4.4 5.2-6.5 9-6.5s7 2.1 9 6.5',
}

const faceOf = (rating: Rating): string =>
  '<svg class="face" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true" focusable="false">' +
  '<circle class="skin" cx="24" cy="24" r="21.5"/><circle class="eye" cx="17" cy="19.5" r="2.75"/>' +
  `<circle class="eye" cx="31" cy="19.5" r="2.75"/><path class="mouth" d="${MOUTHS[rating]}"/></svg>`

const toneOf = (rating: Rating): string => rating.toLowerCase()

const messageOf = (id: string, text: string | undefined): string =>
  text === undefined
    ? ''
    : `\n<p class="message" id="${id}" role="alert"><strong>Error:</strong> ${escapeHtml(text)}</p>`

/** The ids that describe a field, as an attribute. */
function describedBy(...ids: (string | false)[]): string {
  const present = ids.filter((id) => id !== false)
  return present.length === 0 ? '' : ` aria-describedby="${present.join(' ')}"`
}

/** The request that the feedback is about; '' if nothing is known of it. */
function aboutOf({ ticket_title, ticket_reference, agent_name }: ShownForm): string {
  const named = ticket_title ?? ticket_reference
  const facts = [
    ...(ticket_title !== null && ticket_reference !== null ? [escapeHtml(ticket_reference)] : []),
    ...(agent_name === null ? [] : [`handled by <bdi>${escapeHtml(agent_name)}</bdi>`]),
  ]
  if (named === null && facts.length === 0) return ''
  const title = named === null ? '' : `\n<strong dir="auto">${escapeHtml(named)}</strong>`
  const more = facts.length === 0 ? '' : `\n<span>${facts.join(' · ')}</span>`
  return `<p class="about" id="about"><span>Your request</span>${title}${more}</p>`
}

/** The end of the time in which the answer can be changed. */
function untilOf(closes_at: Date, now: Date): string {
  const left = waitOf((closes_at.getTime() - now.getTime()) / 1000)
  const time = `<time datetime="${closes_at.toISOString()}">${momentOf(closes_at)}</time>`
  return `for another ${left}, until ${time}`
}

/** The reason why the answer was not taken, above the form. */
const noticeBox = ({ title, text }: Notice): string =>
  `<p class="notice failed" role="alert"><strong>${escapeHtml(title)}.</strong> ${escapeHtml(text)}</p>\n`

function choiceOf(rating: Rating, { rating: chosen, messages }: Draft, is_first: boolean): string {
  const attributes = [
    ...(rating === chosen ? ['checked'] : []),
    ...(is_first && messages.rating !== undefined ? ['autofocus'] : []),
  ]
  return (
    `<label class="choice ${toneOf(rating)}">` +
    `<input type="radio" name="rating" value="${rating}" required${attributes.map((name) => ` ${name}`).join('')}>` +
    `<span class="tile">${faceOf(rating)}<span>${RATINGS[rating].label}</span></span></label>`
  )
}

/** The fields of the form. The line feed after the start of a text area is none of its text. */
function fieldsOf(draft: Draft, about: string): string {
  const { comment, messages } = draft
  const ratings = Object.keys(RATINGS) as Rating[]
  const choices = ratings.map((rating, index) => choiceOf(rating, draft, index === 0))
  const is_wrong = messages.rating !== undefined
  const is_too_long = messages.comment !== undefined
  const described = describedBy(about !== '' && 'about', is_wrong && 'rating-message')
  return `<fieldset role="radiogroup" aria-labelledby="question" aria-required="true"${described}${is_wrong ? ' aria-invalid="true"' : ''}>
<legend><h1 id="question">${QUESTION}</h1></legend>
${about}${messageOf('rating-message', messages.rating)}
<div class="choices">
${choices.join('\n')}
</div>
</fieldset>
<div class="field">
<label for="comment">Would you like to add anything?</label>
<p class="hint" id="comment-hint">Optional. Up to ${count(MAX_COMMENT)} characters.</p>${messageOf('comment-message', messages.comment)}
<textarea id="comment" name="comment" rows="5" maxlength="${MAX_COMMENT}" dir="auto" autocomplete="off"${describedBy('comment-hint', is_too_long && 'comment-message')}${is_too_long ? ' aria-invalid="true"' : ''}${is_too_long && !is_wrong ? ' autofocus' : ''}>
${escapeHtml(comment)}</textarea>
</div>`
}

/** The instant until which the answer can be replaced. null: it cannot, or nobody has answered. */
export const openUntil = ({ closes_at }: Pick<ShownForm, 'closes_at'>, now: Date): Date | null =>
  closes_at !== null && closes_at > now ? closes_at : null

/** The earlier answer, which another one replaces. */
function earlierOf(form: ShownForm | null, now: Date): string {
  if (form === null) return ''
  const { rating } = form
  const open = openUntil(form, now)
  if (rating === null || open === null) return ''
  return `<p class="notice">You answered “${RATINGS[rating].label}”. You can change your answer ${untilOf(open, now)}. A new answer replaces the earlier one and its comment.</p>\n`
}

/** The form. `form` is null if its words cannot be read. */
export function formPage(
  form: ShownForm | null,
  { submit }: Addresses,
  now: Date,
  draft: Draft = { ...NO_DRAFT, rating: form?.rating ?? null },
): string {
  const { messages, notice } = draft
  const is_refused = messages.rating !== undefined || messages.comment !== undefined || notice !== null
  const is_answered = form !== null && form.rating !== null
  const heading = is_answered ? `Change your answer: ${QUESTION}` : QUESTION
  const end =
    form === null || is_answered ? '' : `<p class="end">This link works until ${dayOf(form.expires_at)}.</p>`
  return pageOf(
    is_refused ? `Error: ${heading}` : heading,
    form?.tenant_name ?? null,
    `${notice === null ? earlierOf(form, now) : noticeBox(notice)}<form method="post" action="${escapeHtml(submit)}" novalidate>
${fieldsOf(draft, form === null ? '' : aboutOf(form))}
<button type="submit">${is_answered ? 'Send new answer' : 'Send feedback'}</button>
</form>
${end}`,
  )
}

/** The page after an answer, and that of an answer which can no longer be changed. */
export function thanksPage(form: ShownForm, { form: address }: Addresses, now: Date): string {
  const { rating, tenant_name } = form
  const open = openUntil(form, now)
  const given =
    rating === null
      ? ''
      : `<p class="given ${toneOf(rating)}">${faceOf(rating)}<span>Your answer: <strong>${RATINGS[rating].label}</strong></span></p>
<p>${RATINGS[rating].reply}</p>
`
  const after =
    open !== null
      ? `<p class="quiet">You can close this page, or change your answer ${untilOf(open, now)}.</p>
<p><a class="button" href="${escapeHtml(address)}">Change your answer</a></p>`
      : '<p class="quiet">Your answer can no longer be changed. You can close this page.</p>'
  return pageOf(
    'Thank you for your feedback',
    tenant_name,
    `<div class="done">
<h1>Thank you for your feedback</h1>
${given}${after}
</div>`,
  )
}

/** A page that says why there is no form. `again` is the address to try again at. */
export const noticePage = (
  { title, text }: Notice,
  tenant_name: string | null,
  again: string | null,
): string =>
  pageOf(
    title,
    tenant_name,
    `<div class="done plain">
${faceOf('NEUTRAL')}
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>${again === null ? '' : `\n<p><a class="button" href="${escapeHtml(again)}">Try again</a></p>`}
</div>`,
  )
