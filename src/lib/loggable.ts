/** What the log shows of an error. */
import { stdSerializers } from 'pino'

/** Everything else an error carries may be data: the values of a statement, the row that is there already. */
const SHOWN = ['type', 'name', 'code', 'severity', 'schema', 'table', 'column', 'constraint', 'routine']

/** Prisma prints the arguments of a call that it refuses. */
const withoutArguments = (text: string): string => text.replace(/\n\{\n[\s\S]*?\n\}\n/g, '\n{…}\n')

/** What went wrong and where, without the data it went wrong with. */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { message, stack, ...rest } = stdSerializers.err(error)
  const shown = Object.entries(rest).filter(([name]) => SHOWN.includes(name))
  return { ...Object.fromEntries(shown), message: withoutArguments(message), stack: withoutArguments(stack) }
}
