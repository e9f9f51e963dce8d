import { describe, expect, it } from 'vitest'
import {
  type Draft,
  formPage,
  noticePage,
  type ShownForm,
  thanksPage,
} from '../../../src/areas/feedback/page.ts'
import { feedbackPage } from '../../../src/areas/feedback/page-answer.ts'
import { messagesOf, noticeOf, waitOf } from '../../../src/areas/feedback/page-words.ts'
import { ApiError, ERRORS, invalid, unavailable } from '../../../src/errors/errors.ts'

const NOW = new Date('2026-11-28T12:00:00.000Z')
const HOUR_MS = 3_600_000
const later = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR_MS)

const FORM: ShownForm = {
  tenant_name: 'Alder IT',
  ticket_reference: 'T-1',
  ticket_title: 'No mail',
  agent_name: 'Helper',
  status: 'PENDING',
  rating: null,
  expires_at: later(336),
  closes_at: null,
}
const ANSWERED: ShownForm = { ...FORM, status: 'SUBMITTED', rating: 'NEUTRAL', closes_at: later(23.5) }
const ADDRESSES = { form: 'form?expires=1&signature=a', submit: 'submit?expires=1&signature=a' }
const DRAFT: Draft = { rating: 'NEGATIVE', comment: 'Slow.', messages: {}, notice: null }

const textOf = (html: string): string =>
  html
    .replace(/<style.*?<\/style>|<[^>]+>/gs, ' ')
    .replace(/\s+/g, ' ')
    .trim()
const titleOf = (html: string): string => /<title>(.*?)<\/title>/.exec(html)?.[1] ?? ''
const commentIn = (html: string): string => /<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(html)?.[1] ?? ''
const checkedIn = (html: string): string[] =>
  [...html.matchAll(/value="(\w+)" required checked/g)].map(([, value]) => value ?? '')

describe('the form', () => {
  it('names the tenant, the ticket and the agent, and asks by three faces and a comment', () => {
    const html = formPage(FORM, ADDRESSES, NOW)
    expect(titleOf(html)).toBe('How did we do? – Alder IT')
    expect(html).toContain('<html lang="en">')
    expect(textOf(html)).toContain('Your request No mail T-1 · handled by Helper')
    expect(html.match(/<input type="radio" name="rating" value="\w+" required>/g)).toHaveLength(3)
    expect(html).toContain('<legend><h1 id="question">How did we do?</h1></legend>')
    expect(html).toContain('maxlength="4000"')
    expect(html).toContain('method="post" action="submit?expires=1&amp;signature=a"')
    expect(textOf(html)).toContain('This link works until 12 December 2026.')
    expect(checkedIn(html)).toEqual([])
  })

  it.each([
    [{ ticket_title: null }, 'Your request T-1 handled by Helper'],
    [{ ticket_title: null, ticket_reference: null }, 'Your request handled by Helper'],
    [{ agent_name: null }, 'Your request No mail T-1 '],
    [{ agent_name: null, ticket_reference: null }, 'Your request No mail '],
  ])('leaves out what is not known: %j', (unknown, words) => {
    expect(textOf(formPage({ ...FORM, ...unknown }, ADDRESSES, NOW))).toContain(words)
  })

  it('says nothing of a request of which nothing is known', () => {
    const html = formPage(
      { ...FORM, ticket_title: null, ticket_reference: null, agent_name: null },
      ADDRESSES,
      NOW,
    )
    expect(html).not.toContain('Your request')
    expect(html).not.toContain('aria-describedby="about"')
  })

  it('has the earlier rating chosen while it can be changed, and says until when', () => {
    const html = formPage(ANSWERED, ADDRESSES, NOW)
    expect(titleOf(html)).toBe('Change your answer: How did we do? – Alder IT')
    expect(checkedIn(html)).toEqual(['NEUTRAL'])
    expect(textOf(html)).toContain(
      'You answered “Okay”. You can change your answer for another 24 hours, until 29 November 2026, 11:30 UTC .',
    )
    expect(html).toContain('<time datetime="2026-11-29T11:30:00.000Z">')
  })

  it('keeps the answer that was refused, with a message at the field that is wrong', () => {
    const messages = { rating: 'Please choose.', comment: 'Too long.' }
    const html = formPage(FORM, ADDRESSES, NOW, { ...DRAFT, rating: null, messages })
    expect(titleOf(html)).toBe('Error: How did we do? – Alder IT')
    expect(html).toContain('aria-describedby="about rating-message" aria-invalid="true"')
    expect(html).toContain('id="rating-message" role="alert"><strong>Error:</strong> Please choose.')
    expect(html).toContain('aria-describedby="comment-hint comment-message" aria-invalid="true"')
    expect(html.match(/ autofocus/g)).toHaveLength(1)
    expect(commentIn(html)).toBe('Slow.')
  })

  it.each([
    ['four thousand characters', 'x'.repeat(4000)],
    ['lines, the first of which is empty', '\n\nTwo\nthree'],
    ['any script, and emoji', 'Größe — 日本語 — مرحبا — 👩‍👩‍👧‍👦'],
  ])('keeps a comment of %s', (_what, comment) => {
    expect(commentIn(formPage(FORM, ADDRESSES, NOW, { ...DRAFT, comment }))).toBe(comment)
  })
})

const HOSTILE = `"><script>alert('x')</script></textarea><b onload=x>&amp;`

describe('text of others', () => {
  const form = { ...ANSWERED, tenant_name: HOSTILE, ticket_title: HOSTILE, ticket_reference: HOSTILE }
  const shown = { ...form, agent_name: HOSTILE }
  const addresses = { form: `form?${HOSTILE}`, submit: `submit?${HOSTILE}` }
  it.each([
    ['the form', formPage(shown, addresses, NOW, { ...DRAFT, comment: HOSTILE })],
    ['the thanks', thanksPage(shown, addresses, NOW)],
    ['a notice', noticePage({ title: HOSTILE, text: HOSTILE }, HOSTILE, addresses.form)],
  ])('is escaped in %s', (_what, html) => {
    const tags = new Set([...html.matchAll(/<(\w+)/g)].map(([, name]) => name))
    for (const name of ['script', 'b']) expect(tags).not.toContain(name)
    expect(html.match(/<\/textarea>/g) ?? []).toHaveLength(html.includes('<textarea') ? 1 : 0)
    expect(html).not.toContain("alert('x')")
    expect(html).toContain('&lt;script&gt;')
    expect(html).toContain('&amp;amp;')
  })

  it('stands alone where it is written from right to left', () => {
    const html = formPage({ ...FORM, tenant_name: 'شركة', agent_name: 'עוזר' }, ADDRESSES, NOW)
    expect(html).toContain('<bdi>شركة</bdi>')
    expect(html).toContain('<bdi>עוזר</bdi>')
    expect(html).toContain('aria-hidden="true">ش<')
  })
})

describe('the thanks', () => {
  it('name the rating, and lead back to the form while it is open', () => {
    const html = thanksPage({ ...ANSWERED, rating: 'NEGATIVE' }, ADDRESSES, NOW)
    expect(titleOf(html)).toBe('Thank you for your feedback – Alder IT')
    expect(textOf(html)).toContain('Your answer: Bad We are sorry')
    expect(html).toContain('href="form?expires=1&amp;signature=a">Change your answer</a>')
  })

  it('lead nowhere once the answer stays as it is', () => {
    const html = thanksPage({ ...ANSWERED, closes_at: NOW }, ADDRESSES, NOW)
    expect(textOf(html)).toContain('Your answer can no longer be changed.')
    expect(html).not.toContain('<a ')
  })
})

describe('a refusal', () => {
  const page = feedbackPage(async () => FORM)
  const viewer = { tenant_id: 't', environment: 'e' }
  const call = {
    method: 'GET',
    query: new URLSearchParams('expires=1&signature=a'),
    now: NOW,
    body: null,
    reader: null as never,
  }
  const posted = {
    ...call,
    method: 'POST',
    body: { rating: 'NEGATIVE', comment: 'Slow.' },
    reader: { viewer } as never,
  }
  const pageOf = async (error: ApiError, of: typeof call | typeof posted = call) =>
    (await page.ofError?.(error, of)) ?? ''
  const limited = (seconds: string) =>
    new ApiError('rate_limited', { headers: { 'Retry-After': seconds }, details: {} as never })

  it.each([
    [new ApiError('invalid_signature'), 'This link does not work'],
    [
      new ApiError('signature_expired', { details: { expired_at: NOW.toISOString() } }),
      'This link has expired',
    ],
    [new ApiError('feedback_not_found', { details: { id: 'fb_1' } }), 'This link is no longer in use'],
    [
      new ApiError('feedback_closed', { details: { status: 'SUBMITTED' } }),
      'Your answer can no longer be changed',
    ],
    [new ApiError('tenant_suspended'), 'Feedback cannot be given at the moment'],
    [limited('65'), 'Please wait a little'],
    [unavailable(5), 'Something went wrong'],
    [new ApiError('internal_error'), 'Something went wrong'],
    [new ApiError('bad_request'), 'Your answer could not be read'],
  ])('has a page of its own: %s', async (error, title) => {
    expect(titleOf(await pageOf(error))).toBe(title)
  })

  it('never shows an end user a code, a term of the service or an id', async () => {
    for (const code of Object.keys(ERRORS) as (keyof typeof ERRORS)[]) {
      const text = textOf(
        await pageOf(new ApiError(code, { message: 'SECRET', details: { id: 'fb_1' } } as never)),
      )
      expect([code, text]).toEqual([
        code,
        expect.not.stringMatching(/SECRET|fb_1|_|signature|tenant|JSON|HTTP|\d{3}\b(?<!000)/),
      ])
    }
  })

  it('says how long to wait, and where to try again', async () => {
    const html = await pageOf(limited('65'))
    expect(textOf(html)).toContain('Please try again in 2 minutes.')
    expect(html).toContain('href="form?expires=1&amp;signature=a">Try again</a>')
  })

  it.each([
    [limited('3600'), 'Your answer was not sent.'],
    [unavailable(5), 'Your answer may not have arrived.'],
  ])('keeps the answer that may be sent again: %s', async (error, words) => {
    const html = await pageOf(error, posted)
    expect(titleOf(html)).toMatch(/^Error: How did we do\?/)
    expect([commentIn(html), checkedIn(html)]).toEqual(['Slow.', ['NEGATIVE']])
    expect(textOf(html)).toContain(words)
  })

  it('is in the name of the tenant if its name can be read, and otherwise in nobody’s', async () => {
    const closed = new ApiError('feedback_closed', { details: { status: 'SUBMITTED' } })
    expect(titleOf(await pageOf(closed, posted))).toBe('Your answer can no longer be changed – Alder IT')
    const broken = feedbackPage(() => Promise.reject(new Error('no database')))
    expect(titleOf((await broken.ofError?.(closed, posted)) ?? '')).toBe(
      'Your answer can no longer be changed',
    )
  })
})

describe('the words', () => {
  const problem = (field: string, location: 'body' | 'query' = 'body', code = 'length') => ({
    field,
    location,
    code,
    message: 'x',
  })

  it('name the fields of the form that are wrong, and no others', () => {
    expect(messagesOf(invalid([problem('rating')]), '')).toEqual({
      rating: 'Please choose one of the three answers.',
    })
    expect(messagesOf(invalid([problem('comment')]), 'x'.repeat(4312))?.comment).toContain('4,312 characters')
    expect(messagesOf(invalid([problem('comment', 'body', 'characters')]), '\u0000')?.comment).toContain(
      'cannot be saved',
    )
    expect(messagesOf(invalid([problem('rating', 'query')]), '')).toBeNull()
    expect(noticeOf(invalid([problem('expires', 'query')])).title).toBe('Your answer could not be read')
  })

  it.each([
    [0, 'a few seconds'],
    [11, 'less than a minute'],
    [60, '1 minute'],
    [61, '2 minutes'],
    [3540, '59 minutes'],
    [3541, '1 hour'],
    [3601, '2 hours'],
  ])('of a wait of %i seconds: %s', (seconds, words) => {
    expect(waitOf(seconds)).toBe(words)
  })
})
