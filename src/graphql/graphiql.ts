/** GraphiQL as the service offers it: one tab per area, and one credential for all of them. */
import { createHash } from 'node:crypto'
import type { GraphiQLOptions } from 'graphql-yoga'
import { contentTag } from '../gateway/entity-tags.ts'
import { SCHEMA_CACHE } from '../gateway/response-headers.ts'
import type { HttpAnswer } from '../http/send.ts'
import { allAreas } from '../schema/area.ts'

/** A saved example of every area. */
const graphiqlOptions = (): GraphiQLOptions => ({
  title: 'Automation Service',
  // The credential is not among them, and what else a tab sends is for this visit.
  shouldPersistHeaders: false,
  defaultTabs: allAreas().map(({ name, example }) => ({ query: `# ${name}\n\n${example.trim()}\n` })),
})

// A tab that takes the focus jumps to where an animation had started, away from the pointer that clicks it.
const STYLE = `
  .graphiql-tab { transform: none !important }
  body { display: flex; flex-direction: column; height: 100vh; margin: 0 }
  #root { flex: 1; min-height: 0; height: auto }
  #credential {
    display: flex; gap: 8px; align-items: center; padding: 8px 12px; font: 14px system-ui, sans-serif;
    color-scheme: light dark; background: Canvas; color: CanvasText;
  }
  #credential input { flex: 1; max-width: 640px; padding: 4px 8px; font: inherit }
  #credential [role=status] { color: GrayText }`

/** Every request of the page carries the credential, unless the tab has an Authorization header of its own. */
const SCRIPT = `
  const input = document.querySelector('#credential input')
  const status = document.querySelector('#credential [role=status]')
  const tell = () => {
    status.textContent = input.value.trim() ? 'Sent with every request, until this tab is closed.' : ''
  }
  input.value = sessionStorage.getItem('credential') ?? ''
  tell()
  input.addEventListener('input', () => {
    sessionStorage.setItem('credential', input.value.trim())
    tell()
  })
  input.addEventListener('change', () => {
    document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click()
  })
  document.querySelector('#credential').addEventListener('submit', (event) => {
    event.preventDefault()
    input.blur()
  })
  const send = window.fetch
  window.fetch = (url, init = {}) => {
    const headers = new Headers(init.headers)
    const credential = input.value.trim().replace(/^Bearer /i, '')
    const isOurs = new URL(url, location.href).origin === location.origin
    if (isOurs && credential && !headers.get('authorization')) {
      headers.set('authorization', 'Bearer ' + credential)
    }
    return send(url, { ...init, headers })
  }`

const CREDENTIAL = `<style>${STYLE}</style>
<form id="credential">
  <label for="credential-input">API key or access token</label>
  <input id="credential-input" type="password" autocomplete="off" spellcheck="false" placeholder="svc_sk_…">
  <span role="status"></span>
</form>
<script>{${SCRIPT}}</script>
`

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`

/** The texts of the page's scripts, in order. A script may have the tag of one in its text. */
function* scriptsIn(page: string): Generator<string> {
  for (let tag = page.indexOf('<script'); tag !== -1; ) {
    const begin = page.indexOf('>', tag) + 1
    const end = page.indexOf('</script', begin)
    yield page.slice(begin, end)
    tag = page.indexOf('<script', end)
  }
}

/** The page runs its own scripts, and no other page may show it in a frame. Its editors run in workers that it makes. */
function policyOf(page: string): string {
  const scripts = [...scriptsIn(page)].map(hashOf)
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    'font-src data:',
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The page, with a place for the credential above everything else. */
async function render(): Promise<Pick<HttpAnswer, 'headers' | 'body'>> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const page = renderGraphiQL(graphiqlOptions())
  const html = page.replace('<div id="root"></div>', () => `${CREDENTIAL}<div id="root"></div>`)
  const body = Buffer.from(html)
  const headers = {
    'Content-Security-Policy': policyOf(html),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': SCHEMA_CACHE,
    ETag: contentTag(body),
  }
  return { headers, body }
}

/** Renders the page, which has megabytes of script, once: at the first request for it. */
export function graphiqlPage(): () => ReturnType<typeof render> {
  let page: ReturnType<typeof render> | undefined
  return () => {
    page ??= render()
    return page
  }
}
