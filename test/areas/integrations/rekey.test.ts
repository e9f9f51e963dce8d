/** Encrypting anew: what the first key has not encrypted, in every tenant, as often as it is asked for. */
import { expect, it } from 'vitest'
import { decryptSecrets, encryptSecrets, placeOf } from '../../../src/areas/integrations/credentials.ts'
import { rekeyConnections } from '../../../src/areas/integrations/rekey.ts'
import { createSecretBox, type EncryptionKey } from '../../../src/lib/secret-box.ts'
import { cloneDatabase } from '../../setup/database.ts'

const keyOf = (id: string, byte: number): EncryptionKey => ({ id, key: Buffer.alloc(32, byte) })
const [OLD, NEW, LOST] = [keyOf('old', 1), keyOf('new', 2), keyOf('lost', 3)]

const COUNT = 102

it('credentials are encrypted with the first key once each, and none is lost by one that no key decrypts', async () => {
  const { sql, prisma } = await cloneDatabase()
  const boxes = {
    old: createSecretBox([OLD]),
    both: createSecretBox([NEW, OLD]),
    lost: createSecretBox([LOST]),
  }
  const places = Array.from({ length: COUNT }, (_, index) => ({
    tenant_id: `ten_rekey_${index % 2}`,
    environment: 'test',
    name: `system-${index}`,
  }))
  const rowOf = (place: (typeof places)[number], box = boxes.old) => ({
    ...place,
    connection_id: `con_${place.name}`,
    settings: {},
    secrets: encryptSecrets(box, place, { key: place.name }),
    ingest_secret: box.encrypt('theirs', placeOf(place, 'ingest_secret')),
    updated_at: new Date(),
    updated_by_name: 'Test',
  })
  const [first, ...others] = places
  if (!first) throw new Error('There is no place')
  const disconnected = { ...rowOf({ ...first, name: 'gone' }), secrets: null, ingest_secret: null }
  await prisma.systemConnection.createMany({
    data: [rowOf(first, boxes.lost), ...others.map((place) => rowOf(place)), disconnected],
  })
  const [, given_up] = places as [unknown, (typeof places)[number]]
  const { updated_at: created_at, updated_by_name: _by, ...removal } = rowOf(given_up)
  await prisma.webhookRemoval.create({ data: { ...removal, id: 'whr_1', created_at } })
  const reason = 'The encryption key lost is missing'
  const failed = [{ place: first, reason }]
  expect(await rekeyConnections(sql, boxes.both)).toEqual({ replaced: COUNT, failed })
  expect(await rekeyConnections(sql, boxes.both)).toEqual({ replaced: 0, failed })
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
