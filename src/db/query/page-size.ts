/** The items on one page of a list. */
export const PAGE_SIZE = { min: 1, max: 200, default: 50 } as const
