/** A service whose log is kept. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Database } from '../../src/db/database.ts'
import { startApp } from './app.ts'
import { testDatabase } from './database.ts'

type Line = Record<string, unknown>

interface Overheard {
  base: string
  /** Ends the service; all that it logged. */
  log(): Promise<string>
  /** What it has logged until now. */
  lines(): Line[]
}

export async function overheard(
  database: Database | Promise<Database> = testDatabase(),
  overrides: Record<string, string> = {},
): Promise<Overheard> {
  const written: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  const { app, base } = await startApp(await database, overrides, pino({ level: 'trace' }, destination))
  return {
    base,
    lines: () => written.map((line) => JSON.parse(line)),
    async log() {
      await app.close(1000)
      return written.join('')
    },
  }
}
