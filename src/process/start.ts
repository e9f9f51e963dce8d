/** Starts the service: reads the configuration, opens the database, and listens. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, readConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { finishDatabase, fullDisk, hasDatabase, isUnfinished } from '../db/embedded/folder.ts'
import { isInUse } from '../db/embedded/lock.ts'
import { isDiskFull, isOutage } from '../db/errors.ts'
import { applyMigrations } from '../db/migrations/apply.ts'
import { type SchemaCheck, schemaCheck, standingOf } from '../db/migrations/standing.ts'
import { type DemoKeys, demoKeys, hasDemo } from '../demo/demo.ts'
import { NOT_MIGRATED } from '../http/probes.ts'
import { hasJobTables, installJobs, queuesCheck } from '../jobs/install.ts'
import type { Job } from '../jobs/job.ts'
import { placesOf } from '../lib/api.ts'
import { createLog, type Log } from './log.ts'
import { makeDatabaseApart } from './make-database.ts'
import { chatIssuerOf, issuerOf, readSecrets, type Secrets } from './secrets.ts'
import { stopOnCrash, stopOnSignals } from './stop.ts'
import { baseOf, welcome } from './welcome.ts'

type App = import('../composition/app.ts').App
type CreateApp = typeof import('../composition/app.ts').createApp

const WAIT_MS = 60_000
const RETRY_MS = 1_000
const HANDOVER_MS = 50
const COMPARE_MS = 2_000
/** Jobs begin this long after the service listens. */
const WORK_MS = 1_000

/**
 * Starts the service, with the folder of static files if they were made before. Its errors are messages for the
 * person who starts the process.
 */
export const start = (env: NodeJS.ProcessEnv, static_folder?: string): Promise<void> =>
  withReasons(env, (config, log) => startWith(config, log, static_folder))

/**
 * Makes the embedded database with the demo: in a process of its own, with which the memory goes that PostgreSQL takes
 * for it. Its errors are those of `start`.
 */
export const makeDemoDatabase = (env: NodeJS.ProcessEnv): Promise<void> =>
  withReasons(env, async (config, log) => {
    const database = await open(config, { unfinished: true })
    try {
      const secrets = await readSecrets(config, log.log)
      await migrate(database, log)
      await demoOf(database, config, secrets)
      // Until here it would be made again from its beginning.
      await finishDatabase(config.DATA_DIR)
    } finally {
      await database.close()
    }
    await log.flush()
  })

/** Does the work of a process. Its errors are messages for people. */
async function withReasons(
  env: NodeJS.ProcessEnv,
  work: (config: Config, log: Log) => Promise<void>,
): Promise<void> {
  const config = readConfig(env)
  const log = createLog(config.LOG_LEVEL)
  // The embedded database throws if no code awaits it, as on a full disk.
  const uncaught = Promise.withResolvers<never>()
  process.on('uncaughtException', uncaught.reject)
  process.on('unhandledRejection', uncaught.reject)
  try {
    await Promise.race([work(config, log), uncaught.promise])
  } catch (error) {
    log.log.debug({ err: error }, 'could not start')
    await log.flush()
    throw reasonOf(error, config)
  } finally {
    process.off('uncaughtException', uncaught.reject)
    process.off('unhandledRejection', uncaught.reject)
  }
}

async function startWith(config: Config, log: Log, static_folder: string | undefined): Promise<void> {
  const is_new = config.DATABASE_URL === undefined && !hasDatabase(config.DATA_DIR)
  if (is_new) tell(config, 'Making the embedded database …')
  // The modules of the application are loaded while the database opens.
  const opening =
    is_new && wantsDemo(config) ? openWithDemo(config, static_folder !== undefined) : open(config)
  opening.catch(() => {})
  const { createApp } = await import('../composition/app.ts')
  const database = await opening
  try {
    // A folder that is refused gets none.
    const secrets = await readSecrets(config, log.log)
    await listenOn(database, (options) => createApp({ ...options, static_folder }), config, secrets, log)
  } catch (error) {
    // It fails too on a full disk, which is the error to throw.
    await database.close().catch(() => {})
    throw error
  }
}

/** Opens a new database with the demo: a copy of the prepared one, if that is of the sources as they are. */
async function openWithDemo(config: Config, bundled: boolean): Promise<Database> {
  const prepared = bundled ? await demoFor(config) : undefined
  if (!prepared) await makeDatabaseApart()
  return open(config, { prepared })
}

const demoFor = async ({ ENVIRONMENT: environment }: Config) =>
  (await import('./prepared-demo.ts')).preparedDemo({ environment })

/** There is no demo in production. */
const wantsDemo = ({ DEMO_DATA, production }: Config): boolean => DEMO_DATA && !production

/** Tells the person who starts the process on a developer's machine what takes time. */
function tell({ production }: Config, what: string): void {
  if (!production) process.stdout.write(`${what}\n`)
}

/** The error of a full disk, if that is the reason, or else the error itself. */
function reasonOf(error: unknown, { DATABASE_URL, DATA_DIR }: Config): unknown {
  // A plain Error is a message for people already.
  if (error instanceof Error && error.constructor === Error && !isDiskFull(error)) return error
  if (DATABASE_URL === undefined) return fullDisk(DATA_DIR, error) ?? error
  return isDiskFull(error) ? new Error('The disk of the database is full.', { cause: error }) : error
}

async function open(
  config: Config,
  { unfinished = false, prepared }: { unfinished?: boolean; prepared?: string | undefined } = {},
): Promise<Database> {
  const database = await onceMade(config, () =>
    openDatabase({
      unfinished,
      database_url: config.DATABASE_URL,
      data_dir: config.DATA_DIR,
      prepared: async () =>
        prepared ?? (await import('../db/migrations/prepared-database.ts')).preparedDirectory(),
      pool_size: config.DB_POOL_SIZE,
      timeout_ms: config.DB_TIMEOUT_MS,
    }),
  )
  // Opens the first connection. `answering` handles its failure.
  database.ping().catch(() => {})
  return database
}

/** Opens, once no other process makes the database: that of a service that was killed may be about to end. */
async function onceMade(config: Config, opening: () => Promise<Database>): Promise<Database> {
  for (const started = performance.now(); ; await sleep(HANDOVER_MS)) {
    try {
      return await opening()
    } catch (error) {
      const is_late = performance.now() - started > WAIT_MS
      if (!isInUse(error) || !isUnfinished(config.DATA_DIR) || is_late) throw error
    }
  }
}

async function listenOn(
  database: Database,
  createApp: CreateApp,
  config: Config,
  secrets: Secrets,
  log: Log,
): Promise<void> {
  const { JOBS } = await import('../composition/jobs.ts')
  const preparing = prepare(database, config, secrets, JOBS, log)
  // It is awaited below; until then its rejection must not end the process.
  preparing.catch(() => {})
  const compared = schemaCheck(database.sql)
  const app = await createApp({
    config,
    database,
    log: log.log,
    secrets,
    issuer: issuerOf(config, secrets.development),
    chat_issuer: chatIssuerOf(config, secrets.development),
    schemaProblem: schemaProblemBy(compared, queuesCheck(database.sql, config.ENVIRONMENT, JOBS)),
    dropped_log_lines: log.dropped,
  })
  const demo = await preparing
  await app.synchronized()
  // The first request would wait for what is not loaded by then.
  await app.warm()
  const running = { app, database, log, drain_delay_ms: config.DRAIN_DELAY_MS }
  stopOnSignals(running)
  stopOnCrash(running)
  const port = await app.server.listen(config.PORT, config.HOST).catch((error) => {
    throw notListening(error, config)
  })
  announce(config, port, database, demo, log)
  setTimeout(() => void untilTables(database, compared).then(app.work), WORK_MS).unref()
  // No other process migrates an embedded database.
  if (database.kind === 'postgresql') void untilRefused(compared).then((reason) => retire(app, reason, log))
}

/** Resolves once the database has every table, which `npm run migrate` may make later. Without them every job would fail. */
async function untilTables({ sql }: Database, compared: SchemaCheck): Promise<void> {
  const hasTables = async () => (await compared()).standing !== 'behind' && (await hasJobTables(sql))
  while (!(await hasTables().catch(() => false))) await sleep(RETRY_MS, undefined, { ref: false })
}

/** Resolves once a later release has migrated the database, and says that this one may not serve on it: with the reason. */
async function untilRefused(compared: SchemaCheck): Promise<string> {
  for (;;) {
    const { refusal } = await compared().catch(() => ({ refusal: null }))
    if (refusal !== null) return refusal
    await sleep(COMPARE_MS, undefined, { ref: false })
  }
}

function retire(app: App, reason: string, log: Log): void {
  log.log.error({ reason }, 'no more calls are answered and no more jobs are run')
  app.retire()
}

/** Writes the addresses to the log, and on a developer's machine to stdout too. */
function announce(config: Config, port: number, database: Database, demo: DemoKeys | null, log: Log): void {
  const { HOST: host, GRAPHIQL, METRICS_TOKEN, PUBLIC_URL, production } = config
  const base = baseOf(host, port)
  log.log.info({ host, port, base, database: database.kind, ...placesOf(GRAPHIQL) }, 'listening')
  if (production && !METRICS_TOKEN) log.log.warn('/metrics is 404: there is no METRICS_TOKEN')
  if (production && !PUBLIC_URL) log.log.warn('feedback links have no host: there is no PUBLIC_URL')
  void log.flush()
  if (!production) process.stdout.write(welcome({ config, base, demo }))
}

/** The error of a failed `listen`, in words for the person who starts the process. */
function notListening(error: NodeJS.ErrnoException, { PORT, HOST }: Config): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${PORT} on ${HOST} is taken by another process: stop that one, or choose another port with PORT.`,
    EACCES: `This user may not listen on port ${PORT}: choose one above 1023 with PORT.`,
    EADDRNOTAVAIL: `${HOST} is not an address of this machine: choose another one with HOST.`,
    ENOTFOUND: `${HOST} is not an address of this machine: choose another one with HOST.`,
  }
  return new Error(reasons[error.code ?? ''] ?? `The service cannot listen: ${error.message}`, {
    cause: error,
  })
}

async function migrate(database: Database, log: Log): Promise<void> {
  const applied = await applyMigrations(database)
  if (applied.length > 0) log.log.info({ applied }, 'migrated')
}

/** Waits for the database, migrates it and adds the demo, while the application is put together. */
const prepare = (
  database: Database,
  config: Config,
  secrets: Secrets,
  jobs: readonly Job[],
  log: Log,
): Promise<DemoKeys | null> =>
  throughOutages(log, async () => {
    try {
      await database.requireSessions()
      await database.ping()
    } catch (error) {
      throw new Error(`The database cannot be used: ${(error as Error).message}`, { cause: error })
    }
    const migrates = database.kind === 'embedded' || config.MIGRATE_ON_START
    if (migrates) await migrate(database, log)
    if ((await standingOf(database.sql)) === 'later') {
      log.log.info('the database is of a later release, beside which this one may serve')
      return (await hasDemo(database.sql, config.ENVIRONMENT)) ? demoOf(database, config, secrets) : null
    }
    if (migrates) {
      const hasQueues = queuesCheck(database.sql, config.ENVIRONMENT, jobs)
      if (!(await hasQueues()))
        await database.migrating(
          async () => (await hasQueues()) || (await installJobs(database, config.ENVIRONMENT, jobs)),
        )
    }
    return await demoOf(database, config, secrets)
  })

/** Null once the database has every migration, and every queue. */
function schemaProblemBy(compared: SchemaCheck, hasQueues: () => Promise<boolean>) {
  return async (): Promise<string | null> => {
    const { standing, refusal } = await compared()
    if (refusal !== null) return refusal
    return standing !== 'behind' && (await hasQueues()) ? null : NOT_MIGRATED
  }
}

/** Does the work, again if the database could not be reached meanwhile, for a minute. */
async function throughOutages<Result>({ log }: Log, work: () => Promise<Result>): Promise<Result> {
  for (const started = performance.now(); ; await sleep(RETRY_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error) || isDiskFull(error) || performance.now() - started > WAIT_MS) throw error
      log.warn({ err: error }, 'waiting for the database')
    }
  }
}

async function demoOf(
  database: Database,
  config: Config,
  { key_peppers, encryption_keys, development }: Secrets,
): Promise<DemoKeys | null> {
  if (!development || !wantsDemo(config)) return null
  const { ENVIRONMENT: environment } = config
  const options = {
    now: new Date(),
    environment,
    demo_api_key: development.demo_api_key,
    key_pepper: key_peppers[0],
    encryption_keys,
  }
  if (await hasDemo(database.sql, environment)) return demoKeys(database.sql, options)
  tell(config, 'Putting the demo MSP in, which takes some seconds …')
  const { seedDemo } = await import('../demo/seed.ts')
  return seedDemo(database, options)
}
