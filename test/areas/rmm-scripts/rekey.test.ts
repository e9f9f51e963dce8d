/** Encrypting the secrets of runs of scripts anew. */
import { expect, it } from 'vitest'
import {
  decryptSecrets,
  ENCRYPTED_SCRIPT_RUNS,
  encryptSecrets,
} from '../../../src/areas/rmm-scripts/runs/secrets.ts'
import { rekey } from '../../../src/db/rekey.ts'
import { createSecretBox, type SecretBox } from '../../../src/lib/secret-box.ts'
import { rekeyDatabase } from '../../setup/rekey.ts'
import { addRun, addScript } from '../../setup/rmm-scripts.ts'

const keyOf = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) })
const [OLD, NEW, LOST] = [keyOf('old', 1), keyOf('new', 2), keyOf('lost', 3)]
const boxes = {
  old: createSecretBox([OLD]),
  both: createSecretBox([NEW, OLD]),
  fresh: createSecretBox([NEW]),
  lost: createSecretBox([LOST]),
}

const TENANCY = { tenant_id: 'ten_rekey', environment: 'test' }
const placeOf = (id: string) => ({ ...TENANCY, id })
const SECRETS = { password: 'hunter2', pin: 4711, is_admin: true }

/** Runs that wait with secrets under these keys, or without any; and the text that is stored for a run now. */
async function stored(runs: Readonly<Record<string, SecretBox | null>>) {
  const database = await rekeyDatabase()
  const msp = { ...TENANCY, database }
  await addScript(msp)
  for (const [id, box] of Object.entries(runs)) {
    const secrets = box && encryptSecrets(box, placeOf(id), SECRETS)
    await addRun(msp, { id, status: 'PENDING_APPROVAL', secrets })
  }
  const textOf = async (id: string) => {
    const { secrets } = await database.prisma.rmmScriptRun.findFirstOrThrow({ where: placeOf(id) })
    return secrets
  }
  return { sql: database.sql, textOf }
}

it('secrets are encrypted with the first key once each, and none is lost by one that no key decrypts', async () => {
  const { sql, textOf } = await stored({
    rsr_old: boxes.old,
    rsr_fresh: boxes.fresh,
    rsr_lost: boxes.lost,
    rsr_none: null,
  })
  const before = await textOf('rsr_fresh')
  const place = { ...TENANCY, name: 'rsr_lost' }
  const failed = [{ place, reason: 'The encryption key lost is missing' }]
  expect(await rekey(sql, boxes.both, ENCRYPTED_SCRIPT_RUNS)).toEqual({ replaced: 1, failed, left: 1 })
  expect(await rekey(sql, boxes.both, ENCRYPTED_SCRIPT_RUNS)).toEqual({ replaced: 0, failed, left: 1 })
  expect(decryptSecrets(boxes.fresh, placeOf('rsr_old'), (await textOf('rsr_old')) ?? '')).toEqual(SECRETS)
  expect(await textOf('rsr_fresh')).toBe(before)
  expect(await textOf('rsr_none')).toBeNull()
})

it('secrets of a run are of no use in another run', async () => {
  const encrypted = encryptSecrets(boxes.fresh, placeOf('rsr_1'), SECRETS)
  expect(() => decryptSecrets(boxes.fresh, placeOf('rsr_2'), encrypted)).toThrow('not as it was encrypted')
})
