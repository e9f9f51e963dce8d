/** The receivers of webhooks, and how they answer. */

export const ANSWER_MS = 200
/** Longer than the two seconds after which an endpoint is slow. */
export const SLOW_MS = 5_000
/** The path at which the waits are asked for. */
export const WAITS = '/waits'

/** A silent one never answers; a closed one accepts no connection. */
export type Manner = 'healthy' | 'slow' | 'silent' | 'closed'

/** An address at which nobody listens. */
const CLOSED = 'http://127.0.0.1:9'

export const addressOf = (base: string, manner: Manner, number: number): string =>
  `${manner === 'closed' ? CLOSED : base}/${manner}/${number}`
