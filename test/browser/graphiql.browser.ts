/** GraphiQL in a browser. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, demoPlace, type Place, type Service, startService } from '../process/service.ts'
import { BROWSER, openBrowser, watched } from './browser.ts'

const FOLLOW = 'subscription Follow { execution_updates(agent_id: 9) { execution { execution_id status } } }'

/** The longest wait for what comes. */
const WAIT = { timeout: 30_000 }

describe.skipIf(BROWSER === undefined)('GraphiQL', () => {
  let place: Place
  let service: Service
  let browser: Browser
  beforeAll(async () => {
    place = await demoPlace()
    service = await startService(place.env)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
    await place.remove()
  })

  async function opened(): Promise<{ page: Page; said: string[] }> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const said = watched(page, service.base)
    await page.goto(`${service.base}/graphql`)
    await page.fill('#credential-input', service.key)
    await page.press('#credential-input', 'Enter')
    await page.locator('.graphiql-execute-button').waitFor()
    const editors = () => page.evaluate('globalThis.__MONACO?.editor.getEditors().length')
    await expect.poll(editors, WAIT).toBe(4)
    return { page, said }
  }

  const model = (kind: string) =>
    `__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('${kind}'))`
  const write = (page: Page, query: string) =>
    page.evaluate(`${model('operation.graphql')}.setValue(${JSON.stringify(query)})`)
  const shown = (page: Page) => page.evaluate(`${model('response.json')}.getValue()`)
  const shows = (page: Page, text: string) => expect.poll(() => shown(page), WAIT).toContain(text)
  /** Writes the query, and waits until GraphiQL has read it: then the tab has the name of the operation. */
  const writeNamed = async (page: Page, name: string, query: string) => {
    await write(page, query)
    await page.locator('.graphiql-tab-button', { hasText: name }).waitFor()
  }
  const run = (page: Page) => page.click('button[aria-label^="Execute query"]')
  const isRunning = (page: Page) => page.locator('button[aria-label^="Stop query"]').waitFor()

  /** Runs the agent, and resolves with the id of its execution. */
  async function runAgent(): Promise<string> {
    const body = { entity_id: '150000' }
    const answer = await call(service, service.key, '/agents/9/run-now', { method: 'POST', body })
    return answer.body.data.execution_id
  }

  test('is as high as the window, loads nothing from elsewhere, and breaks no rule of its policy', async () => {
    const { page, said } = await opened()
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(800)
    await run(page)
    await shows(page, '"data"')
    await write(page, '{ no_such_field }')
    const problems = () =>
      page.evaluate('__MONACO.editor.getModelMarkers({}).map(({ message }) => message).join()')
    await expect.poll(problems, WAIT).toContain('no_such_field')
    expect(said).toEqual([])
    await page.close()
  })

  test('goes on with a stream while other tabs run, and shows it in its tab', async () => {
    const { page, said } = await opened()
    const tabs = page.locator('.graphiql-tab-button')
    await writeNamed(page, 'Follow', FOLLOW)
    await run(page)
    await isRunning(page)
    await tabs.nth(3).click()
    await writeNamed(page, 'Zone', 'query Zone { settings { timezone } }')
    await run(page)
    await shows(page, '"data"')
    const meanwhile = await runAgent()
    expect(await shown(page)).not.toContain('execution_updates')
    await tabs.nth(0).click()
    await isRunning(page)
    await shows(page, meanwhile)
    await page.click('.graphiql-tab-add')
    const later = await runAgent()
    expect(await shown(page)).toBe('')
    await tabs.nth(0).click()
    await shows(page, later)
    await page.click('button[aria-label^="Stop query"]')
    await page.locator('button[aria-label^="Execute query"]').waitFor()
    expect(said).toEqual([])
    await page.close()
  })

  test('is shown in no frame', async () => {
    const page = await browser.newPage()
    const refused = page.waitForEvent('console', {
      predicate: (message) => message.text().includes("frame-ancestors 'none'"),
    })
    await page.setContent(`<iframe src="${service.base}/graphql"></iframe>`)
    await refused
    await page.close()
  })
})
