/** The grammar of `conditions` that the double knows. All other text is refused. */
import { Refusal, type Row } from '../vendor.ts'

type Value = string | number | boolean | Date | null
type Test = (row: Row) => boolean

const TOKEN =
  /\s*(?:(?<string>"[^"]*")|\[(?<date>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\]|(?<number>\d+)(?![\w/])|(?<mark><=|>=|!=|[=<>(),])|(?<word>[A-Za-z_][\w/]*))/y

const bad = (text: string): Refusal => new Refusal(400, `conditions ${text}`)

interface Token {
  kind: 'string' | 'date' | 'number' | 'mark' | 'word'
  text: string
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text)
    const [kind, value] = Object.entries(found?.groups ?? {}).find(([, one]) => one !== undefined) ?? []
    if (!kind || value === undefined) throw bad(text)
    tokens.push({ kind: kind as Token['kind'], text: value })
  }
  return tokens
}

/** The values at the path: an array has those of each of its items. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path))
  const [first, ...rest] = path
  if (first === undefined) return [value]
  return value && typeof value === 'object' ? valuesAt((value as Row)[first], rest) : [undefined]
}

const INFO = ['lastUpdated', 'dateEntered']

const valuesOf = (row: Row, path: string): unknown[] =>
  valuesAt(row, INFO.includes(path) ? ['_info', path] : path.split('/'))

export const valueAt = (row: Row, path: string): unknown => valuesOf(row, path)[0]

const same = (one: unknown): unknown => (typeof one === 'string' ? one.toLowerCase() : one)

function compare(value: unknown, mark: string, wanted: Value): boolean {
  if (wanted instanceof Date) {
    if (typeof value !== 'string') return false
    return compareOrder(new Date(value).getTime(), mark, wanted.getTime())
  }
  if (value === undefined || value === null) return mark === '!=' || wanted === false
  if (typeof value !== typeof wanted) throw bad(`${String(value)} ${mark} ${String(wanted)}`)
  return compareOrder(same(value) as number, mark, same(wanted) as number)
}

function compareOrder(one: number, mark: string, other: number): boolean {
  if (mark === '=') return one === other
  if (mark === '!=') return one !== other
  if (mark === '<') return one < other
  if (mark === '<=') return one <= other
  return mark === '>' ? one > other : one >= other
}

/** `fields`: the paths that can be named. */
export function parseConditions(text: string, fields: ReadonlySet<string>): Test {
  const tokens = tokensOf(text)
  let at = 0
  const refuse = (): never => {
    throw bad(text)
  }
  const is = (word: string): boolean =>
    tokens[at]?.kind !== 'string' && tokens[at]?.text.toLowerCase() === word
  const take = (): Token => tokens[at++] ?? refuse()
  const expectMark = (mark: string): void => {
    if (take().text !== mark) refuse()
  }
  const value = (): Value => {
    const { kind, text: one } = take()
    if (kind === 'string') return one.slice(1, -1)
    if (kind === 'date') return new Date(one)
    if (kind === 'number') return Number(one)
    if (one === 'null') return null
    return one === 'true' ? true : one === 'false' ? false : refuse()
  }
  const one = (): Test => {
    if (is('(')) {
      at++
      const inner = any()
      expectMark(')')
      return inner
    }
    const { kind, text: path } = take()
    if (kind !== 'word' || !fields.has(path)) refuse()
    const { text: operator } = take()
    if (operator === 'in') {
      expectMark('(')
      const values = [value()]
      while (is(',')) {
        at++
        values.push(value())
      }
      expectMark(')')
      return (row) => valuesOf(row, path).some((one) => values.includes(one as Value))
    }
    const wanted = value()
    if (operator === 'contains') {
      if (typeof wanted !== 'string' || /[%*_[\]]/.test(wanted)) return refuse()
      const text = wanted.toLowerCase()
      return (row) =>
        valuesOf(row, path).some((one) =>
          String(one ?? '')
            .toLowerCase()
            .includes(text),
        )
    }
    if (!['=', '!=', '<', '<=', '>', '>='].includes(operator)) refuse()
    return (row) => valuesOf(row, path).some((one) => compare(one, operator, wanted))
  }
  const chain = (word: string, part: () => Test, join: (tests: Test[]) => Test): Test => {
    const tests = [part()]
    while (is(word)) {
      at++
      tests.push(part())
    }
    return tests.length === 1 ? (tests[0] as Test) : join(tests)
  }
  const all = (): Test => chain('and', one, (tests) => (row) => tests.every((test) => test(row)))
  const any = (): Test => chain('or', all, (tests) => (row) => tests.some((test) => test(row)))
  const test = any()
  if (at < tokens.length) refuse()
  return test
}
