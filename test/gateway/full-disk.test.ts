import { afterAll, expect, it, vi } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { Disk } from '../../src/db/disk.ts'
import { testDatabase } from '../setup/database.ts'
import { overheard } from '../setup/log.ts'
import { world } from '../setup/world.ts'

afterAll(() => vi.useRealTimers())

const noSpace = () =>
  Object.assign(new Error('could not extend file "base/5/16624": No space left on device'), { code: '53100' })

/** A database whose statements that write, and whose transactions, fail for lack of space. */
async function fullDatabase(): Promise<Database> {
  const database = await testDatabase()
  const disk = new Disk()
  return {
    ...database,
    disk,
    sql: {
      rows: (statement, ...rest) =>
        /^\s*(with|insert|update|delete)/.test(statement.text)
          ? disk.noting(Promise.reject(noSpace()))
          : database.sql.rows(statement, ...rest),
    },
    transaction: () => disk.noting(Promise.reject(noSpace())),
  }
}

it('reads go on while the disk is full, and the health, a metric and one line say so', async () => {
  const msp = await world()
  const { base, lines } = await overheard(fullDatabase())
  const { key } = msp
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(base + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key.token}` } })
  const write = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"timezone":null}' }
  for (let round = 0; round < 3; round++) {
    expect((await ask('/public-api/settings')).status).toBe(200)
    const refused = await ask('/public-api/settings', write)
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'service_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  const { data } = await (await ask('/public-api/health')).json()
  expect([data.status, data.checks.database.status]).toEqual(['DEGRADED', 'DEGRADED'])
  expect((await fetch(`${base}/readyz`)).status).toBe(200)
  expect(await (await fetch(`${base}/metrics`)).text()).toMatch(/^db_disk_full 1$/m)
  const said = lines().filter(({ level }) => (level as number) > 30)
  expect(said.map(({ msg }) => msg)).toEqual([
    'the disk of the database is full: writes fail, and reads go on',
  ])
})

it('limits hold while the disk is full, for each process', async () => {
  const { key } = await world()
  const { base } = await overheard(fullDatabase(), { LIMITS: 'service_key=10' })
  const statuses = []
  for (let asked = 0; asked < 12; asked++) {
    const response = await fetch(`${base}/public-api/settings`, {
      headers: { authorization: `Bearer ${key.token}` },
    })
    statuses.push(response.status)
  }
  expect(statuses).toContain(200)
  expect(statuses.at(-1)).toBe(429)
})

it('a disk on which nothing has failed for half a minute has space again', async () => {
  vi.useFakeTimers()
  const disk = new Disk()
  const said: boolean[] = []
  disk.watch((is_full) => void said.push(is_full))
  const fail = () => disk.noting(Promise.reject(noSpace())).catch(() => {})
  await fail()
  vi.advanceTimersByTime(20_000)
  await fail()
  await disk.noting(Promise.reject(new Error('another one'))).catch(() => {})
  vi.advanceTimersByTime(20_000)
  expect([disk.is_full, said]).toEqual([true, [true]])
  vi.advanceTimersByTime(10_000)
  expect([disk.is_full, said]).toEqual([false, [true, false]])
})
