/** The page that shows the OpenAPI document. It needs nothing from elsewhere. */
import { escaped } from './html.ts'

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

/** Without a validator, which would be asked elsewhere. */
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
  const url = escaped(document)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Automation Service Public API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escaped(style)}">
</head>
<body>
<noscript><p>This page needs JavaScript. The document it shows: <a href="${url}">${url}</a></p></noscript>
<div id="reference"></div>
<script src="${escaped(bundle)}"></script>
<script src="${escaped(script)}" data-url="${url}"></script>
</body>
</html>
`
}
