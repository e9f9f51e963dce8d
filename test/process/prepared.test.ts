/** The directory that embedded databases begin from. */
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readMigrations } from '../../prisma/folder.ts'
import { applyMigrations } from '../../prisma/migrate.ts'
import { preparedDirectory } from '../../prisma/prepare.ts'
import { openDatabase } from '../../src/db/database.ts'

const emptyFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prepared-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const prepared = async (cache?: string) => {
  const directory = await preparedDirectory(cache)
  if (!directory) throw new Error('Nothing could be prepared')
  return directory
}

const open = (data_dir: string, prepared_dir: string) =>
  openDatabase({ database_url: undefined, data_dir, prepared_dir, pool_size: 1, timeout_ms: 15_000 })

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
  await cp(join(prepared_dir, 'global'), join(data_dir, 'global'), { recursive: true })
  await mkdir(join(data_dir, 'base', '1'), { recursive: true })
  await writeFile(join(data_dir, 'base', '1', 'half'), 'half')
  const database = await open(data_dir, prepared_dir)
  expect(await applyMigrations(database)).toEqual([])
  await database.close()
})

test('it is made once, whole, by whoever is first', { timeout: 60_000 }, async () => {
  const cache = await emptyFolder()
  const made = await Promise.all([prepared(cache), prepared(cache)])
  expect(new Set(made).size).toBe(1)
  expect(existsSync(join(made[0], 'PG_VERSION'))).toBe(true)
  const database = await open(await emptyFolder(), made[0])
  expect(await applyMigrations(database)).toEqual([])
  const [{ count }] = await database.prisma.$queryRaw<[{ count: number }]>`
    select count(*)::int as count from _prisma_migrations`
  expect(count).toBe((await readMigrations()).length)
  await database.close()
})
