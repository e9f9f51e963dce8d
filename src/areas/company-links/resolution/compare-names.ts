/** Comparison of two names: whether they are one, and how certain that is. */
import { distance } from 'fastest-levenshtein'
import { initialsOf, isSlip, letters, type NameReading, phonetic, type Spelling } from './names.ts'
import { GENERIC, SEPARATE } from './vocabulary.ts'

/** The certainty of each kind of agreement. Tuned on one half of the labelled pairs. */
const CONFIDENCE = {
  exact: 0.98,
  joined: 0.97,
  short_joined: 0.9,
  other_script: 0.96,
  short_other_script: 0.9,
  alias: 0.96,
  short_alias: 0.93,
  both_aliases: 0.85,
  uncoded: 0.9,
  reordered_trade: 0.96,
  reordered: 0.88,
  slip: 0.96,
  slip_in_only_name: 0.88,
  other_letter: 0.8,
  word_more: 0.85,
  abbreviated_word: 0.78,
  initials: 0.76,
} as const

/** The most that names of two legal forms, codes, states or wordings are worth: a person looks at them. */
const OF_TWO = 0.93

/** The kind of agreement between two names. */
export interface Agreement {
  /** They are the same but for how they are written. */
  is_exact: boolean
  confidence: number
  /** Something beside the names speaks against it, such as two legal forms. */
  is_doubted: boolean
}

const isGeneric = (word: string): boolean => GENERIC.has(word)

const numbersOf = (tokens: readonly string[]): string => (tokens.join(' ').match(/\d+/g) ?? []).join(' ')

/** The words of the first that the second has not. */
function extraWords(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return words.filter((word) => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && extraWords(a, b).length === 0

/** The letters of the shorter word come in the longer one in their order, from the first on. */
function shortens(short: string, long: string): boolean {
  if (short.length < 2 || long.length < short.length + 3 || short[0] !== long[0]) return false
  let at = 0
  for (const letter of long) if (letter === short[at]) at++
  return at === short.length
}

/** One word of the name is spelt otherwise. */
function ofOneWord(a: Spelling, b: Spelling): number {
  if (a.tokens.length !== b.tokens.length) return 0
  const at = a.tokens.findIndex((token, index) => token !== b.tokens[index])
  const [one, other] = [a.tokens[at] as string, b.tokens[at] as string]
  if (a.tokens.slice(at + 1).some((token, index) => token !== b.tokens[at + 1 + index])) return 0
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (at > 0 && shortens(short, long)) return CONFIDENCE.abbreviated_word
  if (isGeneric(one) || isGeneric(other) || short.length < 6 || short[0] !== long[0]) return 0
  if (!isSlip(one, other)) return 0
  const has_other_name = a.tokens.some(
    (token, index) => index !== at && !isGeneric(token) && token.length > 3,
  )
  const is_swapped = short.length >= 8 && letters(one) === letters(other)
  // A letter at the end makes another word, as Carpenters of Carpenter.
  // A letter more or less makes another surname, as Hutchison of Hutchinson, and another letter makes one more often.
  if (is_swapped) return a.tokens.length > 1 ? CONFIDENCE.slip : CONFIDENCE.slip_in_only_name
  if (short.length >= 8 && short.length !== long.length && distance(short, long) === 1)
    return has_other_name && !long.startsWith(short) ? CONFIDENCE.slip : CONFIDENCE.slip_in_only_name
  return CONFIDENCE.other_letter
}

/** One name has words more. */
function ofMoreWords(a: Spelling, b: Spelling): number {
  const [few, many] = a.tokens.length < b.tokens.length ? [a.tokens, b.tokens] : [b.tokens, a.tokens]
  if (extraWords(few, many).length > 0 || few.every(isGeneric)) return 0
  const extra = extraWords(many, few)
  return extra.every((word) => isGeneric(word) && !SEPARATE.has(word)) ? CONFIDENCE.word_more : 0
}

/** 0: they are not alike. */
function alike(a: Spelling, b: Spelling): number {
  if (numbersOf(a.tokens) !== numbersOf(b.tokens)) return 0
  if (a.joined === b.joined) return a.joined.length >= 7 ? CONFIDENCE.joined : CONFIDENCE.short_joined
  if (sameWords(a.tokens, b.tokens)) {
    const [one, other] = [a, b].map(({ tokens }) => tokens.filter((token) => !isGeneric(token)).join(' '))
    return one === other && one !== '' ? CONFIDENCE.reordered_trade : CONFIDENCE.reordered
  }
  if (initialsOf(a) === b.joined || initialsOf(b) === a.joined) return CONFIDENCE.initials
  return ofOneWord(a, b) || ofMoreWords(a, b)
}

/** A word of both names is written in two forms, as `clinic` and `clinics`: the names may be of two companies. */
// Contract silent: a singular and its plural are no certain match; an abbreviation and its word are one.
const areVariants = (a: Spelling, b: Spelling): boolean =>
  [...a.written].some(([token, one]) => {
    const other = b.written.get(token)
    return other !== undefined && one !== other && one !== '' && other !== ''
  })

/** The certainty in names of these wordings. */
const ofWordings = (certain: number, a: Spelling, b: Spelling): number =>
  certain > OF_TWO && areVariants(a, b) ? OF_TWO : certain

const best = (numbers: readonly number[]): number => Math.max(0, ...numbers)

const pairs = <A, B>(as: readonly A[], bs: readonly B[]): [A, B][] =>
  as.flatMap((a) => bs.map((b): [A, B] => [a, b]))

function ofOtherScripts(a: NameReading, b: NameReading): number {
  if (a.is_latin === b.is_latin) return 0
  const heard = pairs(a.spellings, b.spellings).filter(
    ([one, other]) =>
      phonetic(one.joined) === phonetic(other.joined) && numbersOf(one.tokens) === numbersOf(other.tokens),
  )
  return best(
    heard.map(([one, other]) => {
      const certain = one.joined.length >= 6 ? CONFIDENCE.other_script : CONFIDENCE.short_other_script
      return ofWordings(certain, one, other)
    }),
  )
}

function ofAlias(alias: NameReading['aliases'][number], name: Spelling): number {
  if (alias.key !== name.key) return 0
  if (alias.kind === 'UNCODED') return alias.tokens.every(isGeneric) ? 0 : CONFIDENCE.uncoded
  const certain =
    alias.kind === 'FORMER' || alias.tokens.length > 1 ? CONFIDENCE.alias : CONFIDENCE.short_alias
  return ofWordings(certain, alias, name)
}

function ofAliases(a: NameReading, b: NameReading): number {
  const named = [...pairs(a.aliases, b.spellings), ...pairs(b.aliases, a.spellings)]
  const both = pairs(a.aliases, b.aliases).some(
    ([one, other]) => one.key === other.key && one.kind !== 'UNCODED' && other.kind !== 'UNCODED',
  )
  return best([...named.map(([alias, name]) => ofAlias(alias, name)), both ? CONFIDENCE.both_aliases : 0])
}

const isPartOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.isSubsetOf(b)

/** Both have a legal form, and not the same one. A GmbH is part of its GmbH & Co. KG, and another company. */
const formsDiffer = (
  { forms: { classes: a } }: NameReading,
  { forms: { classes: b } }: NameReading,
): boolean => a.size > 0 && b.size > 0 && (!(isPartOf(a, b) || isPartOf(b, a)) || a.has('kg') !== b.has('kg'))

/** A legal form that may be a state, such as PA, is in one name alone. */
// Contract silent: PA of one name may be Pennsylvania or a professional association, so that a person checks the link.
const placesDiffer = ({ forms: a }: NameReading, { forms: b }: NameReading): boolean =>
  !(isPartOf(a.unsure, b.written) && isPartOf(b.unsure, a.written))

/** null: the names do not agree. Which of the two comes first is the same. */
export function compareNames(a: NameReading, b: NameReading): Agreement | null {
  if (a.is_placeholder || b.is_placeholder) return null
  const both = pairs(a.spellings, b.spellings)
  const is_exact = both.some(([one, other]) => one.key === other.key && !areVariants(one, other))
  const certain = is_exact
    ? CONFIDENCE.exact
    : best([
        ...both.map(([one, other]) => ofWordings(alike(one, other), one, other)),
        ofOtherScripts(a, b),
        ofAliases(a, b),
      ])
  if (certain === 0) return null
  const codes_differ = a.code !== null && b.code !== null && a.code !== b.code
  const is_doubted = formsDiffer(a, b) || placesDiffer(a, b) || codes_differ || a.is_over !== b.is_over
  return { is_exact, is_doubted, confidence: is_doubted ? Math.min(certain, OF_TWO) : certain }
}
