// Contract silent: ratios in percent have two decimals.
/** The percentage that a part is of the whole; 0 if there is no whole. */
export const percentage = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100
