/** What the log shows of an error. */
import { stdSerializers } from 'pino'

/** Everything else an error carries may be data: the values of a statement, the row that is there already. */
const SHOWN = ['type', 'name', 'code', 'severity', 'schema', 'table', 'column', 'constraint', 'routine']

const OPENING = '\n{\n'
const CLOSING = '\n}\n'

/** Prisma prints the arguments of a call that it refuses: everything from the first brace to the last is left out. */
function withoutArguments(text: string): string {
  const start = text.indexOf(OPENING)
  const end = text.lastIndexOf(CLOSING)
  return start === -1 || end < start
    ? text
    : `${text.slice(0, start)}\n{…}\n${text.slice(end + CLOSING.length)}`
}

/** What went wrong and where, without the data it went wrong with. */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { message, stack, ...rest } = stdSerializers.err(error)
  const shown = Object.entries(rest).filter(([name]) => SHOWN.includes(name))
  return { ...Object.fromEntries(shown), message: withoutArguments(message), stack: withoutArguments(stack) }
}
