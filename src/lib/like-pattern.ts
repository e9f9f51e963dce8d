/** The `like` pattern of text that contains the search text; `%`, `_` and `\` are escaped. */
export const containsPattern = (search: string): string => `%${search.replace(/[\\%_]/g, '\\$&')}%`
