/** Arithmetic on what was measured. */

/** The middle of the numbers; of an even count, the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const high = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return (low + high) / 2
}

/** The least number that at least `share` of the numbers do not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export interface Ratio {
  median: number
  min: number
  max: number
}

/** Each number by the one of the same round, put together. */
export function ratio(numbers: readonly number[], bases: readonly number[]): Ratio {
  const ratios = numbers.map((number, round) => number / (bases[round] ?? Number.NaN))
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) }
}

/** How far two processes of the same program lie apart, typically: 0.05 is 5 %. */
export const noise = (numbers: readonly number[], bases: readonly number[]): number =>
  median(numbers.map((number, round) => Math.abs(Math.log(number / (bases[round] ?? Number.NaN)))))

/** The power of the size that the time grows by, if the larger data is `times` as large: 0 is not at all, 1 as fast. */
export const exponent = (small: number, large: number, times: number): number =>
  Math.log(large / small) / Math.log(times)

export interface Bound {
  side: 'at least' | 'at most'
  value: number
}

/** Whether the figure keeps to the bound, if it may be off by `tolerance`, a part of it. */
export const keeps = ({ side, value }: Bound, figure: number, tolerance = 0): boolean =>
  side === 'at least' ? figure >= value * (1 - tolerance) : figure <= value * (1 + tolerance)
