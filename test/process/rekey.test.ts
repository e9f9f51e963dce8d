/** `npm run rekey`: its exit status says whether the earlier key can be removed. */
import { expect, it, onTestFinished } from 'vitest'
import { encryptSecrets, placeOf } from '../../src/areas/integrations/credentials.ts'
import { encryptSecrets as encryptScriptSecrets } from '../../src/areas/rmm-scripts/runs/secrets.ts'
import { placeOf as endpointPlaceOf } from '../../src/areas/webhooks/secrets.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { addRun, addScript } from '../setup/rmm-scripts.ts'
import { newPlace, runProgram } from './service.ts'

const keyOf = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) })
const listed = (...keys: ReturnType<typeof keyOf>[]): string =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join()

const [OLD, NEW, LOST] = [keyOf('old', 1), keyOf('new', 2), keyOf('lost', 3)]

it('the command fails as long as a connection, a webhook endpoint or a run of a script is under another key', async () => {
  const { env, remove } = await newPlace()
  onTestFinished(remove)
  const inDatabase = async (work: (database: Database) => Promise<unknown>): Promise<void> => {
    const database = await openDatabase({
      database_url: env.DATABASE_URL,
      data_dir: env.DATA_DIR ?? '',
      pool_size: 1,
      timeout_ms: 60_000,
    })
    await work(database).finally(() => database.close())
  }
  const rowOf = (name: string, key: typeof OLD) => {
    const place = { tenant_id: 'ten_1', environment: 'test', name }
    const box = createSecretBox([key])
    return {
      ...place,
      connection_id: `con_${name}`,
      settings: {},
      secrets: encryptSecrets(box, place, { key: name }),
      ingest_secret: box.encrypt('theirs', placeOf(place, 'ingest_secret')),
      updated_at: new Date(),
      updated_by_name: 'Test',
    }
  }
  const data = [rowOf('a', OLD), rowOf('b', LOST), rowOf('c', OLD)]
  const endpointOf = (id: string, key: typeof OLD) => {
    const place = { tenant_id: 'ten_1', environment: 'test', id }
    const times = { created_at: new Date(), updated_at: new Date() }
    const endpoint = { url: 'https://hooks.example', event_types: ['*'], created_by_name: 'Test', ...times }
    return { ...place, ...endpoint, secret: createSecretBox([key]).encrypt('theirs', endpointPlaceOf(place)) }
  }
  const endpoints = [endpointOf('whe_a', OLD), endpointOf('whe_b', LOST), endpointOf('whe_c', OLD)]
  const of = { tenant_id: 'ten_1', environment: 'test' }
  const runOf = (id: string, key: typeof OLD) => ({
    id,
    status: 'PENDING_APPROVAL' as const,
    secrets: encryptScriptSecrets(createSecretBox([key]), { ...of, id }, { password: 'theirs' }),
  })
  await inDatabase(async (database) => {
    await database.prisma.systemConnection.createMany({ data })
    await database.prisma.webhookEndpoint.createMany({ data: endpoints })
    await addScript({ ...of, database })
    await addRun({ ...of, database }, runOf('rsr_a', OLD))
    await addRun({ ...of, database }, runOf('rsr_b', LOST))
  })
  const rekey = () =>
    runProgram('src/commands/rekey.ts', { ...env, ENVIRONMENT: 'test', ENCRYPTION_KEYS: listed(NEW, OLD) })
  expect(await rekey()).toMatchObject({
    code: 1,
    stdout:
      '2 connections encrypted anew.\n2 webhook endpoints encrypted anew.\n1 run of a script encrypted anew.\n',
    stderr: expect.stringMatching(
      / b: The encryption key lost is missing\n1 connection is still under another key\.\n.* whe_b: .* is missing\n1 webhook .*\n.* rsr_b: .* is missing\n1 run of a script is still /,
    ),
  })
  await inDatabase(({ prisma }) => prisma.systemConnection.deleteMany({ where: { name: 'b' } }))
  expect(await rekey()).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ten_1 test whe_b: /) })
  await inDatabase(({ prisma }) => prisma.webhookEndpoint.deleteMany({ where: { id: 'whe_b' } }))
  expect(await rekey()).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ten_1 test rsr_b: /) })
  await inDatabase(({ prisma }) => prisma.rmmScriptRun.deleteMany({ where: { id: 'rsr_b' } }))
  expect(await rekey()).toMatchObject({
    code: 0,
    stdout:
      '0 connections encrypted anew.\n0 webhook endpoints encrypted anew.\n0 runs of scripts encrypted anew.\n',
  })
})
