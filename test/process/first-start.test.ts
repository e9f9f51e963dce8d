/**
 * The first start on an embedded database: it copies the one with the demo that the installation prepared, or another
 * process makes it, and ends.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { placeOf } from '../../src/areas/webhooks/secrets.ts'
import { openDatabase } from '../../src/db/database.ts'
import { preparedDirectory } from '../../src/db/migrations/prepared-database.ts'
import { statement } from '../../src/db/sql.ts'
import { demoKeys, hasDemo, stored } from '../../src/demo/demo.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { isCurrent, ROOT } from '../../src/process/bundle.ts'
import { prepareDemo, preparedDemo } from '../../src/process/prepared-demo.ts'
import { call, startService } from './service.ts'

const LONG_MS = 240_000

/** There is no prepared demo of this environment. */
const UNPREPARED = { ENVIRONMENT: 'unprepared' }

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'first-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A first start, as soon as the other process puts the demo in. */
async function begun(folder: string) {
  const service = spawn(process.execPath, [join(ROOT, 'src/entry.js')], {
    env: { ...UNPREPARED, PATH: process.env.PATH, DATA_DIR: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void service.kill('SIGKILL'))
  const said = text(service.stderr)
  for await (const chunk of service.stdout) if (String(chunk).includes('Putting the demo MSP in')) break
  const { pid } = JSON.parse(await readFile(join(folder, 'database.lock.holder'), 'utf8'))
  expect(pid).not.toBe(service.pid)
  return { service, said, maker: pid as number }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts and stops the service: its output, and its memory once it has answered. */
async function startedOnce(env: Record<string, string>, run?: Parameters<typeof startService>[1]) {
  const service = await startService(env, run)
  onTestFinished(async () => void (await service.stop('SIGKILL')))
  expect((await call(service, service.key, '/settings')).status).toBe(200)
  const metrics = await (await fetch(`${service.base}/metrics`)).text()
  await service.stop()
  return {
    said: service.stdout,
    megabytes: Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]) / 1e6,
  }
}

test(
  'that is killed ends the other process too; the next one begins anew, with the memory that a later start takes',
  async () => {
    const folder = await newFolder()
    const { service, maker } = await begun(folder)
    service.kill('SIGKILL')
    const env = { ...UNPREPARED, DATA_DIR: folder, PORT: '0' }
    const first = await startedOnce(env)
    expect(first.said).toContain('Making the embedded database')
    expect(first.said).toContain('Putting the demo MSP in')
    expect(isRunning(maker)).toBe(false)
    const later = await startedOnce(env)
    expect(later.said).not.toContain('Putting the demo MSP in')
    expect(first.megabytes).toBeLessThan(later.megabytes + 80)
  },
  LONG_MS,
)

test(
  'whose other process is killed ends with a sentence that says so',
  async () => {
    const { service, said, maker } = await begun(await newFolder())
    process.kill(maker, 'SIGKILL')
    const [code] = await once(service, 'exit')
    expect([code, await said]).toEqual([1, 'The process that makes the database has ended (SIGKILL).\n'])
  },
  LONG_MS,
)

test(
  'copies the demo that was prepared within the last hour, for its environment, with a demo key of its own',
  async () => {
    const place = { environment: 'dev', bundle: await newFolder() }
    const directory = (await prepareDemo(place, await preparedDirectory())) ?? ''
    expect(await preparedDemo(place)).toBe(directory)
    expect(await preparedDemo({ ...place, environment: 'other' })).toBeUndefined()
    const database = await openDatabase({
      database_url: undefined,
      data_dir: join(await newFolder(), 'data'),
      prepared: async () => directory,
      pool_size: 1,
      timeout_ms: 15_000,
    })
    onTestFinished(() => database.close())
    expect(await hasDemo(database.sql, 'dev')).toBe(true)
    const key = `svc_sk_dev_${'d'.repeat(46)}`
    const encryption_keys = [{ id: 'own', key: Buffer.alloc(32, 1) }] as const
    const own_secrets = { demo_api_key: key, key_pepper: 'own', encryption_keys }
    const options = { now: new Date(), environment: 'dev', ...own_secrets }
    expect(await demoKeys(database.sql, options)).toMatchObject({ api_key: key })
    const hashes = statement('test.hashes', `select count(*)::int from api_key where key_hash = $1`)
    const own = stored(options.key_pepper, key).key_hash
    expect(await database.sql.rows(hashes, [own])).toEqual([{ count: 1 }])
    const endpoints = await database.prisma.webhookEndpoint.findMany()
    const box = createSecretBox(encryption_keys)
    for (const endpoint of endpoints)
      expect(box.decrypt(endpoint.secret, placeOf(endpoint))).toMatch(/^whsec_/)
    const hour_ago = Date.now() / 1000 - 3600
    await utimes(directory, hour_ago, hour_ago)
    expect(await preparedDemo(place)).toBeUndefined()
  },
  LONG_MS,
)

/** The options that `npm start` gives to Node: its young generation, which would grow to 48 MB, takes 24 MB. */
const FLAGS = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'))

// If a source has changed since the installation, nothing that it prepared is used.
test.runIf(isCurrent())(
  'soon after the installation puts no demo in, and takes less than 300 MB',
  async () => {
    const prepared = await preparedDemo({ environment: 'dev' })
    const { said, megabytes } = await startedOnce(
      { DATA_DIR: await newFolder(), PORT: '0' },
      { flags: FLAGS },
    )
    expect(said.includes('Putting the demo MSP in')).toBe(prepared === undefined)
    expect(megabytes).toBeLessThan(300)
  },
  LONG_MS,
)
