/**
 * The YAML front matter of a Markdown file. Every scalar is text, and aliases are never resolved. A change of one key leaves
 * the rest of the file as it is written.
 */
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  stringify,
  type YAMLMap,
} from 'yaml'

type Values = Readonly<Record<string, string | null>>

export interface FrontMatter {
  /** Its text with the lines of hyphens; empty: the file has no front matter. */
  head: string
  /** The text of the key, or the texts of its list. undefined: the key is not there. null: its value is neither. */
  get(key: string): string | string[] | null | undefined
  /**
   * The file with these values in its front matter; a value of null removes its key. null: the front matter is written in a
   * form of YAML that cannot be changed in place.
   */
  with(values: Values): string | null
}

interface Problem {
  /** The reason why the front matter cannot be read, after the name of the file: `has …`. */
  problem: string
}

interface Edit {
  from: number
  to: number
  written: string
}

const ON_ONE_LINE = {
  lineWidth: 0,
  blockQuote: false,
  singleQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const
const FENCE = /^\uFEFF?---[ \t]*\r?$/gm
/** The characters of the longest front matter. */
const MAX_CHARACTERS = 10_000

/** The front matter of the file. A file without front matter gets it by the first value. */
export function frontMatterOf(file: string): FrontMatter | Problem {
  const [opening, closing] = file.matchAll(FENCE)
  if (opening?.index !== 0)
    return {
      head: '',
      get: () => undefined,
      with: (values) => `---\n${changed('', null, values)}---\n\n${file}`,
    }
  if (!closing) return { problem: 'has front matter without an end, which is a line of three hyphens' }
  const from = opening.index + opening[0].length + 1
  const yaml = file.slice(from, closing.index)
  if (yaml.length > MAX_CHARACTERS)
    return { problem: `has front matter with more than ${MAX_CHARACTERS.toLocaleString('en-US')} characters` }
  const map = parsed(yaml)
  if (map !== null && 'problem' in map) return map
  return {
    head: file.slice(0, closing.index + closing[0].length + 1),
    get: (key) => textOf(map?.get(key, true)),
    with(values) {
      const text = file.slice(0, from) + changed(yaml, map, values) + file.slice(closing.index)
      const now = frontMatterOf(text)
      const is_changed = Object.entries(values).every(
        ([key, value]) => 'get' in now && now.get(key) === (value ?? undefined),
      )
      return is_changed ? text : null
    },
  }
}

function parsed(yaml: string): YAMLMap | null | Problem {
  const lines = new LineCounter()
  // An error with its place in words takes long, and there may be thousands.
  const options = { schema: 'failsafe', logLevel: 'silent', prettyErrors: false, lineCounter: lines } as const
  const { contents, errors } = parseDocument(yaml, options)
  const [error] = errors
  if (error) {
    // The parser calls itself for each level.
    const reason = error.message.includes('call stack') ? 'Too many levels' : error.message
    const { line } = lines.linePos(error.pos[0])
    return { problem: `has front matter that is no YAML, in its line ${line || 1}: ${reason}` }
  }
  if (contents === null) return null
  if (isMap(contents) && !contents.flow) return contents
  return { problem: 'has front matter that is not a key with its value on each line' }
}

/** A key without a value has the empty text. */
function textOf(node: unknown): string | string[] | null | undefined {
  if (node === undefined) return undefined
  const list = isSeq(node)
  const texts: string[] = []
  for (const item of list ? node.items : [node]) {
    const value = isScalar(item) ? (item.value ?? '') : null
    if (typeof value !== 'string') return null
    texts.push(value)
  }
  return list ? texts : texts[0]
}

/** The YAML with the values: a pair that it has is replaced in place, and others come first. */
function changed(yaml: string, map: YAMLMap | null, values: Values): string {
  const first = map?.range?.[0] ?? yaml.length
  const indentation = yaml.slice(yaml.lastIndexOf('\n', first - 1) + 1, first)
  const edits: Edit[] = []
  let added = ''
  for (const [key, value] of Object.entries(values)) {
    const written = value === null ? '' : stringify({ [key]: value }, ON_ONE_LINE)
    const pair = map?.items.find((one) => isScalar(one.key) && one.key.value === key)
    if (pair) edits.push({ ...placeOf(yaml, pair as Pair<Scalar, Scalar | null>), written })
    else if (written) added += written + indentation
  }
  const edited = edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((text, { from, to, written }) => text.slice(0, from) + written + text.slice(to), yaml)
  return edited.slice(0, first) + added + edited.slice(first)
}

/** The place of the pair, with the end of its last line. */
function placeOf(yaml: string, { key, value }: Pair<Scalar, Scalar | null>): Pick<Edit, 'from' | 'to'> {
  const from = key.range?.[0] ?? 0
  const end = value?.range?.[1] ?? from
  const line_end = yaml[end - 1] === '\n' ? end - 1 : yaml.indexOf('\n', end)
  return { from, to: line_end < 0 ? yaml.length : line_end + 1 }
}
