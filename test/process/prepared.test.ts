/** The directory that embedded databases begin from. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { lockDirectory } from '../../src/db/embedded/lock.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { readMigrations, readScripts } from '../../src/db/migrations/files.ts'
import { preparedDirectory } from '../../src/db/migrations/prepared-database.ts'
import { modesIn, PRIVATE } from './modes.ts'

// Making a database takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** Holds the directory that it is given, for ever. */
const HOLD = `
  import { lockDirectory } from ${JSON.stringify(join(import.meta.dirname, '../../src/db/embedded/lock.ts'))}
  globalThis.held = await lockDirectory(process.argv[1])
  console.log('held')
  setInterval(() => {}, 1000)`

const emptyFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prepared-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const prepared = async (cache?: string, from?: string) => {
  const directory = await preparedDirectory({ cache, from })
  if (!directory) throw new Error('Nothing could be prepared')
  return directory
}

const open = (data_dir: string, prepared_dir: string) =>
  openDatabase({
    database_url: undefined,
    data_dir,
    prepared: async () => prepared_dir,
    pool_size: 1,
    timeout_ms: 15_000,
  })

test('a new database begins from it, migrated, and keeps what is put in', async () => {
  const [data_dir, prepared_dir] = [await emptyFolder(), await prepared()]
  await writeFile(join(data_dir, 'dev.json'), '{}')
  const first = await open(data_dir, prepared_dir)
  expect(await applyMigrations(first)).toEqual([])
  await first.prisma.tenant.create({
    data: {
      id: 'ten_kept',
      name: 'Kept',
      data_residency: 'EU',
      referral_code: 'KEPT01',
      created_at: new Date(),
    },
  })
  await first.close()
  const again = await open(data_dir, prepared_dir)
  expect(await again.prisma.tenant.count()).toBe(1)
  await again.close()
  expect(await readdir(data_dir)).toContain('dev.json')
})

test('a copy that was cut short is begun anew', async () => {
  const [data_dir, prepared_dir] = [await emptyFolder(), await prepared()]
  await writeFile(join(data_dir, 'database.unfinished'), '')
  await cp(join(prepared_dir, 'global'), join(data_dir, 'global'), { recursive: true })
  await mkdir(join(data_dir, 'base', '1'), { recursive: true })
  await writeFile(join(data_dir, 'base', '1', 'half'), 'half')
  const database = await open(data_dir, prepared_dir)
  expect(await applyMigrations(database)).toEqual([])
  await database.close()
  expect(existsSync(join(data_dir, 'base', '1', 'half'))).toBe(false)
})

test('where it cannot be copied, the database is made', async () => {
  const data_dir = await emptyFolder()
  await writeFile(join(data_dir, 'dev.json'), '{}')
  const database = await open(data_dir, join(data_dir, '../nowhere'))
  const { migrations, functions } = await readScripts()
  expect(await applyMigrations(database)).toHaveLength(migrations.length + functions.length)
  await database.close()
  expect(await readdir(data_dir)).toContain('dev.json')
  expect(await modesIn(data_dir)).toEqual(PRIVATE)
})

test('drafts of processes that were killed go, those of others stay', async () => {
  const cache = await emptyFolder()
  const directory = join(cache, basename(await prepared()))
  await mkdir(directory)
  const draft = (name: string) => join(cache, `database-0123456789abcdef.${name}`)
  const killed = spawn(
    process.execPath,
    ['--input-type=module-typescript', '--eval', HOLD, draft('killed')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await mkdir(join(draft('abandoned'), 'base'), { recursive: true })
  const alive = await lockDirectory(draft('alive'))
  expect((await readdir(cache)).filter((name) => name.includes('killed'))).toHaveLength(1)
  await prepared(cache)
  const stays = [basename(directory), basename(draft('alive'))]
  expect((await readdir(cache)).sort()).toEqual(stays.sort())
  await alive.release()
  await prepared(cache)
  expect(await readdir(cache)).toEqual([basename(directory)])
})

test('it is made once, whole, by whoever is first', async () => {
  const [cache, from] = [await emptyFolder(), await prepared()]
  const made = await Promise.all([prepared(cache, from), prepared(cache, from)])
  expect(new Set(made).size).toBe(1)
  expect(existsSync(join(made[0], 'PG_VERSION'))).toBe(true)
  expect(existsSync(join(made[0], 'database.lock'))).toBe(false)
  const database = await open(await emptyFolder(), made[0])
  expect(await applyMigrations(database)).toEqual([])
  const [{ count }] = await database.prisma.$queryRaw<[{ count: number }]>`
    select count(*)::int as count from _prisma_migrations`
  expect(count).toBe((await readMigrations()).length)
  await database.close()
})
