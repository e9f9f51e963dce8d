/** How an interface is asked, and what its answers say. */
import type { Question, Read, Request } from '../questions.ts'

export interface Answer {
  /** The same from everybody who answers rightly, once `mustAgree` has looked at it. */
  data: unknown
  next_cursor: string | null
}

export interface Dialect {
  /** The request for the page after the cursor; null: this interface cannot be asked that. */
  request(question: Question, after: string | null): Request | null
  answer(read: Read, body: unknown): Answer
}

/** Execution ids are asked for in the name of a user who sees some agents only; the rest by keys that see all. */
export const keyOf = ({ read, tenant }: Question): string => (read === 'R2' ? tenant.user_key : tenant.key)

interface Limited {
  limits?: { remaining: number; reset_at: string }[]
}

/** A caller without what is left of their limits, which is another with every request. */
export function settled(caller: unknown): unknown {
  const { limits = [], ...rest } = caller as Limited
  return { ...rest, limits: limits.map(({ remaining: _left, reset_at: _at, ...limit }) => limit) }
}
