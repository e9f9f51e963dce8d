/** The limit on the time that a caller waits. */
import { unavailable } from '../errors/errors.ts'
import { withTimeout } from '../lib/timeout.ts'

/** 503 `service_unavailable` after `ms`. */
export const withDeadline = <T>(ms: number, work: Promise<T>): Promise<T> =>
  withTimeout(ms, work, () => unavailable(1))
