/** GraphiQL as the service offers it: one tab per area, and one credential for all of them. */
import type { GraphiQLOptions } from 'graphql-yoga'
import { pageFile, SCRIPT, STYLE, type StaticFile } from '../http/static-files.ts'
import { GRAPHQL_PATH } from '../lib/api.ts'
import { escapeHtml } from '../lib/html.ts'
import { allAreas } from '../schema/area.ts'

const TITLE = 'Automation Service'

/** A saved example of every area. */
const graphiqlOptions = (): GraphiQLOptions => ({
  title: TITLE,
  // The credential is not among them, and what else a tab sends is for this visit.
  shouldPersistHeaders: false,
  defaultTabs: allAreas().map(({ name, example }) => ({ query: `# ${name}\n\n${example.trim()}\n` })),
})

/** Its editors write styles into the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A worker has a policy of its own: it asks for nothing. */
const WORKER = { ...SCRIPT, 'Content-Security-Policy': "default-src 'none'" }

const FILES = {
  editor: `${GRAPHQL_PATH}/graphiql.js`,
  editor_style: `${GRAPHQL_PATH}/graphiql.css`,
  page: `${GRAPHQL_PATH}/page.js`,
  page_style: `${GRAPHQL_PATH}/page.css`,
}

const page = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(TITLE)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${FILES.editor_style}">
<link rel="stylesheet" href="${FILES.page_style}">
</head>
<body class="no-focus-outline">
<noscript>This page needs JavaScript.</noscript>
<form id="credential">
<label for="credential-input">API key or access token</label>
<input id="credential-input" type="password" autocomplete="off" spellcheck="false" placeholder="svc_sk_…">
<span role="status"></span>
</form>
<div id="root"></div>
<script type="application/json" id="options">${JSON.stringify(graphiqlOptions()).replaceAll('<', '\\u003c')}</script>
<script src="${FILES.editor}"></script>
<script src="${FILES.page}"></script>
</body>
</html>
`

type Part = keyof typeof import('@graphql-yoga/render-graphiql/graphiql')

/** A part of GraphiQL, of which Yoga makes one file of nine megabytes. */
const part = (name: Part) => async () => (await import('@graphql-yoga/render-graphiql/graphiql'))[name]

/** The page and what it loads, by path. */
export const graphiqlFiles = (): Record<string, StaticFile> => ({
  [GRAPHQL_PATH]: {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      Vary: 'Accept',
    },
    make: page,
  },
  [FILES.editor]: { headers: SCRIPT, make: part('js') },
  [FILES.editor_style]: { headers: STYLE, make: part('css') },
  [FILES.page]: { headers: SCRIPT, make: pageFile('graphiql.js') },
  [FILES.page_style]: { headers: STYLE, make: pageFile('graphiql.css') },
  [`${GRAPHQL_PATH}/editor-worker.js`]: { headers: WORKER, make: part('editorWorkerService') },
  [`${GRAPHQL_PATH}/json-worker.js`]: { headers: WORKER, make: part('jsonWorker') },
  [`${GRAPHQL_PATH}/graphql-worker.js`]: { headers: WORKER, make: part('graphqlWorker') },
})
