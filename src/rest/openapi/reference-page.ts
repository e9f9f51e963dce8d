/** The REST reference: Swagger UI, loaded from this service alone. */
import { escapeHtml } from './html.ts'

export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `validatorUrl: null` keeps Swagger UI from sending the document to a public validator. */
const CONFIGURATION = {
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
}

export const REFERENCE_SCRIPT = `const { url } = document.currentScript.dataset
SwaggerUIBundle({ ...${JSON.stringify(CONFIGURATION)}, url })
`

interface Files {
  style: string
  bundle: string
  script: string
}

export function referencePage(document: string, { style, bundle, script }: Files): string {
  const url = escapeHtml(document)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Automation Service Public API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body>
<noscript><p>This page needs JavaScript. The document it shows: <a href="${url}">${url}</a></p></noscript>
<div id="reference"></div>
<script src="${escapeHtml(bundle)}"></script>
<script src="${escapeHtml(script)}" data-url="${url}"></script>
</body>
</html>
`
}
