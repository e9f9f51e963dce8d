/** The log: JSON lines on stderr, so that stdout stays readable. */
import { type Logger, pino } from 'pino'
import { loggable } from '../lib/loggable.ts'

const SECRETS = ['authorization', 'signature', 'token', 'secret', 'password', 'key', 'key_hash']
const HOLDERS = ['err', 'req.headers', 'headers', 'body', 'input', 'details']

const BUFFERED_BYTES = 8 * 1024
const FLUSH_MS = 250

export interface Log {
  log: Logger
  /** Writes what is buffered, at once. */
  flush(): void
}

/** Credentials do not get into it, by whatever name and however near the surface somebody logs one. */
export function createLog(level: string): Log {
  // A reader that has fallen behind must not hold up requests, and a write for each line would cost as much as the
  // answer does.
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: BUFFERED_BYTES,
    periodicFlush: FLUSH_MS,
  })
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: loggable },
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        // Wildcards would make a line cost five times as much.
        paths: SECRETS.flatMap((name) => [name, ...HOLDERS.map((holder) => `${holder}.${name}`)]),
        censor: '[removed]',
      },
    },
    destination,
  )
  return { log, flush: () => destination.flushSync() }
}
