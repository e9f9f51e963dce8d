/** The rule that keeps a system which gives too little from having much of its data marked as missing. */

/** Rows that a system no longer has, and those that were there before. A type alias, since TypeScript takes no interface for JSON. */
export type MissingRows = { gone: number; there: number }

// Contract silent: a fifth is more than an MSP loses in a day, and 20 rows are few enough to be put right by hand.
const MOST_ROWS = 20
const SHARES = 5

/** True if the rows are marked without being accepted: at most 20, or at most a fifth of those that were there. */
export const isMarkable = ({ gone, there }: MissingRows): boolean =>
  gone <= MOST_ROWS || gone * SHARES <= there

/** The same condition in SQL, of columns `gone` and `there`. */
export const IS_MARKABLE = `(gone <= ${MOST_ROWS} or gone * ${SHARES} <= there)`
