/** The output of the log: stderr, written asynchronously and without blocking the process. */
import { fstatSync, write } from 'node:fs'
import { isatty } from 'node:tty'

/** Writes some or all of the bytes, and calls `done` with their number. */
export type Write = (bytes: Buffer, done: (error: Error | null | undefined, written: number) => void) => void

export interface LogOutput {
  write(line: string): void
  /** Lines that were dropped since the start. */
  dropped(): number
  /** Writes the buffer, and resolves when that succeeded, failed or timed out. */
  flush(): Promise<void>
}

interface Options {
  write: Write
  /** Called with the number of dropped lines once lines are accepted again. */
  resumed: (dropped: number) => void
}

/** Lines are written together: a system call for each would cost as much as answering a request. */
const CHUNK_CHARACTERS = 8 * 1024
const FLUSH_MS = 250
/** Lines that do not fit while stderr takes nothing are dropped. */
const BUFFERED_CHARACTERS = 1024 * 1024
const FLUSH_AT_MOST_MS = 500

const STDERR = 2

/**
 * Asynchronous writes to stderr. A write by the thread pool that blocks would block `process.exit()` too, so pipes,
 * sockets and terminals are written by libuv's non-blocking streams.
 */
export function writerToStderr(): Write {
  const file = fstatSync(STDERR)
  const terminal = isatty(STDERR)
  if (!terminal && !file.isFIFO() && !file.isSocket()) return (bytes, done) => write(STDERR, bytes, done)
  const stderr = process.stderr as typeof process.stderr & { _handle?: { setBlocking?(on: boolean): void } }
  // Without a reader every write fails, which `done` reports.
  stderr.on('error', () => {})
  // Node blocks on terminals, and one whose reader is stopped would stop the service.
  if (terminal) stderr._handle?.setBlocking?.(false)
  return (bytes, done) => stderr.write(bytes, (error) => done(error, error ? 0 : bytes.length))
}

/** Buffers a bounded number of lines, writes one chunk at a time, and tries again if a write failed. */
export function createLogOutput({ write, resumed }: Options): LogOutput {
  let pending = ''
  /** The rest of the chunk that is being written, or that failed. */
  let chunk: Buffer | null = null
  let writing = false
  let dropped = 0
  let reported = 0
  let waiting: (() => void)[] = []

  function settle(): void {
    for (const done of waiting) done()
    waiting = []
  }

  function writeNext(): void {
    if (writing) return
    if (!chunk && pending !== '') {
      chunk = Buffer.from(pending)
      pending = ''
    }
    if (chunk) {
      writing = true
      write(chunk, written)
    } else settle()
  }

  function written(error: Error | null | undefined, bytes: number): void {
    writing = false
    const rest = chunk?.subarray(bytes)
    chunk = rest && rest.length > 0 ? rest : null
    if (error) {
      settle()
      return
    }
    // A short buffer waits for more lines, unless a flush is pending.
    if (chunk || waiting.length > 0 || pending.length >= CHUNK_CHARACTERS) writeNext()
    if (dropped === reported || writing) return
    const lines = dropped - reported
    reported = dropped
    resumed(lines)
  }

  setInterval(writeNext, FLUSH_MS).unref()

  return {
    dropped: () => dropped,
    write(line) {
      if (pending.length + line.length > BUFFERED_CHARACTERS) {
        dropped++
        return
      }
      pending += line
      if (pending.length >= CHUNK_CHARACTERS) writeNext()
    },
    flush: () =>
      new Promise((done) => {
        const late = setTimeout(done, FLUSH_AT_MOST_MS)
        waiting.push(() => {
          clearTimeout(late)
          done()
        })
        writeNext()
      }),
  }
}
