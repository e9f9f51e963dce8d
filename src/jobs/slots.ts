/** A bound on what runs at once; who comes later waits in line. */

export interface Slots {
  take<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let free = count
  return {
    async take(work) {
      if (free > 0) free--
      else await new Promise<void>((begin) => waiting.push(begin))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    },
  }
}
