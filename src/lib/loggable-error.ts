/** Serialisation of errors for the log. */
import { stdSerializers } from 'pino'

/** The properties that are logged. Others may contain data, such as the values of a statement. */
const SHOWN = ['type', 'name', 'code', 'severity', 'schema', 'table', 'column', 'constraint', 'routine']

const OPENING = '\n{\n'
const CLOSING = '\n}\n'

/** Removes the arguments that Prisma prints of a refused call, from the first brace to the last. */
function withoutArguments(text: string): string {
  const start = text.indexOf(OPENING)
  const end = text.lastIndexOf(CLOSING)
  return start === -1 || end < start
    ? text
    : `${text.slice(0, start)}\n{…}\n${text.slice(end + CLOSING.length)}`
}

/** Type, message, stack and codes of an error, without data. */
export function loggableError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { message, stack, ...rest } = stdSerializers.err(error)
  const shown = Object.entries(rest).filter(([name]) => SHOWN.includes(name))
  return { ...Object.fromEntries(shown), message: withoutArguments(message), stack: withoutArguments(stack) }
}
