/** Reading of a company's name: the words that tell it from others, apart from how it is written. */
import anyAscii from 'any-ascii'
import { decodeHTMLStrict } from 'entities'
import { distance } from 'fastest-levenshtein'
import { type Forms, newForms, type Written, withoutForms } from './forms.ts'
import {
  CONJUNCTIONS,
  GENERIC,
  LEGAL_PHRASES,
  OVER,
  PLACEHOLDERS,
  PLANS,
  SPELLINGS,
  VARIANTS,
} from './vocabulary.ts'

/** One way to write a name in ASCII. */
export interface Spelling {
  /** In their one spelling: without legal form, conjunctions and The. */
  tokens: readonly string[]
  /** The tokens, as one text: equal for names that differ only in how they are written. */
  key: string
  /** The key without spaces. */
  joined: string
  /** The words as they are written, by token: `clinics` by `clinic`. An abbreviation stands for all forms of its word. */
  written: ReadonlyMap<string, string>
}

/** A name as it is compared. */
export interface NameReading {
  /** One, or two if the name has letters that are written in ASCII in two ways, as `ü` as `u` and `ue`. */
  spellings: readonly Spelling[]
  /** Other names that the text gives: `dba`, `formerly`. */
  aliases: readonly (Spelling & { kind: AliasKind })[]
  forms: Readonly<Record<keyof Forms, ReadonlySet<string>>>
  /** A code that the MSP added to the name, in upper case. */
  code: string | null
  /** false: it is written in another script. */
  is_latin: boolean
  /** The text is a mark of the MSP for a customer that is none any more. */
  is_over: boolean
  /** It is a name of no company, such as `Default Site`. */
  is_placeholder: boolean
}

/** UNCODED: the name without its first word, which may be a code of the MSP. */
type AliasKind = 'TRADING' | 'FORMER' | 'UNCODED'

/** The longest text of a name that is read. */
const LONGEST = 200

/** The longest text that is decoded: a character takes up to ten as an HTML entity. */
const LONGEST_ENCODED = 10 * LONGEST

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu

const OTHER_NAME =
  /(?<![\p{L}\d])(?:(?<trading>d\/?b\/?a|t\/a|trading as|doing business as|a\/?k\/?a|also known as)|(?<former>f\/?k\/?a|formerly known as|formerly|previously|now known as|renamed to)|c\/o)(?![\p{L}\d])/iu
const FORMER = /^(?:was|ex|now) (.+)$/iu
const OVER_PREFIX =
  /^\s*(?:z{2,}|x{2,})(?:[\s_*.-]*(?:old|inactive|former)(?![\p{L}]))?[\s_*.:-]*(?=\p{L}|\d)/iu
const OVER_PHRASE = /\b(?:do not use|do-not-use|no longer a client|former client)\b/iu
const BRACKETED = /[([{]([^()[\]{}]*)[)\]}]/gu
const CODE = /^(?=.*\d)(?=.*\p{Lu})[\p{Lu}\d]{2,8}$|^#?\d{4,10}$/u
const LEADING_CODE = /^(?:((?=\S*\d)[\p{Lu}\d]{3,8}|\d{4,10})\s*[-–—:|]\s+)(?=\p{L})/u
const POSSIBLE_CODE = /^(?:(?=\S*\d)(?=\S*\p{Lu})[\p{Lu}\d]{3,8}|\d{4,10})\s+(?=\p{L})/u
const TAIL_MARKS = [' - ', ' – ', ' — ', ' | ', ': ', '_']
const DOTTED = /(?<![\p{L}\d])(?:\p{L}\.\s?){2,}(?:\p{L}(?![\p{L}\d]))?/gu
const SLASHED_FORM = /(?<![\p{L}\d])([a-z])\/([a-z])(?![\p{L}\d])/giu
const APOSTROPHES = /['’‘`´ʼ]/gu
const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', æ: 'ae' }
const HAS_DIGRAPH = /[äöüøåæ]/iu
const ROMAN: Readonly<Record<string, string>> = { ii: '2', iii: '3', iv: '4', vi: '6', vii: '7', viii: '8' }
const NUMBER_MARKS: ReadonlySet<string> = new Set(['no', 'nr', 'num', 'number'])
const DOCTORS: ReadonlySet<string> = new Set(['dr', 'drs', 'doctor'])

const GENERIC_BY_LENGTH: ReadonlyMap<number, readonly string[]> = Map.groupBy(
  [...GENERIC].filter((word) => word.length >= 8),
  (word) => word.length,
)

const letters = (word: string): string => [...word].sort().join('')

/** One letter more, less or another one, or two neighbours swapped; two of them in a long word. */
const isSlip = (word: string, meant: string): boolean => {
  const edits = distance(word, meant)
  return edits <= (meant.length >= 11 ? 2 : 1) || (edits === 2 && letters(word) === letters(meant))
}

/** The generic word of which this one is a misspelling, or the word itself. */
function corrected(word: string): string {
  if (word.length < 7 || GENERIC.has(word) || /\d/.test(word)) return word
  for (let length = word.length - 1; length <= word.length + 1; length++)
    for (const meant of GENERIC_BY_LENGTH.get(length) ?? [])
      if (meant[0] === word[0] && isSlip(word, meant)) return meant
  return word
}

/** A word in its one spelling, and as it is written. */
interface Word {
  token: string
  /** Empty: an abbreviation, which stands for all forms of its word. */
  written: string
}

/** The generic word of which this one is the plural, or undefined. */
const singularOf = (word: string): string | undefined =>
  word.endsWith('s')
    ? [word.replace(/ies$/, 'y'), word.slice(0, -1), word.replace(/es$/, '')].find(
        (each) => each !== word && GENERIC.has(each),
      )
    : undefined

/** The one spelling of a word. Plurals of generic words alone are taken for their singular: Williams is not William. */
function spelt(word: string, at: number, all: readonly string[]): Word {
  const abbreviated = (token: string): Word => ({ token, written: '' })
  if (word === 'st') return abbreviated(at === all.length - 1 && at > 0 ? 'street' : 'saint')
  if (word === 'assoc' && /^(?:of|for)$/.test(all[at + 1] ?? '')) return abbreviated('association')
  const known = SPELLINGS.get(word) ?? ROMAN[word]
  if (known !== undefined) return abbreviated(known)
  const singular = singularOf(word) ?? word
  if (VARIANTS.has(singular) || GENERIC.has(singular))
    return { token: VARIANTS.get(singular) ?? singular, written: word }
  const fixed = corrected(word)
  // A word with another ending is another word, and no slip: an accountant is not accountants.
  const has_other_ending = fixed.startsWith(word) || word.startsWith(fixed)
  const token = VARIANTS.get(fixed) ?? fixed
  return { token, written: has_other_ending ? word : fixed }
}

const isOneOf = (set: ReadonlySet<string>) => (word: string) => set.has(word)

function spellingOf(ascii: string, forms: Forms, how: Written): Spelling {
  const raw = ascii
    .toLowerCase()
    .replace(APOSTROPHES, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const named = withoutForms(raw, forms, how).filter((word, at, all) => {
    const is_inside = at > 0 && at < all.length - 1
    if (is_inside && CONJUNCTIONS.has(word)) return false
    if (all.length > 1 && word === 'the' && !(is_inside && all[at - 1] === 'of')) return false
    if (NUMBER_MARKS.has(word) && /^\d/.test(all[at + 1] ?? '')) return false
    return !(at === 0 && all.length > 2 && DOCTORS.has(word))
  })
  const spelt_words = joinInitials(named).map(spelt)
  const tokens = spelt_words.map(({ token }) => token)
  const written = new Map<string, string>()
  for (const word of spelt_words) written.set(word.token, word.written)
  return { tokens, key: tokens.join(' '), joined: tokens.join(''), written }
}

/** `j r tolliver` is `jr tolliver`. */
function joinInitials(words: readonly string[]): string[] {
  const joined: string[] = []
  let initials = ''
  for (const word of words) {
    if (/^[a-z]$/.test(word)) initials += word
    else {
      if (initials) joined.push(initials)
      initials = ''
      joined.push(word)
    }
  }
  return initials ? [...joined, initials] : joined
}

/** The ways to write the text in ASCII. */
function asciiOf(text: string): string[] {
  const composed = text.normalize('NFC')
  const plain = anyAscii(composed.normalize('NFD').replace(/(?<=\p{Script=Latin})\p{M}+/gu, ''))
  if (!HAS_DIGRAPH.test(composed)) return [plain]
  const digraphs = composed.replace(/[äöüøåæ]/giu, (letter) => DIGRAPHS[letter.toLowerCase()] ?? letter)
  return [
    ...new Set([plain, anyAscii(digraphs.normalize('NFD').replace(/(?<=\p{Script=Latin})\p{M}+/gu, ''))]),
  ]
}

const spellingsOf = (text: string, forms: Forms, how: Written): Spelling[] => {
  const spellings = asciiOf(text).map((ascii) => spellingOf(ascii, forms, how))
  return spellings.filter(
    ({ key }, at) => key !== '' && spellings.findIndex((other) => other.key === key) === at,
  )
}

const initials = (words: readonly string[]): string => words.map((word) => word[0]).join('')

/** The text is the initials of the words, or their first letters. */
const abbreviates = (text: string, around: string): boolean => {
  const short = text.toLowerCase()
  const words = anyAscii(around)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !CONJUNCTIONS.has(word))
  const firsts = initials(words)
  return (
    /^[a-z]{2,6}$/.test(short) &&
    (firsts === short || firsts.startsWith(short) || isWithin(short, words.join('')))
  )
}

/** The letters of the text come in the other one, in their order, and both begin alike. */
function isWithin(text: string, other: string): boolean {
  if (text[0] !== other[0]) return false
  let at = 0
  for (const letter of other) if (letter === text[at]) at++
  return at === text.length
}

/** The text before its last dash or colon, and that after it. */
function cutTail(text: string): [head: string, tail: string] {
  const at = Math.max(...TAIL_MARKS.map((mark) => text.lastIndexOf(mark)))
  return at <= 0 ? [text, ''] : [text.slice(0, at), text.slice(at).replace(/^(?: - | – | — | \| |: |_)/u, '')]
}

/** The text without what is not seen, in one Unicode form and without HTML entities, however often it was encoded. */
function plainText(text: string): string {
  const plain = text.replace(INVISIBLE, '').normalize('NFKC')
  const decoded = decodeHTMLStrict(plain)
  return decoded === plain ? plain : plainText(decoded)
}

/** Reads a name. Reading never fails: a text without letters and digits has no spelling. */
export function readName(name: string): NameReading {
  let text = plainText(name.slice(0, LONGEST_ENCODED))
    .slice(0, LONGEST)
    .replace(/\p{Cc}+/gu, ' ')
    .replaceAll('_', ' _ ')
  text = text.replace(/ _ (?=[\p{Lu}\d]+$)/u, '_').replaceAll(' _ ', ' ')
  for (const [phrase, form] of LEGAL_PHRASES) text = text.replace(phrase, form)
  const is_latin =
    /\p{Script=Latin}/u.test(text.replace(/\b(?:kk|yk|gk|ltd|jusikhoesa)\b/gu, '')) || !/\p{L}/u.test(text)

  let is_over = false
  let code: string | null = null
  const aliases: { text: string; kind: AliasKind }[] = []

  const withoutPrefix = text.replace(OVER_PREFIX, '')
  if (withoutPrefix !== text || OVER_PHRASE.test(text)) is_over = true
  text = withoutPrefix.replace(OVER_PHRASE, ' ').trim()

  const [before = '', ...after] = text.split(/ now /iu)
  const now = after.join(' ').trim()
  if (before.trim().includes(' ') && now.includes(' ')) {
    text = before
    aliases.push({ text: now, kind: 'FORMER' })
  }
  const other = OTHER_NAME.exec(text)
  if (other && other.index > 0) {
    const rest = text.slice(other.index + other[0].length)
    if (other.groups?.trading) aliases.push({ text: rest, kind: 'TRADING' })
    if (other.groups?.former) aliases.push({ text: rest, kind: 'FORMER' })
    text = text.slice(0, other.index)
  }

  const outside = text.replace(BRACKETED, ' ').trim()
  text = text.replace(BRACKETED, (_all, inside: string) => {
    const bare = inside.trim()
    const word = bare.toLowerCase()
    const former = FORMER.exec(bare)?.[1]
    if (former !== undefined) {
      aliases.push({ text: former, kind: 'FORMER' })
      return ' '
    }
    if (OVER.has(word)) is_over = true
    if (OVER.has(word) || PLANS.has(word) || word === 'the') return ' '
    if (outside !== '' && (CODE.test(bare) || abbreviates(bare, outside))) {
      code = bare.toUpperCase()
      return ' '
    }
    return ` ${bare} `
  })
  const leading = LEADING_CODE.exec(text.trim())
  if (leading) {
    code ??= leading[1] as string
    text = text.trim().slice(leading[0].length)
  }
  const [head, tail] = cutTail(text.trim())
  const mark = tail.toLowerCase()
  const is_code = tail.length >= 3 && CODE.test(tail)
  if (is_code) code ??= tail
  if (OVER.has(mark)) is_over = true
  if (is_code || OVER.has(mark) || PLANS.has(mark)) text = head

  const dotted = new Set<string>()
  const joinLetters = (letters_apart: string): string => {
    const joined = letters_apart.replace(/[./\s]/gu, '')
    dotted.add(joined.toLowerCase())
    return joined
  }
  text = text.replace(DOTTED, (all) => `${joinLetters(all)} `).replace(SLASHED_FORM, joinLetters)
  // `Leeds, University of`: the words after the comma come first.
  const comma = text.lastIndexOf(',')
  const last = text.slice(comma + 1).trim()
  if (comma > 0 && /(?:^the| of)$/iu.test(last)) text = `${last} ${text.slice(0, comma)}`

  const cased = new Set(text.match(/\p{Lu}\p{Ll}+/gu)?.map((word) => word.toLowerCase()))
  const how = { dotted, cased }
  const forms = newForms()
  const spellings = spellingsOf(text, forms, how)
  const possible = POSSIBLE_CODE.exec(text.trim())
  if (possible) aliases.push({ text: text.trim().slice(possible[0].length), kind: 'UNCODED' })
  // An alias adds to the forms what makes them unsure, and no class.
  const of_aliases: Forms = { ...forms, classes: new Set() }
  return {
    spellings,
    aliases: aliases.flatMap(({ text: alias, kind }) =>
      spellingsOf(alias, of_aliases, how).map((spelling) => ({ ...spelling, kind })),
    ),
    forms,
    code,
    is_latin,
    is_over,
    is_placeholder: spellings.every(({ tokens }) => tokens.every(isOneOf(PLACEHOLDERS))),
  }
}

/** The initials of a name of three words and more; null of a shorter one. */
export const initialsOf = ({ tokens }: Spelling): string | null =>
  tokens.length < 3 ? null : initials(tokens.filter((token) => token !== 'of'))

/** A spelling in which names of other scripts agree more often with how they are written in Latin letters. */
export const phonetic = (joined: string): string =>
  joined
    .replaceAll('x', 'ks')
    .replaceAll('kh', 'h')
    .replaceAll('ch', 'c')
    .replaceAll('shch', 'sc')
    .replaceAll('sh', 's')
    .replaceAll('zh', 'z')
    .replaceAll('ph', 'f')
    .replaceAll('th', 't')
    .replaceAll('ts', 'c')
    .replaceAll('w', 'v')
    .replaceAll('ck', 'k')
    .replaceAll('c', 'k')
    .replace(/[yji]+/g, 'i')
    .replace(/iu/g, 'u')
    .replace(/ia/g, 'a')
    .replace(/([a-z])\1+/g, '$1')

export { isSlip, letters }
