import { describe, expect, it } from 'vitest'
import { clock, startApp, testApp } from '../../setup/app.ts'
import { feedbackMsp, feedbackOf, type Link, makeLink } from '../../setup/feedback.ts'
import { json, request } from '../../setup/http.ts'
import type { Msp } from '../../setup/world.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const FORM_TYPE = 'application/x-www-form-urlencoded'

const addressOf = (link: Link, page: 'form' | 'submit'): string => {
  const { feedback_id, expires, signature } = link
  return `/public-api/feedback/${feedback_id}/${page}?expires=${expires}&signature=${signature}`
}

interface Page {
  status: number
  headers: Headers
  text: string
  title: string
}

async function pageOf(sent: Promise<Response>): Promise<Page> {
  const response = await sent
  const text = await response.text()
  const title = /<title>(.*?)<\/title>/.exec(text)?.[1] ?? ''
  return { status: response.status, headers: response.headers, text, title }
}

const open = (link: Link, init: RequestInit = {}) =>
  pageOf(request(addressOf(link, 'form'), { headers: BROWSER, ...init }))

/** Sends the form as a browser does. */
const send = (link: Link, body: string | Record<string, string>, headers: Record<string, string> = {}) =>
  pageOf(
    request(addressOf(link, 'submit'), {
      method: 'POST',
      headers: { ...BROWSER, 'content-type': FORM_TYPE, ...headers },
      body: new URLSearchParams(body).toString(),
    }),
  )

const commentOf = async (msp: Msp) => (await feedbackOf(msp))[0]?.comment

const withLink = async () => {
  const msp = await feedbackMsp()
  return { msp, link: await makeLink(msp) }
}

describe('the form of a feedback link', () => {
  it('is where a browser is led that asks for the answer by GET', async () => {
    const { link } = await withLink()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await request(addressOf(link, 'submit'), { method, headers: BROWSER })
      const { expires, signature } = link
      expect([status, headers.get('location')]).toEqual([
        303,
        `form?expires=${expires}&signature=${signature}`,
      ])
    }
    const { status } = await request(addressOf(link, 'submit'))
    expect(status).toBe(405)
  })

  it('is a page for a browser, and data for a program', async () => {
    const { link } = await withLink()
    const page = await open(link)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).toMatch(/^<!doctype html>/)
    expect(page.text).toContain(`action="submit?expires=${link.expires}&amp;signature=${link.signature}"`)
    for (const accept of [
      'application/json',
      '*/*',
      'application/json, text/html',
      'text/html;q=0.5, application/json',
    ]) {
      const response = await request(addressOf(link, 'form'), { headers: { accept } })
      expect([accept, response.headers.get('content-type')]).toEqual([
        accept,
        'application/json; charset=utf-8',
      ])
      expect(response.headers.get('vary')).toContain('Accept')
      expect(response.headers.get('content-security-policy')).toBeNull()
      expect((await response.json()).data.id).toBe(link.feedback_id)
    }
  })

  it('runs nothing, is in no frame, in no index, in no cache, and in no Referer', async () => {
    const { link } = await withLink()
    for (const page of [await open(link), await send(link, {}), await open({ ...link, signature: 'x' })]) {
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-security-policy':
          "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        vary: 'Accept',
      })
      expect(page.text).not.toMatch(/<script|style="|https?:|\bon\w+=/)
    }
  })

  it('is told to HEAD, and records nothing', async () => {
    const { msp, link } = await withLink()
    const page = await open(link)
    const head = await open(link, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(page.text)))
    const refused = await open({ ...link, signature: 'x' }, { method: 'HEAD' })
    expect([refused.status, refused.text]).toEqual([401, ''])
    expect(await feedbackOf(msp)).toMatchObject([{ status: 'PENDING', rating: null, revision: 1 }])
  })

  it('has its style beside it', async () => {
    const { link } = await withLink()
    const { base } = await testApp()
    const [, href = ''] = /<link rel="stylesheet" href="(.*?)">/.exec((await open(link)).text) ?? []
    const style = await fetch(new URL(href, base + addressOf(link, 'form')))
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  })
})

describe('an answer', () => {
  it('is taken from a form, thanked for, and may be changed', async () => {
    const { msp, link } = await withLink()
    const thanks = await send(link, { rating: 'NEGATIVE', comment: 'Slow.' })
    expect([thanks.status, thanks.title]).toMatchObject([
      200,
      expect.stringMatching(/^Thank you for your feedback – /),
    ])
    expect(await feedbackOf(msp)).toMatchObject([
      { status: 'SUBMITTED', rating: 'NEGATIVE', comment: 'Slow.' },
    ])
    const again = await open(link)
    expect(again.title).toMatch(/^Change your answer: /)
    expect(again.text).toContain('value="NEGATIVE" required checked')
    expect(again.text).not.toContain('Slow.')
    await send(link, { rating: 'POSITIVE', comment: '' })
    expect(await feedbackOf(msp)).toMatchObject([{ rating: 'POSITIVE', comment: null }])
  })

  it('has the new lines of its comment as everybody writes them', async () => {
    const { msp, link } = await withLink()
    await send(link, { rating: 'NEUTRAL', comment: 'One\r\ntwo\r\n\r\nthree' })
    expect(await commentOf(msp)).toBe('One\ntwo\n\nthree')
    const lines = 'x\r\n'.repeat(2000)
    expect((await send(link, { rating: 'NEUTRAL', comment: `${lines.slice(0, -2)}y` })).status).toBe(200)
    expect(await commentOf(msp)).toHaveLength(4000)
  })

  it('from a form is data for a program, and JSON from a program is a page for a browser', async () => {
    const { link } = await withLink()
    const data = await send(link, { rating: 'POSITIVE' }, { accept: 'application/json' })
    expect(JSON.parse(data.text).data).toMatchObject({ rating: 'POSITIVE', status: 'SUBMITTED' })
    const page = await pageOf(
      request(addressOf(link, 'submit'), json({ rating: 'NEUTRAL' }, { headers: BROWSER })),
    )
    expect(page.title).toMatch(/^Thank you/)
  })

  it('that is sent again with its key is thanked for again', async () => {
    const { msp, link } = await withLink()
    const key = { 'idempotency-key': 'k1' }
    const [first, again] = [
      await send(link, { rating: 'POSITIVE' }, key),
      await send(link, { rating: 'POSITIVE' }, key),
    ]
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ])
    expect(again.title).toBe(first.title)
    expect(await feedbackOf(msp)).toMatchObject([{ revision: 2 }])
  })

  it.each([
    ['without a rating', 'comment=Slow.', 'Please choose one of the three answers.'],
    ['with an empty rating', 'rating=&comment=Slow.', 'Please choose one of the three answers.'],
    ['with an unknown rating', 'rating=FINE&comment=Slow.', 'Please choose one of the three answers.'],
    [
      'with two ratings',
      'rating=POSITIVE&rating=NEGATIVE&comment=Slow.',
      'Please choose one of the three answers.',
    ],
    ['with two comments', 'rating=POSITIVE&comment=Slow.&comment=Fast.', 'cannot be saved'],
    ['with a comment that is too long', `rating=POSITIVE&comment=Slow.${'x'.repeat(4000)}`, 'at most 4,000'],
    ['with a comment that cannot be stored', 'rating=POSITIVE&comment=Slow.%00', 'cannot be saved'],
  ])('%s is refused with the form, in which its comment is kept', async (_what, body, message) => {
    const { msp, link } = await withLink()
    const page = await send(link, body)
    expect([page.status, page.title]).toMatchObject([
      422,
      expect.stringMatching(/^Error: How did we do\? – /),
    ])
    expect(page.text).toContain(message)
    expect(page.text).toMatch(/<textarea[^>]*>\nSlow\./)
    expect(page.text).toContain('No mail')
    expect(await feedbackOf(msp)).toMatchObject([{ status: 'PENDING' }])
    const program = await send(link, body, { accept: 'application/json' })
    expect(JSON.parse(program.text).error.code).toBe('request_validation_failed')
  })

  it('of another media type is refused with those that are read', async () => {
    const { link } = await withLink()
    const sent = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'rating=POSITIVE' }
    const { status, text } = await pageOf(request(addressOf(link, 'submit'), sent))
    expect([status, JSON.parse(text).error.details.supported]).toEqual([415, ['application/json', FORM_TYPE]])
    const page = await pageOf(
      request(addressOf(link, 'submit'), { ...sent, headers: { ...BROWSER, ...sent.headers } }),
    )
    expect([page.status, page.title]).toMatchObject([
      415,
      expect.stringMatching(/^Your answer could not be read – /),
    ])
  })

  it('with more members than a form can have is refused', async () => {
    const { link } = await withLink()
    expect((await send(link, 'rating=POSITIVE&'.repeat(101))).status).toBe(400)
  })

  it('is taken as a form by no other operation', async () => {
    const { msp } = await withLink()
    const sent = { method: 'POST', headers: { 'content-type': FORM_TYPE }, body: 'ticket_id=1' }
    expect((await request('/public-api/feedback/links', sent, msp.admin)).status).toBe(415)
  })
})

describe('a link that is refused', () => {
  it('has one page for every reason why nobody signed it', async () => {
    const { link } = await withLink()
    const pages = [
      await open({ ...link, signature: 'x' }),
      await open({ ...link, signature: '' }),
      await open({ ...link, expires: 'soon' }),
      await open({ ...link, feedback_id: 'fb_none' }),
      await pageOf(request(`/public-api/feedback/${link.feedback_id}/form`, { headers: BROWSER })),
      await send({ ...link, signature: 'x' }, { rating: 'POSITIVE', comment: 'Slow.' }),
    ]
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 401))
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1)
    expect(pages[0]?.title).toBe('This link does not work')
  })

  it('has a page that says why, with the status of the refusal', async () => {
    const { msp, link } = await withLink()
    await send(link, { rating: 'POSITIVE' })
    clock.advance(25 * 3_600_000)
    const closed = await send(link, { rating: 'NEGATIVE' })
    expect([closed.status, closed.title]).toMatchObject([
      409,
      expect.stringMatching(/^Your answer can no longer be changed – /),
    ])
    const kept = await open(link)
    expect([kept.status, kept.title]).toMatchObject([
      200,
      expect.stringMatching(/^Thank you for your feedback – /),
    ])
    expect(kept.text).not.toContain('<form')
    const { prisma } = msp.database
    await prisma.feedbackEntry.updateMany({ where: { id: link.feedback_id }, data: { status: 'REVOKED' } })
    expect(await open(link)).toMatchObject({ status: 404, title: 'This link is no longer in use' })
    await prisma.tenant.update({ where: { id: msp.tenant_id }, data: { suspended_at: clock.now() } })
    expect(await open(link)).toMatchObject({ status: 403, title: 'Feedback cannot be given at the moment' })
    clock.advance(14 * 24 * 3_600_000)
    expect(await open(link)).toMatchObject({ status: 401, title: 'This link has expired' })
  })

  it('has an envelope for a program', async () => {
    const { link } = await withLink()
    const response = await request(addressOf({ ...link, signature: 'x' }, 'form'))
    expect([response.status, response.headers.get('vary')]).toEqual([401, 'Accept'])
    expect((await response.json()).error.code).toBe('invalid_signature')
  })

  it('keeps the answer that is one too many, and says how long to wait', async () => {
    const { link } = await withLink()
    clock.freeze()
    for (let answers = 0; answers < 10; answers++) await send(link, { rating: 'POSITIVE' })
    const page = await send(link, { rating: 'NEGATIVE', comment: 'Slow.' })
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(page.headers.get('ratelimit')).toContain('feedback')
    expect(page.text).toContain('Please try again in 1 hour.')
    expect(page.text).toContain('value="NEGATIVE" required checked')
    expect(page.text).toContain('\nSlow.</textarea>')
  })

  it('has a page when its limit of calls is used up', async () => {
    const { msp, link } = await withLink()
    const { app, base } = await startApp(msp.database, { LIMITS: 'feedback_link=1' })
    const get = () => pageOf(fetch(base + addressOf(link, 'form'), { headers: BROWSER }))
    expect((await get()).status).toBe(200)
    expect(await get()).toMatchObject({ status: 429, title: 'Please wait a little' })
    await app.close()
  })
})
