import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isConflict, isOutage } from '../../src/db/errors.ts'
import { statement } from '../../src/db/sql.ts'
import { testDatabase } from '../setup/database.ts'
import { AT, entry } from './rows.ts'

describe('what the database refuses', () => {
  test('an activity entry stays as it was, except for retention', async () => {
    const { prisma } = await testDatabase()
    const data = entry()
    const where = { tenant_id: data.tenant_id }
    await prisma.activityEntry.create({ data })
    await expect(prisma.activityEntry.updateMany({ where, data: { action: 'x' } })).rejects.toThrow(
      'only ever',
    )
    await expect(prisma.activityEntry.deleteMany({ where })).rejects.toThrow('only ever inserted')
    await prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe('select allow_retention()')
      await tx.activityEntry.deleteMany({ where })
    })
    expect(await prisma.activityEntry.count({ where })).toBe(0)
    await prisma.activityEntry.create({ data })
    await expect(prisma.activityEntry.deleteMany({ where })).rejects.toThrow('only ever inserted')
  })

  test('a second row with the same key is told apart from other errors', async () => {
    const { prisma, sql } = await testDatabase()
    const row = { key: randomUUID(), tokens: 1, burst_tokens: 1, granted: 0, refilled_at: AT }
    await prisma.rateBucket.create({ data: row })
    const again = statement('test.again', 'insert into rate_bucket select * from rate_bucket where key = $1')
    for (const attempt of [() => prisma.rateBucket.create({ data: row }), () => sql.rows(again, [row.key])]) {
      const error = await attempt().then(null, (thrown: unknown) => thrown)
      expect(isConflict(error)).toBe(true)
      expect(isOutage(error)).toBe(false)
    }
    const negative = await prisma.rateBucket
      .update({ where: { key: row.key }, data: { tokens: -1 } })
      .catch(String)
    expect(negative).toContain('rate_bucket_not_negative')
  })

  test('a transaction that fails leaves nothing behind', async () => {
    const { prisma } = await testDatabase()
    const row = { key: randomUUID(), tokens: 1, burst_tokens: 1, granted: 0, refilled_at: AT }
    const failing = prisma.$transaction(async (tx) => {
      await tx.rateBucket.create({ data: row })
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(await prisma.rateBucket.count({ where: { key: row.key } })).toBe(0)
  })

  test('a commit that the database refuses is an error', async () => {
    const { prisma } = await testDatabase()
    const table = `late_${randomUUID().slice(0, 8)}`
    await prisma.$executeRawUnsafe(`create table ${table} (a int, unique (a) deferrable initially deferred)`)
    onTestFinished(async () => {
      await prisma.$executeRawUnsafe(`drop table ${table}`)
    })
    const twice = prisma.$transaction((tx) => tx.$executeRawUnsafe(`insert into ${table} values (1), (1)`))
    const error = await twice.then(null, (thrown: unknown) => thrown)
    expect(isConflict(error)).toBe(true)
  })
})
