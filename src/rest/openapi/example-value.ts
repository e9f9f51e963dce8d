/** Example values of JSON Schemas. Each is valid for its schema and depends on nothing else. */
import type { Json } from './json.ts'

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
  ipv4: '192.0.2.1',
  uuid: '3f2b8a54-6d1e-4c9b-9a70-5e8c1d2f4b6a',
  email: 'ada@example.com',
  uri: 'https://example.com/docs',
}

/** The patterns of scalars without a format. */
const BY_PATTERN: Record<string, string> = {
  '^\\d{4}-\\d{2}-\\d{2}$': '2026-11-20',
}

const BY_NAME: readonly [RegExp, string][] = [
  [/(^|_)url$/, 'https://example.com/docs'],
  [/(^|_)email$/, 'ada@example.com'],
  [/(^|_)timezone$/, 'Europe/London'],
  [/(^|_)version$/, '1.0.0'],
  [/(^|_)(cidr|cidrs)$/, '192.0.2.0/24'],
  [/(^|_)ip$/, '192.0.2.1'],
  [/(^|_)cursor$/, 'eyJ2IjoxfQ'],
]

const snake = (name: string): string => name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()

/** `link_id` is `link_1`, the `id` of an `EndCompany` is `end_company_1`, `use_case` is `Use case`. */
function inWords(name: string, owner: string): string {
  if (name === 'id') return `${snake(owner)}_1`
  if (name.endsWith('_id')) return `${name.slice(0, -'_id'.length)}_1`
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The example in a description: `x` in "such as `x`", otherwise `A` in "A, B or C". */
function fromDescription(description: unknown): string | undefined {
  const match = /such as `([^`]+)`|: ([A-Z][A-Z_]+)(?:, [A-Z][A-Z_]+)* or [A-Z]/.exec(
    String(description ?? ''),
  )
  return match?.[1] ?? match?.[2]
}

function textExample(schema: Json, name: string, owner: string): unknown {
  const { format, pattern, minLength = 0, maxLength = 1000, description } = schema
  const byName = BY_NAME.find(([matches]) => matches.test(name))?.[1]
  const known =
    BY_FORMAT[String(format)] ?? BY_PATTERN[String(pattern)] ?? fromDescription(description) ?? byName
  const example = (known ?? inWords(name, owner)).slice(0, Number(maxLength)).padEnd(Number(minLength), 'x')
  // Words made of the name do not match a pattern; tests validate the others.
  return pattern === undefined || known !== undefined ? example : undefined
}

function numberExample({ minimum = 0, maximum = Number.POSITIVE_INFINITY }: Json, name: string): number {
  // An end is later than its start.
  if (name.startsWith('end_')) return Number.isFinite(maximum) ? Number(maximum) : 24
  return Math.min(Math.max(1, Number(minimum)), Number(maximum))
}

const MAX_DEPTH = 8

interface Options {
  /** The component schemas, by name. */
  schemas: Record<string, Json>
  /** A request leaves out read-only properties, a response leaves out optional ones. */
  isRequest: boolean
  /** The name of the component that the schema is in. */
  owner: string
}

function objectExample(schema: Json, options: Options, depth: number): unknown {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  const required = (schema.required ?? []) as string[]
  const shown = properties.filter(([name, { readOnly }]) =>
    options.isRequest ? !readOnly : required.includes(name),
  )
  const entries = shown.map(
    ([name, property]) => [name, exampleValue(property, name, options, depth + 1)] as const,
  )
  if (entries.some(([name, value]) => value === undefined && required.includes(name))) return undefined
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** An example for a property of that name; undefined where the schema does not determine one. */
export function exampleValue(schema: Json, name: string, options: Options, depth = 0): unknown {
  const { $ref, anyOf = schema.oneOf, examples, type, items } = schema
  const enumerated = schema.enum as unknown[] | undefined
  if (depth > MAX_DEPTH) return undefined
  if (typeof $ref === 'string') {
    const owner = $ref.split('/').at(-1) ?? ''
    return exampleValue(options.schemas[owner] ?? {}, name, { ...options, owner }, depth + 1)
  }
  if (Array.isArray(examples)) return examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (enumerated) return enumerated[0]
  if (Array.isArray(anyOf)) return exampleValue(anyOf[0] as Json, name, options, depth)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return objectExample(schema, options, depth)
    case 'array': {
      const item = exampleValue(items as Json, name.replace(/s$/, ''), options, depth + 1)
      return item === undefined ? undefined : [item]
    }
    case 'string':
      return textExample(schema, name, options.owner)
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return numberExample(schema, name)
    default:
      return {}
  }
}
