/** Characters that a reader does not see, or that make text read as other text: control, bidirectional and zero-width ones. */

// Contract silent: line breaks and tabs are seen. Every character that Unicode calls ignorable or a format is hidden.
const HIDDEN = /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The code point of a character: `U+202E`. */
const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** The text with each hidden character as its code point. */
export const shownText = (text: string): string => text.replace(HIDDEN, codePointOf)

export interface HiddenCharacter {
  /** The path of the text: `arguments.text`. */
  path: string
  /** The position in the text, in UTF-16 code units. */
  index: number
  code_point: string
}

const hiddenInText = (text: string, path: string): HiddenCharacter[] =>
  [...text.matchAll(HIDDEN)].map(({ index, 0: character }) => ({
    path,
    index,
    code_point: codePointOf(character),
  }))

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${shownText(name)}`)

/** The hidden characters of every text in the value. Those in the name of a property have the path of the property. */
export function hiddenIn(value: unknown, path = ''): HiddenCharacter[] {
  if (typeof value === 'string') return hiddenInText(value, path)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = joined(path, name)
    return [...hiddenInText(name, at), ...hiddenIn(inner, at)]
  })
}

/** The text as it is shown, with the positions in it of what was hidden. */
export function hiddenInShown(text: string, path: string): HiddenCharacter[] {
  let longer = 0
  return hiddenInText(text, path).map(({ index, ...hidden }) => {
    const at = index + longer
    longer +=
      hidden.code_point.length - String.fromCodePoint(Number.parseInt(hidden.code_point.slice(2), 16)).length
    return { ...hidden, index: at }
  })
}
