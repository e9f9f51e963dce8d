/** The HTML page of error codes, with an anchor for each. */
import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { detailsSchema } from '../../errors/details-schema.ts'
import { ERRORS, type ErrorCode } from '../../errors/errors.ts'
import { escapeHtml } from '../../lib/html.ts'
import { inlineMarkdown } from './reference-schema.ts'

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
h3 { font-family: ui-monospace, monospace; margin: 2rem 0 0.25rem }
h3 a { color: inherit; text-decoration: none }
:target { outline: 2px solid; outline-offset: 0.5rem }
dl { display: grid; grid-template-columns: max-content auto; gap: 0.25rem 1rem; margin: 0 }
dd { margin: 0 }
`

const hash = createHash('sha256').update(STYLE).digest('base64')

export const ERRORS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const codes = Object.keys(ERRORS) as ErrorCode[]

/** The members of the details, but for the link to the page itself. */
function details(code: ErrorCode): string {
  const { docs_url: _own, ...members } = detailsSchema(code).properties
  const items = Object.entries(members).map(
    ([name, { description }]) => `<code>${escapeHtml(name)}</code>: ${inlineMarkdown(description)}`,
  )
  return items.length > 0 ? `\n<dt>Details</dt><dd>${items.join('<br>')}</dd>` : ''
}

function section(code: ErrorCode): string {
  const entry = ERRORS[code]
  const retryable = 'retryable' in entry ? 'Yes' : 'No'
  const id = escapeHtml(code)
  return `<section id="${id}">
<h3><a href="#${id}">${id}</a></h3>
<dl>
<dt>Status</dt><dd>${entry.status} ${escapeHtml(STATUS_CODES[entry.status] ?? '')}</dd>
<dt>Meaning</dt><dd>${escapeHtml(entry.message)}</dd>
<dt>What to do</dt><dd>${escapeHtml(entry.fix)}</dd>
<dt>Worth retrying</dt><dd>${retryable}</dd>${details(code)}
</dl>
</section>`
}

export function errorsPage(): string {
  const byStatus = [...Map.groupBy(codes, (code) => ERRORS[code].status)].sort(([a], [b]) => a - b)
  const groups = byStatus.map(
    ([status, own]) =>
      `<h2>${status} ${escapeHtml(STATUS_CODES[status] ?? '')}</h2>\n${own.map(section).join('\n')}`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>Error codes</h1>
<p>Test against <code>error.code</code>. A code has one status, and neither ever changes.
Back to the <a href="/public-api/docs">reference</a>.</p>
${groups.join('\n')}
</body>
</html>
`
}
