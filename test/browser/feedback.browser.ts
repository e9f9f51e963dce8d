/** The page of a feedback link in a browser. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  dashboardToken,
  demoPlace,
  type Place,
  type Service,
  startService,
} from '../process/service.ts'
import { freePort } from '../setup/free-port.ts'
import { type ModelServer, modelServer } from '../setup/model-server.ts'
import { type MailServer, startMailServer } from '../setup/smtp.ts'
import { until } from '../setup/until.ts'
import { BROWSER, openBrowser, watched } from './browser.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core')
/** The folder that each state of the page is drawn to; none by default. */
const { SCREENSHOTS } = process.env

const SIZES = [
  [320, 640],
  [390, 844],
  [1280, 800],
] as const
const SCHEMES = ['light', 'dark'] as const

/** The ticket of the demo that nobody has worked on, and an agent that may write on tickets. */
const TICKET = { id: '150000', number: '78000' }
const AGENT = 1

describe.skipIf(BROWSER === undefined)('the page of a feedback link', () => {
  let place: Place
  let service: Service
  let browser: Browser
  let mails: MailServer
  let model: ModelServer
  beforeAll(async () => {
    place = await demoPlace()
    mails = await startMailServer({}, { lasts: true })
    model = await modelServer()
    const port = String(await freePort())
    service = await startService({
      ...place.env,
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SMTP_URL: mails.url,
      MAIL_FROM: 'service@mail.example',
      MODEL_BASE_URL: model.base_url,
      MODEL_NAME: 'scripted',
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
    await Promise.all([mails.stop(), model.close(), place.remove()])
  })

  const api = (path: string, options?: object) => call(service, service.key, path, options)

  /** A new link about the latest execution that works on a ticket. */
  async function newLink(): Promise<{ id: string; url: string }> {
    const { body } = await api('/executions?page_size=100')
    const about = body.data.find(({ entity_number }: { entity_number: string | null }) => entity_number)
    const { execution_id } = about
    const made = await api('/feedback/links', { method: 'POST', body: { execution_id } })
    return { id: made.body.data.id, url: made.body.data.url }
  }

  type Options = Parameters<Browser['newPage']>[0]

  async function opened(url: string, options: Options = {}): Promise<{ page: Page; said: string[] }> {
    const page = await browser.newPage({ javaScriptEnabled: false, ...options })
    const said = watched(page, service.base)
    await page.goto(url)
    return { page, said }
  }

  /** The findings of axe, which needs scripts: it looks at a copy of the page. */
  async function audit(page: Page): Promise<AxeResults> {
    const viewport = page.viewportSize()
    const colorScheme = (await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`))
      ? 'dark'
      : 'light'
    const copy = await browser.newPage({ viewport, colorScheme, bypassCSP: true })
    const body = await page.content()
    await copy.route(page.url(), (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }))
    await copy.goto(page.url())
    await copy.addScriptTag({ path: AXE })
    const results = (await copy.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults
    await copy.close()
    return results
  }

  /** Checks a state of the page: nothing is cut off, and axe has nothing to say. */
  async function checkState(page: Page, name: string): Promise<void> {
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
    const width = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'
    expect([name, await page.evaluate(width)]).toEqual([name, true])
    const small = await page.evaluate(`[...document.querySelectorAll('a, button, textarea, input')]
      .map((element) => [element.outerHTML, element.getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 44 || height < 44).map(([html]) => html)`)
    expect([name, small]).toEqual([name, []])
    const { violations } = await audit(page)
    const found = violations.map(({ id, nodes }) => [
      id,
      nodes.map(({ html, any }) => [html, any[0]?.message]),
    ])
    expect([name, found]).toEqual([name, []])
  }

  const title = (page: Page, text: string) => expect.poll(() => page.title()).toContain(text)

  test.each(SIZES.flatMap(([width, height]) => SCHEMES.map((scheme) => [width, height, scheme] as const)))(
    'takes an answer by keyboard alone, and another one: %i × %i, %s',
    async (width, height, colorScheme) => {
      const { id, url } = await newLink()
      const { page, said } = await opened(url, { viewport: { width, height }, colorScheme })
      const check = (state: string) => checkState(page, `${width}-${colorScheme}-${state}`)
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key)
      }
      const focused = () =>
        page.evaluate('document.activeElement.value || document.activeElement.textContent')
      await check('1-form')

      await press('Tab', 'Tab')
      await page.keyboard.type('Nobody called back.')
      await press('Tab', 'Enter')
      await title(page, 'Error: How did we do?')
      expect(await page.inputValue('textarea')).toBe('Nobody called back.')
      expect(await focused()).toBe('POSITIVE')
      await check('2-refused')

      await press('ArrowRight', 'ArrowRight')
      expect(await focused()).toBe('NEGATIVE')
      if (SCREENSHOTS) await check('3-chosen')
      await press('Tab', 'Tab')
      expect(await focused()).toBe('Send feedback')
      await press('Enter')
      await title(page, 'Thank you')
      await check('4-thanks')
      const first = await api(`/feedback/${id}`)
      expect(first.body.data).toMatchObject({ rating: 'NEGATIVE', comment: 'Nobody called back.' })

      await press('Tab')
      expect(await focused()).toBe('Change your answer')
      await press('Enter')
      await title(page, 'Change your answer')
      await check('5-change')
      await press('Tab')
      expect(await focused()).toBe('NEGATIVE')
      await press('ArrowLeft', 'ArrowLeft', 'Space', 'Tab')
      await page.keyboard.type('They did.')
      await press('Tab', 'Enter')
      await title(page, 'Thank you')
      await check('6-changed')
      const second = await api(`/feedback/${id}`)
      expect(second.body.data).toMatchObject({ rating: 'POSITIVE', comment: 'They did.' })
      expect(said.filter((text) => !text.includes('status of 422'))).toEqual([])
      await page.close()
    },
  )

  test.each(SCHEMES)(
    'says why there is no form, and why an answer was not taken, %s',
    async (colorScheme) => {
      const { id, url } = await newLink()
      const options = { viewport: { width: 320, height: 640 }, colorScheme }
      const { page } = await opened(url.replace(/.$/, ''), options)
      await title(page, 'This link does not work')
      await checkState(page, `${colorScheme}-7-invalid`)
      for (let answers = 0; answers < 11; answers++) {
        await page.goto(url)
        await page.check('input[value=NEUTRAL]')
        await page.fill('textarea', 'One line.\nAnother one.')
        await page.click('button')
      }
      await title(page, 'Error: ')
      expect(await page.inputValue('textarea')).toBe('One line.\nAnother one.')
      await checkState(page, `${colorScheme}-8-limited`)
      await api(`/feedback/${id}`, { method: 'DELETE' })
      await page.goto(url)
      await title(page, 'This link is no longer in use')
      await checkState(page, `${colorScheme}-9-revoked`)
      await page.close()
    },
  )

  test('is whole with forced colours, without motion, and with text of twice the size', async () => {
    const { url } = await newLink()
    const options = { viewport: { width: 320, height: 640 }, forcedColors: 'active' } as const
    const { page } = await opened(url, { ...options, reducedMotion: 'reduce' })
    await page.check('input[value=NEGATIVE]')
    await checkState(page, 'forced-colours')
    expect(await page.evaluate(`getComputedStyle(document.querySelector('button')).transitionDuration`)).toBe(
      '0s',
    )
    await page.close()
    const large = await opened(url, { viewport: { width: 320, height: 640 } })
    await large.page.evaluate(`document.documentElement.style.fontSize = '200%'`)
    await checkState(large.page, 'large-text')
    await large.page.close()
  })

  /** Reads a list until it has an item, which must be the only one. */
  async function theOne(path: string) {
    const read = async () => (await api(path)).body.data
    await until(async () => (await read()).length > 0)
    const [item, ...others] = await read()
    expect([path, others]).toEqual([path, []])
    return item
  }

  const asked = () => mails.mails.filter(({ text }) => text.includes('/form?'))

  /** The execution of an agent that mails a link, and the link as the mail has it. */
  async function mailedLink(): Promise<{ execution_id: string; url: string }> {
    model.play(({ messages }) => {
      const is_asked = messages.at(-1)?.role !== 'tool' && JSON.stringify(messages).includes(TICKET.number)
      const end = { tool: 'run.finish', args: { message: 'It is done.', resolution: 'FULL' } }
      const ask = { tool: 'feedback.send_link', args: { medium: 'EMAIL' } }
      return { calls: [is_asked ? ask : end] }
    })
    const body = { entity_id: TICKET.id }
    const run = await api(`/agents/${AGENT}/run-now`, { method: 'POST', body })
    await until(() => asked().length > 0)
    const [url = ''] = /https?:\S+/.exec(asked()[0]?.text ?? '') ?? []
    return { execution_id: run.body.data.execution_id, url }
  }

  test('is opened from the mail of an agent, and a bad answer reaches the technicians and the figures', async () => {
    const from = new Date().toISOString()
    const [admin, user] = [await dashboardToken(place.env, 'ADMIN'), await dashboardToken(place.env, 'USER')]
    const { body: technicians } = await api('/technicians?page_size=100')
    const ids = ['Aisha Rahman', 'Tomasz Zieliński'].map((name) =>
      String(technicians.data.find((one: { name: string }) => one.name === name).id),
    )
    const policy = {
      name: 'Bad ratings',
      triggers: ['NEGATIVE_FEEDBACK'],
      agent_ids: [AGENT],
      steps: [{ target_type: 'TECHNICIANS', target_ids: ids, notify_via: ['INBOX'] }],
    }
    const made = await api('/escalation/policies', { method: 'POST', body: policy })
    expect(made.status).toBe(200)

    const { execution_id, url } = await mailedLink()
    const { page, said } = await opened(url, { viewport: { width: 390, height: 844 } })
    await title(page, 'How did we do?')
    await checkState(page, 'journey-form')
    for (const key of ['Tab', 'ArrowRight', 'ArrowRight', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.type('Still no scans.')
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
    await title(page, 'Thank you')
    await checkState(page, 'journey-thanks')
    expect(said).toEqual([])
    await page.close()

    const feedback = await theOne(`/feedback?execution_id=${execution_id}`)
    expect(feedback).toMatchObject({
      rating: 'NEGATIVE',
      comment: 'Still no scans.',
      ticket_number: TICKET.number,
    })
    const escalation = await theOne(`/escalation/events?execution_id=${execution_id}`)
    expect(escalation).toMatchObject({ trigger: 'NEGATIVE_FEEDBACK', status: 'OPEN' })
    const { id: event_id } = escalation
    const itemOf = async (credential: string) => {
      const { body } = await call(service, credential, '/inbox?kind=ESCALATION&page_size=100')
      return body.data.find(({ subject }: { subject: { id: string } }) => subject.id === event_id)
    }
    await until(async () => Boolean((await itemOf(user)) && (await itemOf(admin))))
    const claim = `/escalation/events/${event_id}/acknowledge`
    expect((await call(service, user, claim, { method: 'POST' })).body.data.status).toBe('ACKNOWLEDGED')
    await until(async () => (await itemOf(admin)).resolved)
    expect((await itemOf(user)).resolved).toBe(false)

    const { body: summary } = await api(`/feedback/summary?group_by=COMPANY&from=${from}&agent_id=${AGENT}`)
    const figures = { sent_count: 1, response_count: 1, negative: 1, csat_pct: 0, response_rate_pct: 100 }
    expect(summary.data).toMatchObject({ ...figures, groups: [{ key: feedback.end_company_id, ...figures }] })
    expect(asked()).toHaveLength(1)
  })
})
