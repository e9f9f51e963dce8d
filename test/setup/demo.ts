/** Databases with the demo, which is put in once in each run for each instant. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { newSecret } from '../../src/access/credentials/api-key-secret.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import type { Database } from '../../src/db/database.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { ENCRYPTION_KEY, KEY_PEPPER } from './app.ts'
import { cloneDatabase, cloneUrl, dumpOf, openDump, openTestDatabase } from './database.ts'
import { onceInRun } from './once-in-run.ts'

const environment = 'dev'

/** The options of the demo, but for its instant. */
export const DEMO = {
  environment,
  demo_api_key: newSecret(environment, (size) => Buffer.alloc(size, 1)),
  key_pepper: KEY_PEPPER,
  encryption_keys: [ENCRYPTION_KEY] as const,
}

/** A morning, in which most tests have the demo. */
export const MORNING = new Date('2026-11-20T09:30:00Z')

/** The first minute of a Sunday. */
export const NIGHT = new Date('2026-11-22T00:00:20Z')

/** The address of a closed database with the demo, or the file of its dump. */
type Kept = { url: string } | { file: string }

async function seeded(now: Date): Promise<Kept> {
  const url = await cloneUrl()
  const database = url ? await openTestDatabase(url) : await cloneDatabase()
  try {
    await installJobs(database, environment, JOBS)
    await seedDemo(database, { ...DEMO, now })
    if (url) return { url }
    const file = join(inject('run_folder'), `demo-${now.getTime()}.tar`)
    await writeFile(file, await dumpOf(database))
    return { file }
  } finally {
    await database.close()
  }
}

/** A new database with the demo of the instant, and with the tables of its jobs. The caller closes it. */
export async function demoDatabase(now: Date): Promise<Database> {
  const kept = await onceInRun(`demo-${now.getTime()}`, () => seeded(now))
  if ('url' in kept) return await openTestDatabase((await cloneUrl(kept.url)) as string)
  return await openDump(await readFile(kept.file))
}

const shared = new Map<number, Promise<Database>>()

/** The worker's database with the demo of the instant, which tests read alone. They do not close it. */
export function readDemo(now: Date): Promise<Database> {
  const database = shared.get(now.getTime()) ?? demoDatabase(now)
  shared.set(now.getTime(), database)
  return database
}
