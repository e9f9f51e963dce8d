import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import type { Database } from '../../src/db/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { rebuildRollups } from '../../src/db/rollups.ts'
import { insertMany } from '../../src/demo/seeding.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { addAgents } from '../setup/agents.ts'
import { cloneDatabase } from '../setup/database.ts'
import { folderBefore } from '../setup/prisma-folder.ts'
import { addRuns } from '../setup/til-requests.ts'
import type { Msp } from '../setup/world.ts'

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

describe('the migration with which executions are run', () => {
  const tenancy = { tenant_id: 't', environment: 'e' }

  async function earlier() {
    const { prisma } = database
    await prisma.$executeRawUnsafe('drop schema public cascade')
    await prisma.$executeRawUnsafe('drop schema if exists pgboss cascade')
    await prisma.$executeRawUnsafe('create schema public')
    await applyMigrations(database, await folderBefore('executions_are_at_work'))
    const msp = { ...tenancy, database } as Msp
    await addAgents(msp, [{ id: 1 }])
    return msp
  }

  const AT = new Date('2026-01-01T00:00:00Z')

  // The client names the columns of today, of which these tables lack some.
  const addExecutions = (executions: readonly object[]) =>
    insertMany(
      database.prisma,
      'execution',
      executions.map((execution) => ({
        ...tenancy,
        agent_id: 1,
        trigger: 'TRIGGERED',
        entity_type: 'TICKET',
        created_at: AT,
        updated_at: AT,
        ...execution,
      })),
    )

  const addTilRequests = (requests: readonly object[]) =>
    insertMany(
      database.prisma,
      'til_request',
      requests.map((request) => ({
        ...tenancy,
        agent_id: 1,
        kind: 'WRITE',
        title: 'A change',
        summary: 'A change.',
        allowed_decisions: ['APPROVE', 'REJECT'],
        requested_by_type: 'AGENT',
        requested_by_id: '1',
        requested_by_name: 'Agent',
        risk: 'CHANGE',
        expires_at: AT,
        created_at: AT,
        updated_at: AT,
        ...request,
      })),
    )

  const statuses = async () => {
    const rows = await database.prisma.execution.findMany({ orderBy: { execution_id: 'asc' } })
    return rows.map(({ execution_id, status }) => `${execution_id} ${status}`)
  }

  test('cancels those whose job has waited for it, and they are not run any more', async () => {
    await earlier()
    await installJobs(database, tenancy.environment, JOBS)
    await addExecutions([
      { execution_id: 'a_waiting', entity_id: '1', status: 'NEW' },
      { execution_id: 'b_begun', entity_id: '2', status: 'RUNNING' },
      { execution_id: 'c_without_job', entity_id: '3', status: 'NEW' },
    ])
    for (const execution_id of ['a_waiting', 'b_begun'])
      await database.prisma.$executeRawUnsafe(
        `insert into pgboss.job (name, data) values ('executions.run', $1::jsonb)`,
        JSON.stringify({ tenancy, payload: { execution_id } }),
      )
    await applyMigrations(database)
    expect(await statuses()).toEqual(['a_waiting CANCELLED', 'b_begun RUNNING', 'c_without_job NEW'])
    const jobs = `select 1 from pgboss.job where name = 'executions.run'`
    expect(await database.prisma.$queryRawUnsafe(jobs)).toEqual([])
    expect(await rebuildRollups(database)).toContainEqual({ rollup: 'execution_daily', corrected: 0 })
  })

  test('keeps the newest of several that are live on a ticket, and closes what the others left open', async () => {
    const msp = await earlier()
    const own = { entity_id: '1', status: 'WAITING_FOR_APPROVAL' }
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
    await addExecutions([
      { ...own, execution_id: 'a_older', created_at: at(1) },
      { ...own, execution_id: 'b_newer', created_at: at(2) },
      { ...own, execution_id: 'c_ended', created_at: at(3), status: 'COMPLETED' },
      { ...own, execution_id: 'd_elsewhere', created_at: at(0), entity_id: '2' },
    ])
    await addRuns(msp, [{ execution_id: 'a_older', sequence: 1, status: 'PAUSED' }])
    await addTilRequests(['a_older', 'b_newer'].map((execution_id) => ({ id: execution_id, execution_id })))
    await applyMigrations(database)
    expect(await statuses()).toEqual([
      'a_older CANCELLED',
      'b_newer WAITING_FOR_APPROVAL',
      'c_ended COMPLETED',
      'd_elsewhere WAITING_FOR_APPROVAL',
    ])
    const requests = await database.prisma.tilRequest.findMany({ orderBy: { id: 'asc' } })
    expect(requests.map(({ status }) => status)).toEqual(['CANCELLED', 'PENDING'])
    const runs = await database.prisma.executionRun.findMany()
    expect(runs).toMatchObject([{ status: 'CANCELLED', ended_at: expect.any(Date) }])
  })
})
