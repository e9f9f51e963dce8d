/** `npm run tenant -- create …`: tenants, their first people and keys, for the operator of the service. */
import { applyMigrations, migrationCheck } from '../prisma/migrate.ts'
import { type CommandConfig, readCommandConfig } from './config.ts'
import { type Database, openDatabase } from './db/database.ts'
import { isOutage } from './db/outage.ts'
import { readArguments, USAGE, WrongArguments } from './tenant/arguments.ts'
import type { Outcome } from './tenant/commands.ts'

const TIMEOUT_MS = 30_000

/** The service migrates an embedded database as well when it starts. */
async function prepare(database: Database): Promise<void> {
  if (database.kind === 'embedded') await applyMigrations(database)
  else if (!(await migrationCheck(database.sql)()))
    throw new Error('The database lacks migrations: run `npm run migrate` first.')
}

/** Those of the service on this machine, where none are configured. */
async function peppersOf({ KEY_PEPPER, DATA_DIR, ENVIRONMENT }: CommandConfig) {
  const [first, ...others] = KEY_PEPPER
  if (first !== undefined) return [first, ...others] as const
  const { developmentSecrets } = await import('./access/development-issuer.ts')
  return [(await developmentSecrets(DATA_DIR, ENVIRONMENT)).key_pepper] as const
}

async function perform(args: string[]): Promise<void> {
  const asked = readArguments(args)
  if (!asked) return console.log(USAGE)
  const config = readCommandConfig(process.env)
  const key_peppers = await peppersOf(config)
  const database = await openDatabase({
    database_url: config.DATABASE_URL,
    data_dir: config.DATA_DIR,
    pool_size: 1,
    timeout_ms: TIMEOUT_MS,
    application_name: 'tenant-command',
  })
  try {
    await prepare(database)
    const { run } = await import('./tenant/commands.ts')
    print(await run({ database, environment: config.ENVIRONMENT, key_peppers }, asked), asked.json)
  } finally {
    await database.close()
  }
}

const shown = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}

/** The result on stdout, for scripts; what was done on stderr, for people. */
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
