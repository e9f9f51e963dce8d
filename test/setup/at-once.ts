/** Calls that are made at once, and what they come to. */
export const TIMES = 20

export const times = <T>(work: (index: number) => Promise<T>, count = TIMES): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** How many answers have each error code, or each status if there is none. */
export const counted = (
  answers: readonly { status: number; error: { code: string } | null }[],
): Record<string, number> =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status, error }) => error?.code ?? String(status))
      .entries()
      .map(([name, some]) => [name, some.length]),
  )
