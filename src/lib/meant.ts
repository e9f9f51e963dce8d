/** Names that callers nearly wrote. */

const LONGEST = 100

const folded = (name: string): string => name.slice(0, LONGEST).toLowerCase().replace(/[-_ ]/g, '')

/** The names that differ from the text in letter case, `-` and `_` alone. */
export const meant = (text: string, names: readonly string[]): string[] => {
  const wanted = folded(text)
  return wanted === '' ? [] : names.filter((name) => folded(name) === wanted)
}

/** The end of a message: a question where there is a name to ask about. */
export const didYouMean = (names: readonly string[]): string =>
  names.length > 0 ? `; did you mean ${names.join(' or ')}?` : ''
