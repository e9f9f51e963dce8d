/** Text that PostgreSQL can store. */

/** False for text with NUL or a lone surrogate, which no column stores. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
