/** How an interface is asked, and what its answers say. */
import type { Question, Read, Request } from '../questions.ts'

export interface Answer {
  /** The same from everybody who answers rightly, once `sameAs` has looked at it. */
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
