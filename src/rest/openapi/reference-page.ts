/** The page that shows the OpenAPI document. It needs nothing from elsewhere. */
import { escaped } from './html.ts'

/** Scalar sets styles from script, which only 'unsafe-inline' allows; scripts are ours alone. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const CONFIGURATION = {
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
}

export function referencePage(document: string, script: string): string {
  const url = escaped(document)
  const configuration = escaped(JSON.stringify(CONFIGURATION))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Automation Service Public API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript><p>This page needs JavaScript. The document it shows: <a href="${url}">${url}</a></p></noscript>
<script id="api-reference" data-url="${url}" data-configuration="${configuration}"></script>
<script src="${escaped(script)}"></script>
</body>
</html>
`
}
