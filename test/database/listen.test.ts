import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statement } from '../../src/db/sql.ts'
import { cloneDatabase } from '../setup/database.ts'
import { until } from '../setup/until.ts'

const NOTIFY = statement('test.notify', `select pg_notify('test', $1)`)

async function ownDatabase() {
  const database = await cloneDatabase()
  onTestFinished(() => database.close())
  return database
}

describe('listening to the database', () => {
  it('tells that it has begun, and what was notified since', async () => {
    const database = await ownDatabase()
    const told: string[] = []
    const connected = Promise.withResolvers<void>()
    const stop = database.listen('test', {
      connected: connected.resolve,
      notified: (payload) => told.push(payload),
    })
    await connected.promise
    await database.sql.rows(NOTIFY, ['one'])
    await until(() => told.length > 0)
    await stop()
    await database.sql.rows(NOTIFY, ['two'])
    expect(told).toEqual(['one'])
  })

  it('stops whenever it is asked to, also while it connects', async () => {
    const database = await ownDatabase()
    const stops = Array.from({ length: 30 }, async (_, number) => {
      const stop = database.listen('test', { connected() {}, notified() {} })
      await sleep(number % 10)
      await stop()
    })
    expect(await Promise.all(stops)).toHaveLength(30)
  })
})
