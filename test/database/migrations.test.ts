import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { readScripts } from '../../src/db/migrations/files.ts'
import { missingSql } from '../../src/db/migrations/missing-sql.ts'
import { statement } from '../../src/db/sql.ts'
import { cloneDatabase, cloneUrl, openTestDatabase } from '../setup/database.ts'
import { prismaFolder } from '../setup/prisma-folder.ts'
import { onPostgresql } from './rows.ts'

describe('migrations', () => {
  test('make what the schema says', async () => {
    expect(await missingSql()).toBeNull()
  })

  test('are applied once', async () => {
    const database = await emptyDatabase()
    expect(await applyMigrations(database)).toHaveLength(await scriptCount())
    expect(await applyMigrations(database)).toEqual([])
  })

  onPostgresql('are applied once by ten that start together', async () => {
    const url = (await cloneUrl()) as string
    const databases = await Promise.all(Array.from({ length: 10 }, () => openTestDatabase(url)))
    onTestFinished(async () => {
      await Promise.all(databases.map((database) => database.close()))
    })
    await emptied(databases[0] as Database)
    const applied = await Promise.all(databases.map((database) => applyMigrations(database)))
    expect(applied.flat()).toHaveLength(await scriptCount())
  })

  test('of a later release are left as they are, and served on if each of them says so', async () => {
    const database = await emptyDatabase()
    const folderOf = (...added: string[]) =>
      prismaFolder({
        migrations: [{ name: '1_own', script: '-- 1' }, ...added.map((name) => ({ name, script: '-- 2' }))],
        functions: [],
      })
    const own = await folderOf()
    await applyMigrations(database, await folderOf('2_added_older_may_serve'))
    expect(await applyMigrations(database, own)).toEqual([])
    await applyMigrations(
      database,
      await folderOf('2_added_older_may_serve', '3_renamed', '4_x_older_may_serve'),
    )
    await expect(applyMigrations(database, own)).rejects.toThrow(
      'The database belongs to a later release: one with the migration 3_renamed is needed, and the newest migration of this release is 1_own.',
    )
    // The releases of two branches: neither is the later one.
    await expect(applyMigrations(database, await folderOf('2_other'))).rejects.toThrow(/4_x_older_may_serve/)
    const names = await database.sql.rows<{ name: string }>(
      statement('test.migrations', 'select migration_name as name from _prisma_migrations order by 1'),
      [],
    )
    expect(names.map(({ name }) => name)).toEqual([
      '1_own',
      '2_added_older_may_serve',
      '3_renamed',
      '4_x_older_may_serve',
    ])
  })

  test('stop at one that failed, and go on being refused', async () => {
    const database = await emptyDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const write = async (name: string, script: string) => {
      const own = join(folder, 'migrations', name)
      await mkdir(own, { recursive: true })
      await writeFile(join(own, 'migration.sql'), script)
    }
    await write('1_good', `create table good (a text default 'x;y');`)
    await write('2_bad', 'create table half (a int); select 1 / 0;')
    await write('3_after', 'create table after_it (a int);')
    await expect(applyMigrations(database, folder)).rejects.toThrow(/2_bad/)
    await expect(applyMigrations(database, folder)).rejects.toThrow(/failed/)
    const tables = await database.sql.rows<{ name: string }>(
      statement(
        'test.tables',
        `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
      ),
      [],
    )
    expect(tables.map(({ name }) => name)).toEqual(['_prisma_migrations', 'good'])
  })

  const scriptCount = async () => {
    const { migrations, functions } = await readScripts()
    return migrations.length + functions.length
  }

  const emptied = async ({ prisma }: Database) => {
    await prisma.$executeRawUnsafe('drop schema public cascade')
    await prisma.$executeRawUnsafe('create schema public')
  }

  const emptyDatabase = async () => {
    const database = await cloneDatabase()
    onTestFinished(() => database.close())
    await emptied(database)
    return database
  }
})
