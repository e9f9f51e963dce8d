/** The outcome of `work`, or `late()` as its failure after `ms`: the work goes on, but nobody waits for it any longer. */
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
