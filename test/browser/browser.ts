/** A browser that is installed on this machine, and what it says of the pages that it opens. */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The program; undefined if there is none. `CHROMIUM` names another one. */
export const BROWSER = [process.env.CHROMIUM ?? [], PLACES].flat().find((path) => existsSync(path))

if (BROWSER === undefined)
  console.warn('Skipped: there is no Chromium. Install one, or name it: CHROMIUM=<path>')

export const openBrowser = (): Promise<Browser> =>
  // Its sandbox needs what containers do not have.
  chromium.launch({ executablePath: BROWSER ?? '', args: ['--no-sandbox'] })

/** What the page asked of other hosts, and what it reported as wrong. */
export function watched(page: Page, base: string): string[] {
  const said: string[] = []
  page.on('request', (request) => {
    const { protocol, origin, href } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== base) said.push(`asked ${href}`)
  })
  page.on('pageerror', ({ message }) => said.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') said.push(message.text())
  })
  return said
}

/** Counts the seconds for which the main thread of the page works from now on. */
export async function mainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  }
}
