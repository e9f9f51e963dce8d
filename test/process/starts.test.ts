import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { emptyUrl } from '../setup/database.ts'
import { call, demoPlace, startService } from './service.ts'

const PROCESSES = 3
/** Migrations, the queues and the demo each take longer than the pause between two. */
const CUTS = 6
const PAUSE_MS = 400
/** They start, beside other tests. */
const LATE_MS = 180_000

test.runIf(process.env.DATABASE_URL)(
  'several that start with the demo on an empty PostgreSQL, whose connections are cut, all begin to answer',
  async () => {
    const DATABASE_URL = (await emptyUrl()) as string
    const folder = await mkdtemp(join(tmpdir(), 'starts-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const env = { DATABASE_URL, DATA_DIR: folder, PORT: '0', DEMO_DATA: 'on', DB_POOL_SIZE: '4' }
    const starting = Array.from({ length: PROCESSES }, () => startService(env))
    for (const one of starting) one.catch(() => {})
    const executioner = new pg.Client({ connectionString: DATABASE_URL })
    await executioner.connect()
    for (let cut = 0; cut < CUTS; cut++) {
      await sleep(PAUSE_MS)
      await executioner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
    }
    await executioner.end()
    const services = await Promise.all(starting)
    onTestFinished(async () => {
      await Promise.all(services.map((service) => service.stop('SIGKILL')))
    })
    const answers = services.map((service) => call(service, service.key, '/settings'))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(services.map(() => 200))
  },
  2 * LATE_MS,
)

// Jobs, which begin later, load more.
test.runIf(process.env.DATABASE_URL)(
  'what the first requests need is loaded before the service listens',
  async () => {
    const place = await demoPlace()
    onTestFinished(place.remove)
    // Tells of each module that is loaded once the service listens, and when the test asks for it.
    const hook = `
    import { registerHooks } from 'node:module'
    let told = false
    const { write } = process.stdout
    process.stdout.write = (...args) => { told ||= String(args[0]).includes('http://'); return write.apply(process.stdout, args) }
    registerHooks({ load(url, context, next) {
      if (told && !url.startsWith('node:')) process.stderr.write('LOADED ' + url + '\\n')
      return next(url, context)
    } })`
    const service = await startService({
      ...place.env,
      ROLE: 'api',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    })
    const body = { query: '{ settings { timezone } tenant_users { items { id } } }' }
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
    const graphql = await fetch(`${service.base}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect([graphql.status, (await graphql.json()).errors]).toEqual([200, undefined])
    for (const path of ['/settings', '/integrations/chat-app'])
      expect((await call(service, service.key, path)).status).toBe(200)
    const { stderr } = await service.stop()
    expect(stderr.match(/^LOADED .*/gm) ?? []).toEqual([])
  },
)
