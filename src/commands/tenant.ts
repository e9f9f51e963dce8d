/** `npm run tenant -- create …`: tenants, their first people and keys, for the operator of the service. */

import { type CommandConfig, readCommandConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { isOutage } from '../db/errors.ts'
import { applyMigrations } from '../db/migrations/apply.ts'
import { standingOf } from '../db/migrations/standing.ts'
import { withDatabase } from './command.ts'
import { readArguments, USAGE, WrongArguments } from './tenant/arguments.ts'
import type { Outcome } from './tenant/recorded.ts'

/** Migrates an embedded database, as the service does when it starts. */
async function prepare(database: Database): Promise<void> {
  if (database.kind === 'embedded') await applyMigrations(database)
  else if ((await standingOf(database.sql)) === 'behind')
    throw new Error('The database lacks migrations: run `npm run migrate` first.')
}

/** The configured peppers, or else the development secrets of the service on this machine. */
async function peppersOf({ KEY_PEPPER, DATA_DIR, ENVIRONMENT }: CommandConfig) {
  const [first, ...others] = KEY_PEPPER
  if (first !== undefined) return [first, ...others] as const
  const { developmentSecrets } = await import('../access/credentials/development-issuer.ts')
  return [(await developmentSecrets(DATA_DIR, ENVIRONMENT)).key_pepper] as const
}

async function perform(args: string[]): Promise<void> {
  const asked = readArguments(args)
  if (!asked) return console.log(USAGE)
  const config = readCommandConfig(process.env)
  const key_peppers = await peppersOf(config)
  const outcome = await withDatabase(
    config,
    async (database) => {
      await prepare(database)
      const { run } = await import('./tenant/run.ts')
      return await run({ database, environment: config.ENVIRONMENT, key_peppers }, asked)
    },
    'tenant-command',
  )
  print(outcome, asked.json)
}

const shown = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}

/** Prints the result to stdout for scripts, and a message to stderr for people. */
function print({ result, message }: Outcome, json: boolean): void {
  if (json) console.log(JSON.stringify(result))
  else if (Array.isArray(result))
    for (const row of result) console.log(Object.values(row).map(shown).join('\t'))
  else for (const [name, value] of Object.entries(result)) console.log(`${name}=${shown(value)}`)
  if (message) console.error(message)
}

try {
  await perform(process.argv.slice(2))
} catch (error) {
  const { message } = error as Error
  if (error instanceof WrongArguments) console.error(`${message}\n\nSee npm run tenant -- --help`)
  else console.error(isOutage(error) ? `The database cannot be used: ${message}` : message)
  process.exitCode = error instanceof WrongArguments ? 2 : 1
}
