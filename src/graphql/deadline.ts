/** How long a caller waits. */
import { unavailable } from '../errors.ts'

/** 503 after `ms`: the work goes on, but nobody waits for it any longer. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(unavailable(1)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
