/** The files in prisma/functions, in databases of other versions of the service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { readFunctions, sha256, TEXTS_FILE } from '../../src/db/migrations/files.ts'
import { schemaCheck, standingOf } from '../../src/db/migrations/standing.ts'
import { ROLLUPS, rebuildRollups } from '../../src/db/rollups.ts'
import { cloneDatabase } from '../setup/database.ts'
import { folderBefore, folderWith, prismaFolder } from '../setup/prisma-folder.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)

const database = async (): Promise<Database> => {
  const clone = await cloneDatabase()
  onTestFinished(() => clone.close())
  return clone
}

const addLinks = ({ prisma }: Pick<Database, 'prisma'>, ...external_ids: string[]) =>
  prisma.$executeRawUnsafe(
    `insert into company_link (tenant_id, environment, system, external_id, created_at, updated_at)
     select 't', 'test', 'HUDU', id, now(), now() from unnest($1::text[]) id`,
    external_ids,
  )

const countOf = async ({ prisma }: Database) => {
  const { _sum } = await prisma.companyLinkCount.aggregate({ _sum: { total: true } })
  return _sum.total
}

/** A version that counts every link seven times. */
const SEVENFOLD = (script: string) => script.replace('(NOT l.hidden)::int AS total', '7 AS total')
const EIGHTFOLD = (script: string) => script.replace('7 AS total', '8 AS total')
const FILE = 'functions/company_link_count.sql'

const run = ({ migrating }: Database, script: string) =>
  migrating(async ({ adapter }) => {
    const connection = await adapter.connect()
    await connection.executeScript(script)
    await connection.dispose()
  })

test('there is one file for each rollup, and a comment before each function', async () => {
  const functions = await readFunctions()
  expect(functions.map(({ name }) => name)).toEqual([...ROLLUPS])
  for (const { name, script } of functions) {
    const lines = script.split('\n')
    const creates = lines.flatMap((line, index) => (/^create/i.test(line) ? [index] : []))
    expect(creates.length, name).toBeGreaterThan(3)
    for (const index of creates) expect(lines[index - 1], lines[index]).toMatch(/^-- /)
  }
})

test('a file that changed is applied, and its rollup rebuilt, once', async () => {
  const own = await database()
  await addLinks(own, 'a', 'b')
  const changed = await folderWith('company_link_count', SEVENFOLD)
  expect(await applyMigrations(own, changed)).toEqual([FILE])
  expect(await countOf(own)).toBe(14)
  expect(await applyMigrations(own, changed)).toEqual([])
  await addLinks(own, 'c')
  expect(await countOf(own)).toBe(21)
  const after_it = await folderWith('company_link_count', EIGHTFOLD, { folder: changed })
  expect(await applyMigrations(own, after_it)).toEqual([FILE])
  expect(await countOf(own)).toBe(24)
})

test('each text that a file has had is listed, by which later texts are told apart', async () => {
  for (const { name, script, texts } of await readFunctions()) {
    const line = `${sha256(script)}  ${name}.sql`
    expect(texts, `Add the line to prisma/functions/${TEXTS_FILE}, and remove none: ${line}`).toContain(
      sha256(script),
    )
  }
})

test('a text of a later release stays, and nothing is rebuilt', async () => {
  const own = await database()
  await addLinks(own, 'a', 'b')
  await applyMigrations(own, await folderWith('company_link_count', SEVENFOLD))
  await own.prisma.$executeRawUnsafe('update company_link_count set total = 40')
  await expect(applyMigrations(own)).rejects.toThrow(
    /^The database belongs to a later release: one with the database's functions\/company_link_count\.sql is needed, and the newest migration of this release is \d{14}_\w+\.$/,
  )
  await expect(standingOf(own.sql)).rejects.toThrow(/later release/)
  expect(await countOf(own)).toBe(40)
})

test('a text of a later release is served on if its migration says so', async () => {
  const own = await database()
  await addLinks(own, 'a', 'b')
  const migration = { name: '29990101000000_links_count_more_older_may_serve', script: '-- Nothing.' }
  const later = await folderWith('company_link_count', SEVENFOLD, { migration })
  expect(await applyMigrations(own, later)).toEqual([migration.name, FILE])
  expect(await standingOf(own.sql)).toBe('later')
  expect(await applyMigrations(own)).toEqual([])
  expect(await countOf(own)).toBe(14)
  expect(await applyMigrations(own, later)).toEqual([])
})

// The last release that does not look for later ones compares these comments with its own texts.
test('a release that knows no later ones takes none of the functions for outdated', async () => {
  const own = await database()
  await applyMigrations(own, await folderWith('company_link_count', SEVENFOLD))
  const comments = await own.prisma.$queryRawUnsafe(
    `select obj_description(oid, 'pg_class') as comment from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname = any($1) order by relname`,
    [...ROLLUPS],
  )
  const kept = (name: string, hash: string) => ({
    comment: `Kept by prisma/functions/${name}.sql, sha256 ${hash}`,
  })
  expect(comments).toEqual([
    kept('company_link_count', '59db9a1566862ce6621d4aae2178ea526a2ef9400c5520992f12e94ac23c22b1'),
    kept('execution_daily', '60d3f558b6dff614af71d93689dbb3bee8de8f0203bb175bd41812b66766864b'),
    kept('ticket_repeat', 'c363cc3564b4b4caef4f58faa5eaab898fbb9494e64ddd8743cc81287f1f7070'),
  ])
})

test('a rollup whose process was killed before it was rebuilt is rebuilt by the next', async () => {
  const own = await database()
  await addLinks(own, 'a', 'b')
  const [file] = await readFunctions()
  await run(own, SEVENFOLD(file?.script ?? ''))
  await addLinks(own, 'c')
  expect(await countOf(own)).toBe(9)
  const changed = await folderWith('company_link_count', SEVENFOLD)
  expect(await applyMigrations(own, changed)).toEqual([FILE])
  expect(await countOf(own)).toBe(21)
})

test('a file that cannot be applied changes nothing, and is tried again', async () => {
  const own = await database()
  await addLinks(own, 'a')
  const broken = await folderWith('company_link_count', (script) => `${SEVENFOLD(script)}; select 1 / 0;`)
  for (const _again of [1, 2]) await expect(applyMigrations(own, broken)).rejects.toThrow(/division by zero/)
  await addLinks(own, 'b')
  expect(await countOf(own)).toBe(2)
  expect(await applyMigrations(own)).toEqual([])
})

test('a migration that includes a file which is not there is refused by name', async () => {
  const own = await database()
  const script = '-- include functions/nothing.sql'
  const folder = await prismaFolder({ migrations: [{ name: '1_first', script }], functions: [] })
  await own.prisma.$executeRawUnsafe('drop schema public cascade')
  await own.prisma.$executeRawUnsafe('create schema public')
  await expect(applyMigrations(own, folder)).rejects.toThrow(/functions\/nothing\.sql/)
})

test('a database that lacks the text of a file is not migrated', async () => {
  const own = await database()
  expect(await standingOf(own.sql)).toBe('current')
  await own.prisma.$executeRawUnsafe(`comment on table execution_daily is 'of another text'`)
  const compared = schemaCheck(own.sql)
  const standing = async () => (await compared()).standing
  expect(await standing()).toBe('behind')
  expect(await applyMigrations(own)).toEqual(['functions/execution_daily.sql'])
  await expect.poll(standing, { timeout: 15_000 }).toBe('current')
})

onPostgresql('what a transaction wrote by the text before is right by the one after it', async () => {
  const own = await database()
  const changed = await folderWith('company_link_count', SEVENFOLD)
  let applied: Promise<string[]> | undefined
  await own.prisma.$transaction(async (tx) => {
    await addLinks({ prisma: tx as Database['prisma'] }, 'a')
    applied = applyMigrations(own, changed)
    const pending = await Promise.race([applied.then(() => false), sleep(300, true)])
    expect(pending).toBe(true)
    await addLinks({ prisma: tx as Database['prisma'] }, 'b')
  })
  expect(await applied).toEqual([FILE])
  expect(await countOf(own)).toBe(14)
})

/** Everything in the schema that may differ: functions, triggers, columns, constraints, indexes and comments. */
const CATALOG = `
  select 'function' as kind, proname::text as name, pg_get_functiondef(p.oid) as text from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all
  select 'trigger', tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all
  select 'column', a.attrelid::regclass || '.' || attnum, concat_ws(' ', attname, format_type(atttypid, atttypmod),
      attnotnull, attgenerated, attcollation, pg_get_expr(adbin, adrelid))
    from pg_attribute a join pg_class c on c.oid = attrelid and relnamespace = 'public'::regnamespace
    left join pg_attrdef on adrelid = attrelid and adnum = attnum where attnum > 0
  union all
  select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace
  union all
  select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
  union all
  select 'comment', relname, obj_description(oid, 'pg_class') from pg_class
    where relnamespace = 'public'::regnamespace and relname <> '_prisma_migrations'
  order by 1, 2, 3`

test('a database of before the files ends like a new one, and its rollups are right', async () => {
  const [fresh, old] = [await database(), await database()]
  await old.prisma.$executeRawUnsafe('drop schema public cascade')
  await old.prisma.$executeRawUnsafe('create schema public')
  await applyMigrations(old, await folderBefore('rollups_are_sharded'))
  await addLinks(old, 'a', 'b', 'c')
  await old.prisma.$executeRawUnsafe(`
    insert into agent (tenant_id, environment, id, name, autonomy_type, trigger_type, entity_type, created_by_name,
      created_at, updated_at)
    values ('t', 'test', 1, 'Agent', 'AGENTIC', 'TRIGGERED', 'TICKET', 'Owner', now(), now())`)
  await old.prisma.$executeRawUnsafe(`
    insert into execution (tenant_id, environment, execution_id, agent_id, trigger, entity_type, entity_id, created_at,
      updated_at)
    select 't', 'test', n, 1, 'TRIGGERED', 'TICKET', 'x', now() - n * interval '1 hour', now()
    from generate_series(1, 50) n`)
  // A count that went wrong is corrected by the way.
  await old.prisma.$executeRawUnsafe('update company_link_count set total = 40')
  expect(await applyMigrations(old)).toEqual(
    expect.arrayContaining(ROLLUPS.map((rollup) => `functions/${rollup}.sql`)),
  )
  expect(await countOf(old)).toBe(3)
  expect(await old.prisma.ticketRepeat.count()).toBe(49)
  expect((await rebuildRollups(old)).map(({ corrected }) => corrected)).toEqual([0, 0, 0])
  const catalog = ({ prisma }: Database) => prisma.$queryRawUnsafe<{ kind: string }[]>(CATALOG)
  const [left, right] = [await catalog(fresh), await catalog(old)]
  expect(new Set(left.map(({ kind }) => kind)).size).toBe(6)
  expect(right).toEqual(left)
})
