/** Brings the service up, from the configuration to the first request. */
import { setTimeout as sleep } from 'node:timers/promises'
import { applyMigrations } from '../../prisma/migrate.ts'
import { seedDemo } from '../../prisma/seed.ts'
import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { isOutage } from '../db/outage.ts'
import { createLog, type Log } from './log.ts'
import { dashboardCredentials, readSecrets, type Secrets } from './secrets.ts'
import { stopOnCrash, stopOnSignals } from './stop.ts'
import { welcome } from './welcome.ts'

const WAIT_MS = 60_000
const RETRY_MS = 1_000

/** Rejects, in words for who starts the process, where the service cannot come up. */
export async function start(config: Config): Promise<void> {
  const log = createLog(config.LOG_LEVEL)
  const secrets = await readSecrets(config, log.log)
  const database = await openDatabase({
    database_url: config.DATABASE_URL,
    data_dir: config.DATA_DIR,
    pool_size: config.DB_POOL_SIZE,
    timeout_ms: config.DB_TIMEOUT_MS,
  })
  try {
    await listenOn(database, config, secrets, log)
  } catch (error) {
    log.log.debug({ err: error }, 'could not start')
    await database.close()
    log.flush()
    throw error
  }
}

async function listenOn(database: Database, config: Config, secrets: Secrets, log: Log): Promise<void> {
  await answering(database, log)
  if (database.kind === 'embedded' || config.MIGRATE_ON_START) {
    const applied = await applyMigrations(database)
    if (applied.length > 0) log.log.info({ applied }, 'migrated')
  }
  const demo = await demoOf(database, config, secrets)
  const app = await createApp({
    config,
    database,
    log: log.log,
    secrets,
    credentials: dashboardCredentials(config, database.sql, secrets.development),
  })
  const running = { app, database, log }
  stopOnSignals(running)
  stopOnCrash(running)
  const port = await app.server.listen(config.PORT, config.HOST)
  log.log.info({ host: config.HOST, port, database: database.kind }, 'listening')
  process.stdout.write(welcome({ config, port, demo }))
}

/** Waits a minute for a database that is still coming up. */
async function answering(database: Database, { log }: Log): Promise<void> {
  for (const started = performance.now(); ; await sleep(RETRY_MS)) {
    try {
      return await database.ping()
    } catch (error) {
      const late = performance.now() - started > WAIT_MS
      if (late || !isOutage(error)) {
        const { message } = error as Error
        throw new Error(`The database cannot be used: ${message}`, { cause: error })
      }
      log.warn({ err: error }, 'waiting for the database')
    }
  }
}

async function demoOf(database: Database, config: Config, { key_pepper, development }: Secrets) {
  if (!config.DEMO_DATA || !development) return null
  return seedDemo(database, {
    now: new Date(),
    environment: config.ENVIRONMENT,
    demo_api_key: development.demo_api_key,
    key_pepper,
  })
}
