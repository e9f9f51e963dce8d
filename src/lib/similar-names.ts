/** Suggestions for misspelt names. */

const LONGEST = 100

const folded = (name: string): string => name.slice(0, LONGEST).toLowerCase().replace(/[-_ ]/g, '')

/** The names that differ from the text only in letter case, `-` and `_`. */
export const similarNames = (text: string, names: readonly string[]): string[] => {
  const wanted = folded(text)
  return wanted === '' ? [] : names.filter((name) => folded(name) === wanted)
}

/** The end of an error message: `; did you mean HUDU?`, or nothing. */
export const suggestionText = (names: readonly string[]): string =>
  names.length > 0 ? `; did you mean ${names.join(' or ')}?` : ''
