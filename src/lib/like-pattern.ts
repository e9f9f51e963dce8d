/** The `like` pattern of text that contains the search text; `%`, `_` and `\` are escaped. */
export const containsPattern = (search: string): string => `%${search.replace(/[\\%_]/g, '\\$&')}%`

/** A `like` pattern for each word of the text, in lower case. */
export const wordPatterns = (words: string): string[] =>
  words.toLowerCase().split(/\s+/).filter(Boolean).map(containsPattern)
