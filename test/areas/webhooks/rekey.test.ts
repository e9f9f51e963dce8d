/** Encrypting the secrets of endpoints anew: the present one, and the one before it. */
import { expect, it } from 'vitest'
import { ENCRYPTED_ENDPOINTS } from '../../../src/areas/webhooks/encrypted.ts'
import { placeOf } from '../../../src/areas/webhooks/secrets.ts'
import { rekey } from '../../../src/db/rekey.ts'
import type { Sql } from '../../../src/db/sql.ts'
import { createSecretBox } from '../../../src/lib/secret-box.ts'
import { rekeyDatabase } from '../../setup/rekey.ts'
import { addEndpoints } from '../../setup/webhook-rows.ts'

const keyOf = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) })
const [OLD, NEW, LOST] = [keyOf('old', 1), keyOf('new', 2), keyOf('lost', 3)]
const boxes = {
  old: createSecretBox([OLD]),
  both: createSecretBox([NEW, OLD]),
  fresh: createSecretBox([NEW]),
  lost: createSecretBox([LOST]),
}

const TENANCY = { tenant_id: 'ten_rekey', environment: 'test' }
const placeOfId = (id: string): string[] => placeOf({ ...TENANCY, id })

type Box = keyof typeof boxes

/** Endpoints with secrets under these keys. */
async function stored(endpoints: Readonly<Record<string, { secret: Box; previous?: Box }>>) {
  const database = await rekeyDatabase()
  await database.prisma.webhookEndpoint.deleteMany()
  const rows = Object.entries(endpoints).map(([id, { secret, previous }]) => ({
    id,
    secret: boxes[secret].encrypt(`${id} now`, placeOfId(id)),
    previous_secret: previous ? boxes[previous].encrypt(`${id} before`, placeOfId(id)) : null,
  }))
  await addEndpoints({ ...TENANCY, database }, rows)
  /** The secrets by the new key alone, the present one first. */
  const secretsOf = async (id: string) => {
    const row = await database.prisma.webhookEndpoint.findFirstOrThrow({ where: { ...TENANCY, id } })
    const texts = [row.secret, row.previous_secret]
    return texts.map((text) => text && boxes.fresh.decrypt(text, placeOfId(id)))
  }
  return { ...database, secretsOf }
}

const rekeyEndpoints = (sql: Sql) => rekey(sql, boxes.both, ENCRYPTED_ENDPOINTS)

it('a secret is encrypted with the first key, and so is the one before it, if there is one', async () => {
  const { sql, secretsOf } = await stored({
    alone: { secret: 'old' },
    rotated: { secret: 'old', previous: 'old' },
    half: { secret: 'fresh', previous: 'old' },
    fresh: { secret: 'fresh' },
  })
  expect(await rekeyEndpoints(sql)).toEqual({ replaced: 3, failed: [], left: 0 })
  expect(await rekeyEndpoints(sql)).toEqual({ replaced: 0, failed: [], left: 0 })
  expect(await secretsOf('alone')).toEqual(['alone now', null])
  expect(await secretsOf('rotated')).toEqual(['rotated now', 'rotated before'])
  expect(await secretsOf('half')).toEqual(['half now', 'half before'])
  expect(await secretsOf('fresh')).toEqual(['fresh now', null])
})

it('an endpoint with a secret under a missing key is named, and the others are encrypted anew', async () => {
  const { sql, secretsOf } = await stored({
    a: { secret: 'lost' },
    b: { secret: 'fresh', previous: 'lost' },
    c: { secret: 'old' },
  })
  const reason = 'The encryption key lost is missing'
  const failed = ['a', 'b'].map((name) => ({ place: { ...TENANCY, name }, reason }))
  expect(await rekeyEndpoints(sql)).toEqual({ replaced: 1, failed, left: 2 })
  expect(await secretsOf('c')).toEqual(['c now', null])
})

it('a rotation meanwhile keeps its secrets, and the one that it moved is encrypted anew', async () => {
  const { sql, prisma, secretsOf } = await stored({ a: { secret: 'old' } })
  let is_rotated = false
  const rotating: Sql = {
    ...sql,
    async rows(query, values) {
      if (query.name === 'rekey.replace_in_webhook_endpoint' && !is_rotated) {
        is_rotated = true
        const where = { ...TENANCY, id: 'a' }
        const { secret: previous_secret } = await prisma.webhookEndpoint.findFirstOrThrow({ where })
        const secret = boxes.fresh.encrypt('a later', placeOfId('a'))
        await prisma.webhookEndpoint.updateMany({ where, data: { secret, previous_secret } })
      }
      return await sql.rows(query, values)
    },
  }
  expect(await rekeyEndpoints(rotating)).toEqual({ replaced: 1, failed: [], left: 0 })
  expect(await secretsOf('a')).toEqual(['a later', 'a now'])
})
