/** The refresh token of NinjaOne, which the vendor may replace when it is used. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { companyLinks } from '../../../src/areas/company-links/index.ts'
import { exchangeOf } from '../../../src/areas/integrations/connection/exchange.ts'
import { decryptSecrets, encryptSecrets } from '../../../src/areas/integrations/credentials.ts'
import { ENCRYPTED_CONNECTIONS } from '../../../src/areas/integrations/encrypted.ts'
import { findConnection } from '../../../src/areas/integrations/index.ts'
import { createVendorClient } from '../../../src/connectors/http/client.ts'
import { ninjaOneRmm } from '../../../src/connectors/ninjaone/adapter.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { rekey } from '../../../src/db/rekey.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { createSecretBox, type EncryptionKey } from '../../../src/lib/secret-box.ts'
import { REFRESH_TOKEN, SETTINGS, startNinjaOne } from '../../doubles/ninjaone/server.ts'
import { cloneDatabase, openTestDatabase, testDatabase } from '../../setup/database.ts'
import { portContext } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'

const keyOf = (id: string, byte: number): EncryptionKey => ({ id, key: Buffer.alloc(32, byte) })
const OLD = keyOf('old', 1)
const box = createSecretBox([OLD])

const NAME = 'ninjaone'
const ORDER = { device_id: '1', script_id: '7', parameters: {}, secret_parameters: [], run_as_user: false }

async function setUp(database = testDatabase(), options: Parameters<typeof startNinjaOne>[0] = {}) {
  const double = await startNinjaOne({ rotates: true, refresh_ms: 50, ...options })
  onTestFinished(async () => {
    await double.close()
    expect(double.violations).toEqual([])
  })
  double.rows.devices.push({ id: 1, organizationId: 1, displayName: 'PC' })
  double.rows.scripts.push({ id: 7, name: 'Clean up', language: 'powershell' })
  const msp = await world(await database)
  const { tenant_id, environment } = msp
  const { client_id, client_secret } = SETTINGS
  const place = { tenant_id, environment, name: NAME }
  const where = { tenant_id_environment_name: place }
  const { systemConnection } = msp.database.prisma
  const secrets = { client_secret, refresh_token: REFRESH_TOKEN }
  await systemConnection.create({
    data: {
      ...place,
      connection_id: `con_${tenant_id}`,
      settings: { site: double.url, client_id },
      secret_names: Object.keys(secrets),
      secrets: encryptSecrets(box, place, secrets),
      updated_at: new Date(),
      updated_by_name: 'Test',
    },
  })
  const row = () => systemConnection.findUniqueOrThrow({ where })
  const stored = async (from = box) => decryptSecrets(from, place, (await row()).secrets ?? '')
  const change = (data: object) => systemConnection.update({ where, data })
  return { double, msp, row, stored, change }
}

/** The port of a process of its own: it shares nothing with others but the database. */
async function processOf(msp: Msp, database = msp.database) {
  const client = createVendorClient({ allow_private_addresses: true, pause_ms: 1, write_ms: 1000 })
  onTestFinished(() => client.close())
  const ctx = { ...portContext(msp), services: { database } }
  const found = await findConnection(ctx, box, ['NINJAONE'])
  if (!found) throw new Error('There is no connection')
  return { rmm: ninjaOneRmm(client, companyLinks).open(found.open() as never, ctx), found, ctx }
}

/** A connection to the database of its own, if that is on a server. */
async function anotherDatabase({ database }: Msp) {
  if (!('url' in database.source)) return database
  const another = await openTestDatabase(database.source.url)
  onTestFinished(() => another.close())
  return another
}

describe('a refresh token that the vendor replaces', () => {
  it('is used by one process after another, and stored each time', async () => {
    const { double, msp, row, stored } = await setUp()
    const before = await row()
    const one = await processOf(msp)
    const other = await processOf(msp, await anotherDatabase(msp))
    await Promise.all([one, other].map(({ rmm }) => rmm.startScript(ORDER, 'k')))
    expect([double.refreshed(), double.runs.starts.length]).toEqual([2, 2])
    const { client_secret } = SETTINGS
    expect(await stored()).toEqual({ client_secret, refresh_token: double.refreshToken() })
    expect(await row()).toEqual({ ...before, secrets: expect.not.stringContaining(before.secrets ?? '') })
  })

  it('leaves the access token as it is, whichever process reads the connection anew', async () => {
    const { double, msp } = await setUp()
    const { rmm, ctx } = await processOf(msp)
    await rmm.startScript(ORDER, 'k')
    const again = await findConnection(ctx, box, ['NINJAONE'])
    expect(again?.open().settings).toMatchObject({ refresh_token: double.refreshToken() })
    const client = createVendorClient({ allow_private_addresses: true })
    onTestFinished(() => client.close())
    const adapter = ninjaOneRmm(client, companyLinks)
    for (let start = 0; start < 3; start++) {
      const found = await findConnection(ctx, box, ['NINJAONE'])
      await adapter.open(found?.open() as never, ctx).startScript(ORDER, 'k')
    }
    expect(double.refreshed()).toBe(2)
  })

  it('stays if the vendor leaves it', async () => {
    const { double, msp, row } = await setUp(testDatabase(), { rotates: false })
    const before = await row()
    const { rmm } = await processOf(msp)
    await rmm.startScript(ORDER, 'k')
    expect([double.refreshed(), await row()]).toEqual([1, before])
  })

  it('stays if it is refused, or if the vendor does not answer, and is not locked any more', async () => {
    const { double, msp, stored } = await setUp()
    const { rmm } = await processOf(msp)
    await rmm.scriptPage(null)
    double.faults.push(null, 'NO_ANSWER')
    await expect(rmm.startScript(ORDER, 'k')).rejects.toMatchObject({ kind: 'OUTAGE' })
    expect(double.runs.starts).toEqual([])
    await rmm.startScript(ORDER, 'k')
    expect((await stored()).refresh_token).toBe('refresh-2')
    double.revokeUser()
    double.expireTokens()
    await expect(rmm.startScript(ORDER, 'k')).rejects.toMatchObject({ kind: 'CREDENTIALS' })
    expect((await stored()).refresh_token).toBe('refresh-2')
  })

  it('is not used by a connection that was changed or removed meanwhile', async () => {
    for (const data of [{ revision: 2 }, { connection_id: 'con_other' }, { secrets: null }]) {
      const { double, msp, change } = await setUp()
      const { rmm } = await processOf(msp)
      await change('connection_id' in data ? { connection_id: `${msp.tenant_id}_other` } : data)
      const error = await rmm.startScript(ORDER, 'k').catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(PortUnavailable)
      expect([double.refreshed(), double.runs.starts]).toEqual([0, []])
    }
  })

  it('is encrypted with the first key, and encrypted anew with the others', async () => {
    const database = cloneDatabase()
    onTestFinished(async () => await (await database).close())
    const { msp, stored } = await setUp(database)
    const { rmm } = await processOf(msp)
    await rmm.startScript(ORDER, 'k')
    const both = createSecretBox([keyOf('new', 2), OLD])
    expect(await rekey(msp.database.sql, both, ENCRYPTED_CONNECTIONS)).toEqual({
      replaced: 1,
      failed: [],
      left: 0,
    })
    expect((await stored(createSecretBox([keyOf('new', 2)]))).refresh_token).toBe('refresh-2')
  })
})

it('a secret is not exchanged inside a transaction, and keeps what it was if its use fails', async () => {
  const { msp, row } = await setUp()
  const before = await row()
  const ctx = portContext(msp)
  const exchange = exchangeOf(ctx, box, before)
  const replace = async () => ({ result: 1, replaced_by: 'another' })
  await expect(inTransaction(ctx, 5000, () => exchange('refresh_token', replace))).rejects.toThrow(
    /transaction/,
  )
  const fail = async () => {
    throw new PortUnavailable('away')
  }
  await expect(exchange('refresh_token', fail)).rejects.toThrow('away')
  await expect(exchange('no_such_secret', replace)).rejects.toBeInstanceOf(PortUnavailable)
  expect(await row()).toEqual(before)
  expect(await exchange('refresh_token', replace)).toBe(1)
})
