/** `npm run jobs -- list|retry`: the jobs whose last attempt failed. */
import { parseArgs } from 'node:util'
import { readDatabaseConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { createBoss } from '../jobs/boss.ts'
import { type DeadLetter, listDeadLetters, retryDeadLetter, retryDeadLetters } from '../jobs/dead-letters.ts'
import { hasLaterTables } from '../jobs/install.ts'
import { runCommand, withDatabase } from './command.ts'

const USAGE = `npm run jobs -- list [--job <name>] [--json]   jobs whose last attempt failed
npm run jobs -- retry <id or job name> …       enqueues them again, with all their attempts before them
npm run jobs -- retry --all`

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function lineOf({ id, job, tenant_id, environment, attempts, failed_at, error }: DeadLetter): string {
  const tenancy = tenant_id ? `${tenant_id}/${environment}` : 'system'
  return [id, job, tenancy, `${attempts} attempts`, failed_at.toISOString(), error ?? ''].join('\t')
}

async function list(
  { sql }: Database,
  environment: string,
  job: string | null,
  json: boolean,
): Promise<void> {
  const letters = await listDeadLetters(sql, environment, job)
  if (json) console.log(JSON.stringify(letters))
  else for (const letter of letters) console.log(lineOf(letter))
  console.error(letters.length === 1 ? '1 job has failed.' : `${letters.length} jobs have failed.`)
}

async function retry(database: Database, environment: string, which: readonly string[]): Promise<void> {
  const boss = await createBoss({
    database,
    migrate: await hasLaterTables(database.sql),
    works: false,
  })
  boss.on('error', () => {})
  await boss.start()
  try {
    let retried = 0
    if (which.length === 0) retried = await retryDeadLetters(boss, database.sql, environment, null)
    for (const one of which) {
      const count = UUID.test(one)
        ? Number(await retryDeadLetter(boss, one))
        : await retryDeadLetters(boss, database.sql, environment, one)
      if (count === 0) throw new Error(`No job that failed has the id or the name ${one}.`)
      retried += count
    }
    console.error(`Enqueued again: ${retried}`)
  } finally {
    await boss.stop({ graceful: false })
  }
}

function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { job: { type: 'string' }, json: { type: 'boolean' }, all: { type: 'boolean' } },
  })
  const [command, ...which] = positionals
  const retries = command === 'retry' && (values.all === true) !== which.length > 0
  const lists = command === 'list' && which.length === 0
  if (!retries && !lists) throw new Error(USAGE)
  return { command, which, job: values.job ?? null, json: values.json === true }
}

await runCommand(async () => {
  const { command, which, job, json } = readArguments(process.argv.slice(2))
  const config = readDatabaseConfig(process.env)
  await withDatabase(config, (database) =>
    command === 'list'
      ? list(database, config.ENVIRONMENT, job, json)
      : retry(database, config.ENVIRONMENT, which),
  )
})
