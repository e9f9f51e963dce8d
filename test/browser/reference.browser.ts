/** The REST reference in a browser. */
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSchemas } from '../../src/composition/schemas.ts'
import { demoPlace, type Place, type Service, startService } from '../process/service.ts'
import { BROWSER, mainThread, openBrowser, watched } from './browser.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core')
const { operations } = buildSchemas()

describe.skipIf(BROWSER === undefined)('the REST reference', () => {
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

  async function opened(hash = '', options = {}) {
    const page = await browser.newPage(options)
    const said = watched(page, service.base)
    const seconds = await mainThread(page)
    await page.goto(`${service.base}/public-api/docs${hash}`)
    return { page, said, seconds }
  }

  test('shows every operation, and opens one', async () => {
    const { page, said, seconds } = await opened()
    expect(await page.locator('details.operation > summary:visible').count()).toBe(operations.length)
    const usable = await seconds()
    await page.click('#list_agents > summary')
    await page.locator('#list_agents button').waitFor()
    const shown = await seconds()
    console.info(`Main thread: ${usable.toFixed(2)} s to load, ${(shown - usable).toFixed(2)} s to open`)
    expect(said).toEqual([])
    await page.close()
  })

  test('finds an operation by the search of the browser', async () => {
    const { page } = await opened()
    const found = (text: string) => page.evaluate(`window.find(${JSON.stringify(text)}, false, false, true)`)
    for (const { rest } of operations) expect([rest.path, await found(rest.path)]).toEqual([rest.path, true])
    expect(await found('no such operation')).toBe(false)
    await page.close()
  })

  test('makes a call with the demo key, also one with a body, and shows what is answered', async () => {
    const { page, said } = await opened('#get_agent')
    await page.fill('#credential-input', service.key)
    await page.click('#get_agent form button')
    const answer = page.locator('#get_agent .answer')
    await answer.getByText('"request_id"').waitFor()
    expect(await answer.textContent()).toContain(': 200 in ')
    await page.click('#validate_agent > summary')
    await page.click('#validate_agent form button')
    await page.locator('#validate_agent .answer').getByText('"request_id"').waitFor()
    expect(await page.locator('#validate_agent .answer').textContent()).toContain(': 200 in ')
    await page.locator('#get_agent dl a').first().click()
    await page.locator('details.schema[open]').waitFor()
    expect(said).toEqual([])
    await page.close()
  })

  const WIDTHS = [1280, 390] as const
  const SCHEMES = ['light', 'dark'] as const
  test.each(WIDTHS.flatMap((width) => SCHEMES.map((scheme) => [width, scheme] as const)))(
    'is accessible at %i pixels, %s',
    async (width, colorScheme) => {
      const { page } = await opened('#create_agent', {
        viewport: { width, height: 844 },
        colorScheme,
        bypassCSP: true,
      })
      await page.click('#list_agents > summary')
      await page.click('#list_agents form button')
      await page.locator('#list_agents .answer pre').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await page.addScriptTag({ path: AXE })
      const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(grave.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
      await page.close()
    },
  )
})
