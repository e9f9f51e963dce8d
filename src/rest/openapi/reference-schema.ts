/** Schemas of the OpenAPI document as HTML: a type in a few words, and the properties of an object. */
import { marked, Renderer } from 'marked'
import { escapeHtml } from '../../lib/html.ts'
import type { Json } from './json.ts'

/** Looks up what `$ref` names. */
export type Resolve = (part: Json) => Json

const renderer = new Renderer()
// The text is no HTML: <id> stands for an id. The page has a heading of its own above those of a text.
renderer.html = ({ text }) => escapeHtml(text)
renderer.heading = ({ tokens, depth }) =>
  `<h${depth - 1}>${renderer.parser.parseInline(tokens)}</h${depth - 1}>\n`

export const markdown = (text: unknown): string =>
  typeof text === 'string' ? marked.parse(text, { renderer, async: false }) : ''

/** The same for a sentence, without a paragraph around it. */
export const inlineMarkdown = (text: unknown): string =>
  typeof text === 'string' ? marked.parseInline(text, { renderer, async: false }) : ''

/** The name of the component that a reference is to; null if it is none. */
const componentName = ({ $ref }: Json): string | null =>
  typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null

export const schemaAnchor = (name: string): string => `schema-${escapeHtml(name)}`

const partsOf = (part: unknown): Json[] => (Array.isArray(part) ? (part as Json[]) : [])

const alternatives = ({ oneOf, anyOf }: Json): Json[] => partsOf(oneOf ?? anyOf)

/** The type of the schema in a few words, with links to the schemas that it names. */
export function typeHtml(schema: Json): string {
  const name = componentName(schema)
  if (name !== null) return `<a href="#${schemaAnchor(name)}">${escapeHtml(name)}</a>`
  const options = alternatives(schema)
  if (options.length > 0) return [...new Set(options.map(typeHtml))].join(' or ')
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`
  if (schema.items) return `list of ${typeHtml(schema.items as Json)}`
  const types = [schema.type ?? []].flat().join(' or ')
  const named = typeof schema.format === 'string' ? `${types} (${schema.format})` : types
  return escapeHtml(named || (schema.properties || schema.allOf ? 'object' : 'any'))
}

const RULES: Record<string, string> = {
  default: 'Default',
  minimum: 'At least',
  maximum: 'At most',
  minLength: 'Shortest length',
  maxLength: 'Longest length',
  minItems: 'Fewest items',
  maxItems: 'Most items',
  pattern: 'Pattern',
}

/** The bounds of a value, and the values of an enumeration. */
export function rulesHtml(schema: Json): string {
  const rules = Object.entries(RULES)
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, words]) => `${words}: <code>${escapeHtml(String(schema[keyword]))}</code>`)
  const values = [schema.enum ?? []].flat().map((value) => `<code>${escapeHtml(String(value))}</code>`)
  const all = [...(values.length > 0 ? [`One of ${values.join(' ')}`] : []), ...rules]
  return all.length > 0 ? `<p class="rules">${all.join('. ')}.</p>` : ''
}

/** The properties of an object, with those of all its parts. */
function propertiesOf(schema: Json, resolve: Resolve): [string, Json, boolean][] {
  const own = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  const required = new Set(partsOf(schema.required) as unknown as string[])
  const inherited = partsOf(schema.allOf).flatMap((part) => propertiesOf(resolve(part), resolve))
  return [
    ...inherited,
    ...own.map(([name, part]): [string, Json, boolean] => [name, part, required.has(name)]),
  ]
}

/** A schema as HTML: its description, its rules and its properties. */
export function schemaHtml(schema: Json, resolve: Resolve): string {
  const properties = propertiesOf(schema, resolve)
  const text = markdown(schema.description) + rulesHtml(schema)
  if (properties.length === 0) return `${text}<p>Type: ${typeHtml(schema)}</p>`
  const rows = properties.map(([name, part, required]) => {
    const said = `${typeHtml(part)}${required ? ', required' : ''}`
    const inside = part.properties ? schemaHtml({ ...part, description: undefined }, resolve) : ''
    return `<dt><code>${escapeHtml(name)}</code> ${said}</dt><dd>${markdown(part.description)}${rulesHtml(part)}${inside}</dd>`
  })
  return `${text}<dl>${rows.join('\n')}</dl>`
}

/** Calls `found` with the name of every component schema in the part. */
export function eachSchemaName(part: unknown, found: (name: string) => void): void {
  if (typeof part !== 'object' || part === null) return
  const { $ref } = part as Json
  if (typeof $ref === 'string' && $ref.startsWith('#/components/schemas/'))
    found($ref.split('/').at(-1) ?? '')
  for (const inner of Object.values(part)) eachSchemaName(inner, found)
}
