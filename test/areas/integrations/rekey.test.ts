/** Encrypting anew: what the first key has not encrypted, in every tenant, as often as it is asked for. */
import { beforeEach, describe, expect, it } from 'vitest'
import {
  decryptSecrets,
  encryptSecrets,
  type Place,
  placeOf,
} from '../../../src/areas/integrations/credentials.ts'
import { ENCRYPTED_CONNECTIONS } from '../../../src/areas/integrations/encrypted.ts'
import { rekey } from '../../../src/db/rekey.ts'
import type { Sql } from '../../../src/db/sql.ts'
import { createSecretBox, type EncryptionKey, type SecretBox } from '../../../src/lib/secret-box.ts'
import { rekeyDatabase } from '../../setup/rekey.ts'

const keyOf = (id: string, byte: number): EncryptionKey => ({ id, key: Buffer.alloc(32, byte) })
const [OLD, NEW, LOST] = [keyOf('old', 1), keyOf('new', 2), keyOf('lost', 3)]

const rekeyConnections = (sql: Sql, box: SecretBox) => rekey(sql, box, ENCRYPTED_CONNECTIONS)

const COUNT = 102

const rowOf = (place: Place, box: SecretBox) => ({
  ...place,
  connection_id: `con_${place.name}`,
  settings: {},
  secrets: encryptSecrets(box, place, { key: place.name }),
  ingest_secret: box.encrypt('theirs', placeOf(place, 'ingest_secret')),
  updated_at: new Date(),
  updated_by_name: 'Test',
})

const placesOf = (count: number): Place[] =>
  Array.from({ length: count }, (_, index) => ({
    tenant_id: `ten_rekey_${index % 2}`,
    environment: 'test',
    name: `system-${index}`,
  }))

/** The database, in which `write` runs before a row is replaced. */
const withWrites = (sql: Sql, write: (place: Place) => Promise<unknown>): Sql => ({
  ...sql,
  rows: async (query, values) => {
    const [tenant_id, environment, name] = values as string[]
    if (query.name === 'rekey.replace_in_system_connection')
      await write({ tenant_id, environment, name } as Place)
    return await sql.rows(query, values)
  },
})

beforeEach(async () => {
  const { prisma } = await rekeyDatabase()
  await prisma.systemConnection.deleteMany()
  await prisma.webhookRemoval.deleteMany()
})

describe('a connection that is written while it is encrypted anew', () => {
  async function stored(count: number) {
    const database = await rekeyDatabase()
    const [old, both, fresh] = [[OLD], [NEW, OLD], [NEW]].map((keys) =>
      createSecretBox(keys as [EncryptionKey]),
    ) as [SecretBox, SecretBox, SecretBox]
    const data = placesOf(count).map((place) => rowOf(place, old))
    await database.prisma.systemConnection.createMany({ data })
    /** Stores other credentials, and leaves the secret of the address as it is. */
    const change = ({ tenant_id, environment, name }: Place, box: SecretBox, key: string) =>
      database.prisma.systemConnection.update({
        where: { tenant_id_environment_name: { tenant_id, environment, name } },
        data: { secrets: encryptSecrets(box, { tenant_id, environment, name }, { key }) },
      })
    const keys = async () => {
      const rows = await database.prisma.systemConnection.findMany({ orderBy: { name: 'asc' } })
      return rows.map(({ secrets, ingest_secret, ...place }) => {
        expect(fresh.decrypt(ingest_secret ?? '', placeOf(place, 'ingest_secret'))).toBe('theirs')
        return decryptSecrets(fresh, place, secrets ?? '').key
      })
    }
    return { database, old, both, change, keys }
  }

  it('is tried again, and keeps the credentials of the write', async () => {
    const { database, both, change, keys } = await stored(3)
    let writes = 0
    const sql = withWrites(database.sql, async (place) => {
      if (writes++ < 2) await change(place, both, `later ${place.name}`)
    })
    expect(await rekeyConnections(sql, both)).toEqual({ replaced: 3, failed: [], left: 0 })
    expect(await keys()).toEqual(['later system-0', 'system-1', 'later system-2'])
  })

  it('is counted at the end if it is still under another key', async () => {
    const { database, old, both, change } = await stored(3)
    const sql = withWrites(database.sql, async (place) => {
      if (place.name === 'system-1') await change(place, old, 'again')
    })
    expect(await rekeyConnections(sql, both)).toEqual({ replaced: 2, failed: [], left: 1 })
    expect(await rekeyConnections(database.sql, both)).toEqual({ replaced: 1, failed: [], left: 0 })
  })

  it('by many writes and two commands at once, is encrypted with the first key in the end', async () => {
    const { database, both, change, keys } = await stored(40)
    const places = placesOf(40)
    const [one, other] = await Promise.all([
      rekeyConnections(database.sql, both),
      rekeyConnections(database.sql, both),
      Promise.all(places.map((place) => change(place, both, 'written'))),
    ])
    expect([one.left, other.left]).toEqual([0, 0])
    expect(one.replaced + other.replaced).toBeLessThanOrEqual(40)
    expect(await keys()).toEqual(Array(40).fill('written'))
  })
})

it('credentials are encrypted with the first key once each, and none is lost by one that no key decrypts', async () => {
  const { sql, prisma } = await rekeyDatabase()
  const boxes = {
    old: createSecretBox([OLD]),
    both: createSecretBox([NEW, OLD]),
    lost: createSecretBox([LOST]),
  }
  const places = placesOf(COUNT)
  const [first, ...others] = places
  if (!first) throw new Error('There is no place')
  const disconnected = { ...rowOf({ ...first, name: 'gone' }, boxes.old), secrets: null, ingest_secret: null }
  await prisma.systemConnection.createMany({
    data: [rowOf(first, boxes.lost), ...others.map((place) => rowOf(place, boxes.old)), disconnected],
  })
  const [, given_up] = places as [unknown, Place]
  const { updated_at: created_at, updated_by_name: _by, ...removal } = rowOf(given_up, boxes.old)
  await prisma.webhookRemoval.create({ data: { ...removal, id: 'whr_1', created_at } })
  const reason = 'The encryption key lost is missing'
  const failed = [{ place: first, reason }]
  expect(await rekeyConnections(sql, boxes.both)).toEqual({ replaced: COUNT, failed, left: 1 })
  expect(await rekeyConnections(sql, boxes.both)).toEqual({ replaced: 0, failed, left: 1 })
  const fresh = createSecretBox([NEW])
  const where = { tenant_id: { in: ['ten_rekey_0', 'ten_rekey_1'] }, secrets: { not: null } }
  for (const { secrets, ingest_secret, ...place } of await prisma.systemConnection.findMany({ where })) {
    if (place.name === first.name) continue
    expect(decryptSecrets(fresh, place, secrets ?? '')).toEqual({ key: place.name })
    expect(fresh.decrypt(ingest_secret ?? '', placeOf(place, 'ingest_secret'))).toBe('theirs')
  }
  const left = await prisma.webhookRemoval.findFirstOrThrow({ where: { tenant_id: given_up.tenant_id } })
  expect(decryptSecrets(fresh, given_up, left.secrets)).toEqual({ key: given_up.name })
})
