/** The log: JSON lines on stderr, so that stdout stays readable. */
import { type Logger, pino } from 'pino'
import { loggableError } from '../lib/loggable-error.ts'
import { instantText } from '../lib/time.ts'
import { createLogOutput, type LogOutput, writerToStderr } from './log-output.ts'

const SECRETS = ['authorization', 'signature', 'token', 'secret', 'password', 'key', 'key_hash']
const HOLDERS = ['err', 'req.headers', 'headers', 'body', 'input', 'details']

export interface Log extends Pick<LogOutput, 'dropped' | 'flush'> {
  log: Logger
}

/** The log of the process. Fields that hold credentials are redacted, at the top level and one level down. */
export function createLog(level: string): Log {
  const output = createLogOutput({
    write: writerToStderr(),
    resumed: (lines) => log.warn({ lines }, 'log lines were dropped'),
  })
  const log: Logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${instantText(new Date())}"`,
      serializers: { err: loggableError },
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        // Wildcards would make a line cost five times as much.
        paths: SECRETS.flatMap((name) => [name, ...HOLDERS.map((holder) => `${holder}.${name}`)]),
        censor: '[removed]',
      },
    },
    output,
  )
  return { log, dropped: output.dropped, flush: output.flush }
}
