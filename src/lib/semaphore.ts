/** A semaphore: bounds how many pieces of work run at the same time. The others wait in order. */

export interface Semaphore {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = count
  return {
    async run(work) {
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
