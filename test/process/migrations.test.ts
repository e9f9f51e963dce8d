import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { rebuildRollups } from '../../src/db/rollups.ts'
import { cloneDatabase } from '../setup/database.ts'
import { folderBefore } from '../setup/prisma-folder.ts'

let database: Database
let folder: string

beforeAll(async () => {
  database = await cloneDatabase()
  await database.prisma.$executeRawUnsafe('drop schema public cascade')
  await database.prisma.$executeRawUnsafe('create schema public')
  folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  await write('1_first', 'create table first (id int);')
  expect(await applyMigrations(database, folder)).toEqual(['1_first'])
})
afterAll(async () => {
  await database?.close()
  await rm(folder, { recursive: true })
})

async function write(name: string, script: string): Promise<string> {
  await mkdir(join(folder, 'migrations', name), { recursive: true })
  await writeFile(join(folder, 'migrations', name, 'migration.sql'), script)
  return createHash('sha256').update(script).digest('hex')
}

const records = () =>
  database.prisma.$queryRawUnsafe<{ name: string; finished: boolean; steps: number }[]>(
    `select migration_name as name, finished_at is not null as finished, applied_steps_count as steps
     from _prisma_migrations order by started_at`,
  )

test('a migration whose process was killed after it was made counts as made', async () => {
  await database.prisma.$executeRawUnsafe(
    'update _prisma_migrations set finished_at = null, applied_steps_count = 0',
  )
  expect(await applyMigrations(database, folder)).toEqual([])
  expect(await records()).toEqual([{ name: '1_first', finished: true, steps: 1 }])
})

test('a migration whose process was killed before it was made is made by the next', async () => {
  const checksum = await write('2_second', 'create table second (id int);')
  await database.prisma.$executeRawUnsafe(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
     values ($1, $2, '2_second', now(), 0)`,
    randomUUID(),
    checksum,
  )
  expect(await applyMigrations(database, folder)).toEqual(['2_second'])
  expect(await records()).toEqual([
    { name: '1_first', finished: true, steps: 1 },
    { name: '2_second', finished: true, steps: 1 },
  ])
})

test('folders that were listed stay so only if a person mapped them, and are counted so', async () => {
  const { prisma } = database
  await prisma.$executeRawUnsafe('drop schema public cascade')
  await prisma.$executeRawUnsafe('create schema public')
  await applyMigrations(database, await folderBefore('folders_are_listed_once_confirmed'))
  await prisma.$executeRawUnsafe(`
    insert into company_link (tenant_id, environment, system, external_id, link_state, mapped_at, hidden,
      created_at, updated_at)
    select 't', 'e', system, state || hidden, state::link_state,
      case when state = 'MANUAL' then timestamptz '2026-03-01' end, hidden, now(), now()
    from unnest('{SHAREPOINT,HUDU}'::text[]) system, unnest('{AUTO,MANUAL,UNMAPPED}'::text[]) state,
      unnest('{true,false}'::boolean[]) hidden`)
  await applyMigrations(database)
  const listed = await prisma.companyLink.findMany({
    where: { hidden: false },
    orderBy: [{ system: 'asc' }, { external_id: 'asc' }],
  })
  expect(listed.map(({ system, external_id }) => `${system} ${external_id}`)).toEqual([
    'HUDU AUTOfalse',
    'HUDU AUTOtrue',
    'HUDU MANUALfalse',
    'HUDU MANUALtrue',
    'HUDU UNMAPPEDfalse',
    'HUDU UNMAPPEDtrue',
    'SHAREPOINT MANUALfalse',
  ])
  expect(listed.at(-1)?.confirmed_at).toEqual(new Date('2026-03-01'))
  const counts = await prisma.companyLinkCount.findMany({ orderBy: { system: 'asc' } })
  expect(counts.map(({ system, total }) => [system, total])).toEqual([
    ['HUDU', 6],
    ['SHAREPOINT', 1],
  ])
  expect(await rebuildRollups(database)).toContainEqual({ rollup: 'company_link_count', corrected: 0 })
})

test('options of company filters have ids of their own, and what names them follows', async () => {
  const { prisma } = database
  await prisma.$executeRawUnsafe('drop schema public cascade')
  await prisma.$executeRawUnsafe('create schema public')
  await applyMigrations(database, await folderBefore('options_are_numbered_over_all_fields'))
  const filters = [
    { field_name: 'status', selected_options: [2, 9].map((id) => ({ id, name: `Status ${id}` })) },
    { field_name: 'type', selected_options: [{ id: 1, name: 'Type 1' }] },
  ]
  await prisma.$executeRawUnsafe(`
    insert into psa_company_option (tenant_id, environment, field_name, option_id, name)
    select tenant, 'e', field, id, field || ' ' || id
    from unnest('{a,b}'::text[]) tenant, unnest('{type,status}'::text[]) field, unnest('{1,2,3}'::int[]) id`)
  await prisma.$executeRawUnsafe(`
    insert into psa_company_attribute (tenant_id, environment, psa_company_id, field_name, option_id)
    select tenant_id, environment, 'company', field_name, option_id from psa_company_option where option_id = 2`)
  await prisma.$executeRawUnsafe(
    `insert into company_filters (tenant_id, environment, filters, updated_at)
     values ('a', 'e', $1::jsonb, now()), ('b', 'e', '[]', now())`,
    JSON.stringify(filters),
  )
  await applyMigrations(database)
  const tenant = { tenant_id: 'a' }
  const options = await prisma.psaCompanyOption.findMany({ where: tenant, orderBy: { option_id: 'asc' } })
  expect(options.map(({ option_id, name }) => [option_id, name])).toEqual([
    ...[1, 2, 3].map((id) => [id, `status ${id}`]),
    ...[4, 5, 6].map((id) => [id, `type ${id - 3}`]),
  ])
  const chosen = await prisma.psaCompanyAttribute.findMany({ where: tenant, orderBy: { option_id: 'asc' } })
  expect(chosen.map(({ field_name, option_id }) => [field_name, option_id])).toEqual([
    ['status', 2],
    ['type', 5],
  ])
  const stored = await prisma.companyFilters.findMany({ orderBy: { tenant_id: 'asc' } })
  const [status, type] = filters
  expect(stored.map((row) => row.filters)).toEqual([
    [status, { ...type, selected_options: [{ id: 4, name: 'Type 1' }] }],
    [],
  ])
})
