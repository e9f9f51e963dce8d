/** The bound on the time that a caller waits. */
import { unavailable } from '../errors.ts'

/** 503 after `ms`: the work goes on, but nobody waits for it any longer. */
export const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  new Promise((done, fail) => {
    const timer = setTimeout(() => fail(unavailable(1)), ms)
    work.then(
      (value) => {
        clearTimeout(timer)
        done(value)
      },
      (error) => {
        clearTimeout(timer)
        fail(error)
      },
    )
  })
