/** The grammar of `conditions` that the double knows. All other text is refused. */
import { Refusal, type Row } from '../vendor.ts'
import { type Form, type Kind, kindAt, pathOf, valuesAt } from './rows.ts'

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

/** True if a field of the kind can be compared with the value: another kind is refused, even if there are no rows. */
function fits(kind: Kind, value: Value): boolean {
  if (value === null) return true
  return kind === 'time' ? value instanceof Date : typeof value === kind
}

/** `fields`: the paths that can be named, of rows of the form. None: the object takes no conditions. */
export function parseConditions(text: string, form: Form, fields: readonly string[]): Test {
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
    const { kind, text: name } = take()
    const path = pathOf(name)
    const field = fields.includes(name) ? kindAt(form, path, { in_lists: true }) : undefined
    if (kind !== 'word' || field === undefined) return refuse()
    const { text: operator } = take()
    if (operator === 'in') {
      expectMark('(')
      const values = [value()]
      while (is(',')) {
        at++
        values.push(value())
      }
      expectMark(')')
      if (!values.every((one) => fits(field, one))) refuse()
      return (row) => valuesAt(row, path).some((one) => values.includes(one as Value))
    }
    const wanted = value()
    if (operator === 'contains') {
      if (field !== 'string' || typeof wanted !== 'string' || /[%*_[\]]/.test(wanted)) return refuse()
      const text = wanted.toLowerCase()
      return (row) =>
        valuesAt(row, path).some((one) =>
          String(one ?? '')
            .toLowerCase()
            .includes(text),
        )
    }
    if (!['=', '!=', '<', '<=', '>', '>='].includes(operator) || !fits(field, wanted)) refuse()
    return (row) => valuesAt(row, path).some((one) => compare(one, operator, wanted))
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
