/** Columns of rows of which nearly all are alike, and what differs is old. `n` is the number of a row: the greater, the older. */

/** The SQL of each column but the tenancy, by the number `n` of the row. */
export type SkewedRows = Readonly<Record<string, string>>

export const ROWS = Number(process.env.TEST_ROWS ?? 100_000)
/** The oldest rows, which have every value. */
const DIFFERENT = 300
/** All of the last twenty days. */
const SECONDS = (20 * 86_400) / ROWS
/** The agents, of which a USER sees all but the first few. */
export const AGENTS = 300
export const UNSEEN = 20
/** The agents that a VIEWER sees: one has hardly any rows, and all of them are old; the other one has none. */
export const FEW = { busy: AGENTS + 1, idle: AGENTS + 2 }

/** The common value, and any of the values in old rows: every value of the enumeration, if there is one. */
export const mostly = (common: string, others: string, step = 1): string =>
  `case when n <= ${ROWS - DIFFERENT} then ${common} else ${others.replaceAll('?', `(n / ${step})`)} end`

export const ofEnum = (type: string, common: string, step = 1): string =>
  mostly(
    `'${common}'::${type}`,
    `(enum_range(null::${type}))[1 + ? % cardinality(enum_range(null::${type}))]`,
    step,
  )

/** The instant of a row. */
export const at_row = `now() - interval '${SECONDS} seconds' * n`
/** The end of something that begins with the row. Some last long. */
export const ended = `${at_row} + interval '1 second' * (case n % 100 when 0 then 40000 else n % 1800 end)`
/** Agents that the USER does not see have the rare rows. */
export const agent = mostly(
  `1 + n % ${AGENTS}`,
  `case ? % 7 when 0 then ${FEW.busy} else 1 + ? % ${UNSEEN} end`,
)
