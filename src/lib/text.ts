/** Text that PostgreSQL can store. */

/** Whether the text has a NUL or half a surrogate pair, which no column takes. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
