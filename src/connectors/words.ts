/** Words of searches and order of names, for systems that search and sort otherwise than a port promises. */

export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

/** True if the texts together have every one of the words, which are in lower case. */
export function hasWords(words: readonly string[], texts: readonly (string | null | undefined)[]): boolean {
  const text = texts.join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

export const byName = (one: { name: string }, other: { name: string }): number =>
  one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1

/** The domain of a web address, which people write with or without `https://www.`. */
export function domainsOf(website: string | null | undefined): string[] {
  const url = website ? URL.parse(/^https?:\/\//.test(website) ? website : `https://${website}`) : null
  return url ? [url.hostname.replace(/^www\./, '')] : []
}
