/** The `like` pattern of text that contains the search text; `%`, `_` and `\` are escaped. */
export const containsPattern = (search: string): string => `%${search.replace(/[\\%_]/g, '\\$&')}%`

/** The SQL of text that is searched: in NFKC and in lower case. */
export const searchable = (text: string): string => `lower(normalize(${text}, NFKC))`

/** A `like` pattern for each word of the text, in NFKC and in lower case. */
export const wordPatterns = (words: string): string[] =>
  words.normalize('NFKC').toLowerCase().split(/\s+/).filter(Boolean).map(containsPattern)
