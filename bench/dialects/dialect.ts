/** How an interface is asked, and what its answers say. */
import { isWrite, nextTicket, type Question, type Read, type Request } from '../questions.ts'

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

type Fields = Record<string, unknown>

const without = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** The answer without what is another with every request: what is left of limits, and what is made by a write. */
export function settled(read: Read, answered: unknown): unknown {
  const fields = answered as Fields
  if (read === 'W3') return without(fields, 'id', 'created_at', 'updated_at')
  if (read === 'W4') return without(fields, 'execution_id')
  if (read !== 'key') return answered
  const { limits, ...rest } = fields as Limited
  if (!limits) return rest
  return { ...rest, limits: limits.map(({ remaining: _left, reset_at: _at, ...limit }) => limit) }
}

/** The body of a write, over REST. */
export function bodyOf(question: Question): Request['body'] {
  switch (question.read) {
    case 'W1':
    case 'W2':
      return JSON.stringify({ sleep_before_callback_processing_seconds: question.sleep_seconds })
    case 'W3':
      return JSON.stringify(question.agent)
    case 'W4':
      return () => JSON.stringify({ entity_id: nextTicket() })
    default:
      return undefined
  }
}

/** The method of a write, over REST. */
export const methodOf = ({ read }: Question): Request['method'] =>
  read === 'W1' || read === 'W2' ? 'PUT' : isWrite(read) ? 'POST' : 'GET'
