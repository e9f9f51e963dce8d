import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { statement } from '../../src/db/sql.ts'
import { cloneUrl, openTestDatabase, testDatabase } from '../setup/database.ts'
import { AT, entry, onPostgresql, tenancy } from './rows.ts'

const link = { system: 'X', created_at: AT, updated_at: AT }

const VALUES = statement(
  'test.values',
  `select $1::timestamptz as at, $2::text[] as words, $3::int4[] as numbers, $4::jsonb as json, $5::bytea as bytes,
     $6::date as day, $7::text as nothing, count(*) as many, 1.25::numeric as share, true as yes, 0.5::float8 as half,
     array[$1::timestamptz] as times, array[7::int8] as big
   from (values (1), (2)) as two`,
)

const valuesThrough = async ({ sql }: Database) => {
  const json = { a: [1, 'b'], c: null }
  const bytes = Buffer.from([0, 255, 92])
  const words = ['a "quoted" one', 'b,c', 'ü']
  const [row] = await sql.rows<Record<string, unknown>>(VALUES, [
    AT,
    words,
    [1, 2],
    JSON.stringify(json),
    bytes,
    '2026-01-31',
    null,
  ])
  expect(row).toEqual({
    at: AT,
    words,
    numbers: [1, 2],
    json,
    bytes: new Uint8Array(bytes),
    day: new Date('2026-01-31'),
    nothing: null,
    many: 2,
    share: 1.25,
    yes: true,
    half: 0.5,
    times: [AT],
    big: [7],
  })
}

describe('values', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  test('a statement of our own gives the same values on both databases', async () => {
    await valuesThrough(await testDatabase())
  })

  test.each(['America/New_York', 'Asia/Kolkata'])(
    'values do not depend on the process being in %s',
    async (tz) => {
      process.env.TZ = tz
      await valuesThrough(await testDatabase())
      await timesThroughPrisma(await testDatabase())
    },
  )

  onPostgresql('values do not depend on the time zone of the server', async () => {
    const url = (await cloneUrl()) as string
    const name = new URL(url).pathname.slice(1)
    const before = await openTestDatabase(url)
    await before.prisma.$executeRawUnsafe(`alter database "${name}" set timezone = 'Asia/Kolkata'`)
    await before.close()
    const database = await openTestDatabase(url)
    onTestFinished(() => database.close())
    await valuesThrough(database)
    await timesThroughPrisma(database)
  })

  const timesThroughPrisma = async ({ prisma }: Database) => {
    const row = {
      ...tenancy(),
      key_id: 'k',
      day: new Date('2026-01-31'),
      operation: 'o',
      requests: 1,
      errors: 0,
    }
    expect(await prisma.apiKeyUsage.create({ data: row })).toEqual(row)
    expect(await prisma.apiKeyUsage.findMany({ where: { tenant_id: row.tenant_id } })).toEqual([row])
    const first = entry()
    expect((await prisma.activityEntry.create({ data: first })).occurred_at).toEqual(AT)
    expect(await prisma.activityEntry.count({ where: { id: first.id, occurred_at: AT } })).toBe(1)
  }

  test('Prisma keeps bytes, lists, nulls and times', async () => {
    const { prisma, sql } = await testDatabase()
    const row = {
      ...tenancy(),
      id: randomUUID(),
      name: 'n',
      description: null,
      key_hash: new Uint8Array([0, 255, 92, ...Buffer.from(randomUUID())]),
      prefix: 'p',
      last_four: '1234',
      scopes: ['a:read', 'b, "c"'],
      allowed_cidrs: [],
      created_by_user_id: 'u',
      created_by_name: 'U',
      created_at: AT,
      updated_at: AT,
      expires_at: AT,
    }
    await prisma.apiKey.create({ data: row })
    const where = { key_hash: row.key_hash }
    expect(await prisma.apiKey.findUniqueOrThrow({ where })).toMatchObject({ ...row, last_used_at: null })
    const found = statement(
      'test.key',
      'select scopes, allowed_cidrs, created_at from api_key where key_hash = $1',
    )
    expect(await sql.rows(found, [row.key_hash])).toEqual([
      { scopes: row.scopes, allowed_cidrs: [], created_at: AT },
    ])
  })

  test('Prisma keeps JSON, and tells no value from null', async () => {
    const { prisma } = await testDatabase()
    const json = [{ type: 'agent', id: 'ü "1"', deep: { list: [1, null, 'x'], at: AT.toISOString() } }]
    const data = { ...entry(), targets: json, after: 'a string' }
    expect(await prisma.activityEntry.create({ data })).toMatchObject({
      targets: json,
      before: null,
      after: 'a string',
    })
  })

  test('generated columns follow what they are made of', async () => {
    const { prisma } = await testDatabase()
    const own = tenancy()
    const row = { ...own, ...link, external_id: 'Ä', link_state: 'AUTO' as const, confidence: 0.97 }
    expect(await prisma.companyLink.create({ data: row })).toMatchObject({
      ...row,
      mapped: false,
      sort_name: 'ä',
    })
    const company = { ...own, id: 'c', psa_company_id: 'p', name: 'ÉCOLE', created_at: AT, updated_at: AT }
    expect(await prisma.endCompany.create({ data: company })).toMatchObject({
      sort_name: 'école',
      domains: [],
    })
    await prisma.companyLink.updateMany({ where: own, data: { psa_company_id: 'p', external_name: 'Zoë' } })
    expect(await prisma.companyLink.findFirst({ where: own })).toMatchObject({
      mapped: true,
      sort_name: 'zoë',
    })
  })

  test('lists are in byte order', async () => {
    const { prisma } = await testDatabase()
    const own = tenancy()
    const ids = ['B', 'a', 'Z', 'é', 'a-b', 'ab', '_']
    await prisma.companyLink.createMany({
      data: ids.map((external_id) => ({ ...own, ...link, external_id })),
    })
    const rows = await prisma.companyLink.findMany({ where: own, orderBy: { external_id: 'asc' } })
    expect(rows.map(({ external_id }) => external_id)).toEqual(['B', 'Z', '_', 'a', 'a-b', 'ab', 'é'])
    const named = await prisma.companyLink.findMany({ where: own, orderBy: { sort_name: 'asc' } })
    expect(named.map(({ sort_name }) => sort_name)).toEqual(['_', 'a', 'a-b', 'ab', 'b', 'z', 'é'])
  })
})
