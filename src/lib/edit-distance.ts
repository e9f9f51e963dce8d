/**
 * Edit distance (optimal string alignment): the number of insertions, deletions, replacements and swaps of neighbours
 * between two texts. Takes time in proportion to the product of their lengths.
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? (beforeLast[j - 2] as number) + 1 : Infinity
      row.push(Math.min(replaced, swapped, (last[j] as number) + 1, (row[j - 1] as number) + 1))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] as number
}
