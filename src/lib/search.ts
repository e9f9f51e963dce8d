/** What people look for, as patterns of SQL’s `like`. */

/** The pattern of text that has `search` somewhere in it, as it stands: `%`, `_` and `\` mean themselves. */
export const containing = (search: string): string => `%${search.replace(/[\\%_]/g, '\\$&')}%`
