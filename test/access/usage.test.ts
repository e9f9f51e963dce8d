import { beforeAll, expect, test } from 'vitest'
import { createUsage } from '../../src/access/usage.ts'
import type { Database } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { newId } from '../../src/lib/ids.ts'
import { testDatabase } from '../setup/database.ts'
import { addKey, addUser, keyViewer, userViewer } from './people.ts'

let database: Database

beforeAll(async () => {
  database = await testDatabase()
})

async function world() {
  const tenant_id = newId('ten')
  const user = await addUser(database, { tenant_id, role: 'OWNER' })
  const key_hash = new TextEncoder().encode(newId('hash'))
  const key_id = await addKey(database, { tenant_id, created_by_user_id: user.id, key_hash })
  let time = new Date('2026-06-01T23:59:50Z')
  let down = false
  const sql: Sql = {
    rows: async (...args) => {
      if (down) throw new Error('down')
      return database.sql.rows(...args)
    },
  }
  const key = keyViewer({ tenant_id, id: key_id, name: 'Key' })
  const person = userViewer({ tenant_id, ...user })
  return {
    key,
    person,
    usage: createUsage({ sql, now: () => time }),
    at: (iso: string) => {
      time = new Date(iso)
    },
    outage: (on: boolean) => {
      down = on
    },
    counts: async () =>
      (
        await database.prisma.apiKeyUsage.findMany({
          where: { tenant_id },
          orderBy: [{ day: 'asc' }, { operation: 'asc' }],
        })
      ).map(({ day, operation, requests, errors }) => [
        day.toISOString().slice(0, 10),
        operation,
        requests,
        errors,
      ]),
    keyRow: () => database.prisma.apiKey.findFirstOrThrow({ where: { id: key_id } }),
    userRow: () => database.prisma.tenantUser.findFirstOrThrow({ where: { id: user.id } }),
  }
}

test('a key’s requests are counted by day and operation, over several flushes', async () => {
  const { usage, key, at, counts } = await world()
  usage.seen(key, 'settings', false, '192.0.2.1')
  usage.seen(key, 'settings', true, '192.0.2.1')
  usage.seen(key, 'agents', false, '192.0.2.1')
  await usage.flush()
  usage.seen(key, 'settings', true, '192.0.2.1')
  at('2026-06-02T00:00:00Z')
  usage.seen(key, 'settings', false, '192.0.2.1')
  await usage.flush()
  await usage.flush()
  expect(await counts()).toEqual([
    ['2026-06-01', 'agents', 1, 0],
    ['2026-06-01', 'settings', 3, 2],
    ['2026-06-02', 'settings', 1, 0],
  ])
})

test('a key and a user were last seen at their latest request', async () => {
  const { usage, key, person, at, keyRow, userRow } = await world()
  usage.seen(key, 'settings', false, '192.0.2.1')
  usage.seen(person, 'settings', false, '192.0.2.1')
  at('2026-06-02T00:00:00Z')
  usage.seen(key, 'settings', false, '2001:db8::1')
  usage.seen(person, 'settings', true, '192.0.2.1')
  await usage.flush()
  const latest = new Date('2026-06-02T00:00:00Z')
  expect(await keyRow()).toMatchObject({ last_used_at: latest, last_used_ip: '2001:db8::1' })
  expect((await userRow()).last_seen_at).toEqual(latest)
})

test('an earlier request that is written later changes nothing', async () => {
  const { usage, key, at, keyRow } = await world()
  usage.seen(key, 'settings', false, '192.0.2.2')
  await usage.flush()
  at('2026-06-01T10:00:00Z')
  usage.seen(key, 'settings', false, '192.0.2.1')
  await usage.flush()
  const kept = { last_used_at: new Date('2026-06-01T23:59:50Z'), last_used_ip: '192.0.2.2' }
  expect(await keyRow()).toMatchObject(kept)
})

test('what cannot be written is kept for the next flush', async () => {
  const { usage, key, person, at, outage, counts, keyRow, userRow } = await world()
  usage.seen(key, 'settings', true, '192.0.2.1')
  usage.seen(person, 'settings', true, '192.0.2.1')
  outage(true)
  const failing = usage.flush()
  at('2026-06-01T23:59:59Z')
  usage.seen(key, 'settings', false, '192.0.2.2')
  await expect(failing).rejects.toThrow('down')
  outage(false)
  await usage.flush()
  expect(await counts()).toEqual([['2026-06-01', 'settings', 2, 1]])
  const last_used_at = new Date('2026-06-01T23:59:59Z')
  expect(await keyRow()).toMatchObject({ last_used_at, last_used_ip: '192.0.2.2' })
  expect((await userRow()).last_seen_at).toEqual(new Date('2026-06-01T23:59:50Z'))
})

test('nothing noted is nothing written', async () => {
  const { usage, outage } = await world()
  outage(true)
  await usage.flush()
})
