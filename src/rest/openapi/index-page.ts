/** The HTML index page, with links to the interfaces and their documentation. */
import { escapeHtml } from '../../lib/html.ts'

export const INDEX_POLICY = [
  "default-src 'none'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const link = ([name, path]: [string, string]): string =>
  `<li><a href="${escapeHtml(path)}">${escapeHtml(name)}</a>: <code>${escapeHtml(path)}</code></li>`

export const indexPage = (places: Readonly<Record<string, string>>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Automation Service Public API</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>Automation Service Public API</h1>
<ul>
${Object.entries(places).map(link).join('\n')}
</ul>
</body>
</html>
`
