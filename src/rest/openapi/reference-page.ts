/** The REST reference: a page with every operation of the OpenAPI document, each of which can be tried. */
import { escapeHtml } from '../../lib/html.ts'
import type { OpenApiDocument } from './document.ts'
import type { Json } from './json.ts'
import {
  eachSchemaName,
  inlineMarkdown,
  markdown,
  type Resolve,
  rulesHtml,
  schemaAnchor,
  schemaHtml,
  typeHtml,
} from './reference-schema.ts'

export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Files {
  style: string
  script: string
  /** The document that the page shows. */
  document: string
  errors: string
}

/** An operation with its place. */
interface Described {
  method: string
  path: string
  operation: Json
}

const anchorOf = (tag: string): string => `area-${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

const jsonHtml = (value: unknown): string => `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`

const mediaOf = (part: Json): Json => Object.values((part.content ?? {}) as Record<string, Json>)[0] ?? {}

/** The examples of a body, by what they show. */
function examplesOf({ example, examples }: Json, resolve: Resolve): [string, unknown][] {
  if (example !== undefined) return [['Example', example]]
  return Object.entries((examples ?? {}) as Record<string, Json>).map(([name, part]) => {
    const { summary, value } = resolve(part)
    return [`Example: ${summary ?? name}`, value]
  })
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))

/** A parameter, with the field for its value. What the call must have is filled in from the example. */
function parameterHtml(parameter: Json, operation_id: unknown): string {
  const { name, in: location, required, description, example } = parameter
  const schema = parameter.schema as Json
  const id = escapeHtml(`${operation_id}-${name}`)
  const value = example === undefined ? '' : escapeHtml(textOf(example))
  const filled = required ? ` required value="${value}"` : ` placeholder="${value}"`
  return `<div class="parameter">
<label for="${id}"><code>${escapeHtml(String(name))}</code> ${typeHtml(schema)} in ${location}${required ? ', required' : ''}</label>
<input class="field" id="${id}" name="${location}:${escapeHtml(String(name))}"${filled} autocomplete="off" spellcheck="false">
${markdown(description)}${rulesHtml(schema)}</div>`
}

function bodyHtml(body: Json, operation_id: unknown, resolve: Resolve): string {
  const media = mediaOf(body)
  const [first, ...others] = examplesOf(media, resolve)
  const text = JSON.stringify(first?.[1] ?? {}, null, 2)
  const schema = media.schema as Json
  const id = escapeHtml(`${operation_id}-body`)
  const rows = Math.min(text.split('\n').length + 1, 20)
  const more = others.map(
    ([name, value]) => `<details><summary>${escapeHtml(name)}</summary>${jsonHtml(value)}</details>`,
  )
  return `<h4>Body</h4>
<label for="${id}">JSON: ${typeHtml(schema)}${body.required ? ', required' : ''}</label>
<textarea class="field" id="${id}" name="body" rows="${rows}" spellcheck="false">${escapeHtml(text)}</textarea>
${more.join('\n')}
${schemaHtml(resolve(schema), resolve)}`
}

function answerHtml(status: string, response: Json, resolve: Resolve): string {
  const media = mediaOf(response)
  if (!media.schema || !status.startsWith('2')) {
    return `<dt>${status}</dt><dd>${markdown(response.description)}</dd>`
  }
  const headers = Object.keys(response.headers ?? {}).map((name) => `<code>${escapeHtml(name)}</code>`)
  const examples = examplesOf(media, resolve).map(
    ([name, value]) => `<h5>${escapeHtml(name)}</h5>${jsonHtml(value)}`,
  )
  return `<dt>${status}</dt><dd>${markdown(response.description)}
${schemaHtml(resolve(media.schema as Json), resolve)}
<p>Headers: ${headers.join(' ')}</p>
${examples.join('\n')}</dd>`
}

function operationHtml({ method, path, operation }: Described, resolve: Resolve): string {
  const { operationId, summary, description, deprecated } = operation
  const id = escapeHtml(String(operationId))
  const [text, sentence] = [String(description ?? ''), String(summary)]
  const more = text.startsWith(sentence) ? text.slice(sentence.length).trim() : text
  const parameters = (operation.parameters as Json[]).map((part) => parameterHtml(resolve(part), operationId))
  const responses = Object.entries(operation.responses as Record<string, Json>).map(([status, response]) =>
    answerHtml(status, resolve(response), resolve),
  )
  const verb = method.toUpperCase()
  return `<details class="operation" id="${id}">
<summary><h3><span class="method ${method}">${verb}</span> <code>${escapeHtml(path)}</code></h3> <span>${inlineMarkdown(summary)}${deprecated ? ' Deprecated.' : ''}</span></summary>
<p><a href="#${id}"><code>${id}</code></a>, in GraphQL <code>${escapeHtml(String(operation['x-graphql-field']))}</code></p>
${markdown(more)}
<form data-method="${verb}" data-path="${escapeHtml(path)}">
${parameters.length > 0 ? `<h4>Parameters</h4>\n${parameters.join('\n')}` : ''}
${operation.requestBody ? bodyHtml(operation.requestBody as Json, operationId, resolve) : ''}
<button>Send ${verb}<span class="visually-hidden"> ${escapeHtml(path)}</span></button>
<div class="answer" role="status"></div>
</form>
<h4>Answers</h4>
<dl>${responses.join('\n')}</dl>
</details>`
}

const operationsOf = ({ paths }: OpenApiDocument): Described[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Json>).map(([method, operation]) => ({
      method,
      path,
      operation,
    })),
  )

/** The names of the schemas that the page has links to, and of those that these name. */
function linkedSchemas(
  operations: readonly Described[],
  resolve: Resolve,
  schemas: Record<string, Json>,
): string[] {
  const names = new Set<string>()
  const add = (name: string) => {
    if (names.has(name)) return
    names.add(name)
    eachSchemaName(schemas[name], add)
  }
  for (const { operation } of operations) {
    const successes = Object.entries(operation.responses as Record<string, Json>).filter(
      ([status]) => status < '300',
    )
    const parameters = (operation.parameters as Json[]).map(resolve)
    eachSchemaName([parameters, operation.requestBody, successes], add)
  }
  return [...names].sort()
}

export function referencePage(document: OpenApiDocument, { style, script, ...links }: Files): string {
  const components = document.components as unknown as Record<string, Record<string, Json>>
  const resolve: Resolve = (part) => {
    if (typeof part.$ref !== 'string') return part
    const [kind = '', name = ''] = part.$ref.split('/').slice(2)
    const { $ref: _ref, ...own } = part
    return { ...resolve(components[kind]?.[name] ?? {}), ...own }
  }
  const operations = operationsOf(document)
  const byTag = Map.groupBy(operations, ({ operation }) => (operation.tags as string[])[0])
  const tags = document.tags as unknown as { name: string; description: string }[]
  const areas = tags.map(
    ({ name, description }) => `<section>
<h2 id="${anchorOf(name)}">${escapeHtml(name)}</h2>
${markdown(description)}
${(byTag.get(name) ?? []).map((one) => operationHtml(one, resolve)).join('\n')}
</section>`,
  )
  const schemas = linkedSchemas(operations, resolve, components.schemas ?? {}).map(
    (name) => `<details class="schema" id="${schemaAnchor(name)}">
<summary><h3><code>${escapeHtml(name)}</code></h3></summary>
${schemaHtml(components.schemas?.[name] ?? {}, resolve)}
</details>`,
  )
  const headers = Object.entries(components.headers ?? {}).map(
    ([name, header]) =>
      `<dt><code>${escapeHtml(name)}</code> ${typeHtml(header.schema as Json)}</dt><dd>${markdown(header.description)}</dd>`,
  )
  const { title, version, description } = document.info as Record<string, string>
  const entries = tags.map(({ name }) => `<li><a href="#${anchorOf(name)}">${escapeHtml(name)}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title ?? '')}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body>
<header>
<form id="credential">
<label for="credential-input">API key or access token</label>
<input id="credential-input" type="password" autocomplete="off" spellcheck="false" placeholder="svc_sk_…">
<span role="status"></span>
</form>
</header>
<nav aria-label="Areas">
<ul>
${entries.join('\n')}
<li><a href="#types">Types</a></li>
<li><a href="#headers">Headers</a></li>
</ul>
</nav>
<main>
<h1>${escapeHtml(title ?? '')} ${escapeHtml(version ?? '')}</h1>
<p>As a document for programs: <a href="${escapeHtml(links.document)}">${escapeHtml(links.document)}</a>. Errors: <a href="${escapeHtml(links.errors)}">every code</a>.</p>
${markdown(description)}
${areas.join('\n')}
<section>
<h2 id="types">Types</h2>
${schemas.join('\n')}
</section>
<section>
<h2 id="headers">Headers of answers</h2>
<dl>${headers.join('\n')}</dl>
</section>
</main>
<script src="${escapeHtml(script)}"></script>
</body>
</html>
`
}
