/** Rejects with `late()` unless `work` settles within `ms`. The work itself is not cancelled. */
export const withTimeout = <T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> =>
  new Promise((done, fail) => {
    const timer = setTimeout(() => fail(late()), ms)
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
