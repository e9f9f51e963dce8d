/** A service with a captured log. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { App, AppOptions } from '../../src/composition/app.ts'
import type { Database } from '../../src/db/database.ts'
import { startApp } from './app.ts'
import { testDatabase } from './database.ts'

type Line = Record<string, unknown>

/** The lines that tell operators of failures. */
export const failuresIn = (lines: readonly Line[]): Line[] => lines.filter(({ level }) => Number(level) >= 50)

interface Overheard {
  app: App
  base: string
  /** Stops the service and returns its log. */
  log(): Promise<string>
  /** The log so far. */
  lines(): Line[]
}

export async function overheard(
  database: Database | Promise<Database> = testDatabase(),
  overrides: Record<string, string> = {},
  options: Partial<AppOptions> = {},
): Promise<Overheard> {
  const written: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'trace' }, destination)
  const { app, base } = await startApp(await database, overrides, log, options)
  return {
    app,
    base,
    lines: () => written.map((line) => JSON.parse(line)),
    async log() {
      await app.close(1000)
      return written.join('')
    },
  }
}
