/** SQL composed of fragments: each text that a call composes is named after its hash, so that PostgreSQL plans it once. */
import { hash } from 'node:crypto'
import { type DatabaseContext, scoped, sql } from '../db.ts'
import type { Statement } from '../sql.ts'

/** A piece of SQL. Each `?` in it is the next of its values, `$word` the parameter of that name. */
export interface Fragment {
  text: string
  values?: readonly unknown[]
  /** Selectivity depends on the values, so PostgreSQL must plan the statement for them (custom plan). */
  custom_plan?: true
}

export type Parameters = Readonly<Record<string, unknown>>

interface Compiled {
  statement: Statement
  /** The names of the parameters in the text, in the order of their numbers. */
  parameters: readonly string[]
}

/** The size of the cache of composed statements: callers can combine filters and fields in any way. */
const MAX_COMPILED = 1000

const compiled = new Map<string, Compiled>()

/** Numbers of texts, which make cache keys short. The table is cleared when it is full. */
const MAX_KEYED_TEXTS = 5000
const numbers = new Map<string, number>()
let next_number = 0

/** A short key of these texts. */
export function keyOf(texts: readonly string[]): string {
  let key = ''
  for (const text of texts) {
    let number = numbers.get(text)
    if (number === undefined) {
      if (numbers.size === MAX_KEYED_TEXTS) numbers.clear()
      number = next_number++
      numbers.set(text, number)
    }
    key += `${number} `
  }
  return key
}

const FIRST_OWN = 3

function compile(name: string, text: string, custom_plan: true | undefined): Compiled {
  const parameters: string[] = []
  const named = text.replace(/\$([a-z]\w*)/g, (_match, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${FIRST_OWN + parameters.indexOf(parameter)}`
  })
  let next = FIRST_OWN + parameters.length
  const numbered = named.replaceAll('?', () => `$${next++}`)
  const digest = hash('sha256', numbered, 'base64url').slice(0, 12)
  return {
    statement: { ...scoped(`${name} ${digest}`, numbered), ...(custom_plan && { custom_plan }) },
    parameters,
  }
}

/** A statement that is composed when it is first asked for. Calls with the same key compose the same text. */
interface Composition extends Omit<Fragment, 'text'> {
  key: string
  compose: () => string
}

/** The rows of a composed statement on tenant-owned rows: `$1` is the caller's tenant, `$2` their environment. */
export async function selectComposed<Row>(
  ctx: DatabaseContext,
  name: string,
  { key, compose, values = [], custom_plan }: Composition,
  parameters: Parameters,
): Promise<Row[]> {
  let known = compiled.get(key)
  if (!known) {
    known = compile(name, compose(), custom_plan)
    if (compiled.size === MAX_COMPILED) compiled.delete(compiled.keys().next().value as string)
    compiled.set(key, known)
  }
  const named = known.parameters.map((parameter) => parameters[parameter])
  return await sql<Row>(ctx, known.statement, named.length > 0 ? [...named, ...values] : values)
}

/** The rows of a statement whose text is composed already. */
export const select = <Row>(
  ctx: DatabaseContext,
  name: string,
  { text, ...fragment }: Fragment,
  parameters: Parameters = {},
): Promise<Row[]> =>
  selectComposed<Row>(ctx, name, { ...fragment, key: text, compose: () => text }, parameters)

/** The conditions as they follow a `where`, and their values in order. */
export const allOf = (conditions: readonly Fragment[]): Required<Pick<Fragment, 'text' | 'values'>> => ({
  text: conditions.map(({ text }) => ` and ${text}`).join(''),
  values: conditions.flatMap(({ values = [] }) => values),
})
