import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { requireSessions, type SessionClient } from '../../src/db/postgresql/sessions.ts'
import { emptyUrl } from '../setup/database.ts'
import { until } from '../setup/until.ts'

/** A pooler with so many sessions. A connection has one for a transaction, or for as long as it is there. */
function poolerOf(size: number, mode: 'transaction' | 'session') {
  const idle = Array.from({ length: size }, (_, index) => index + 1)
  const open: SessionClient[] = []
  const connect = async (): Promise<SessionClient> => {
    let pid: number | undefined
    const client: SessionClient = {
      async query(text) {
        pid ??= idle.pop()
        if (pid === undefined) throw new Error('It waits for ever')
        const rows = [{ pid }]
        if (mode === 'transaction' && text !== 'begin') {
          idle.push(pid)
          pid = undefined
        }
        return { rows }
      },
      async end() {
        open.splice(open.indexOf(client), 1)
      },
    }
    open.push(client)
    return client
  }
  return { connect, open }
}

test.each([1, 2, 20])('a pooler of %i sessions that gives each transaction one is refused', async (size) => {
  const { connect, open } = poolerOf(size, 'transaction')
  await expect(requireSessions(connect)).rejects.toThrow(/^DATABASE_URL leads to a pooler .* PgBouncer/)
  expect(open).toEqual([])
})

test('one that gives each connection a session is not', async () => {
  const { connect, open } = poolerOf(2, 'session')
  await requireSessions(connect)
  expect(open).toEqual([])
})

const hasPgBouncer = Boolean(process.env.DATABASE_URL) && spawnSync('pgbouncer', ['--version']).status === 0

test.runIf(hasPgBouncer).each([
  ['transaction', /pool_mode=session/],
  ['session', null],
])('PgBouncer with pool_mode=%s, which nobody else uses', async (mode, refusal) => {
  const url = new URL((await emptyUrl()) as string)
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  await chmod(folder, 0o755)
  const probe = createServer().listen(0, '127.0.0.1')
  await until(async () => probe.listening)
  const { port } = probe.address() as { port: number }
  probe.close()
  const ini = `[databases]
* = host=${url.hostname} port=${url.port || 5432} user=${url.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`
  await writeFile(join(folder, 'pgbouncer.ini'), ini, { mode: 0o644 })
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const pooler = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...as })
  onTestFinished(async () => {
    pooler.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })
  const connect = async () => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      database: url.pathname.slice(1),
      user: url.username,
    })
    await client.connect()
    return client
  }
  await until(() =>
    connect()
      .then((client) => client.end())
      .then(
        () => true,
        () => false,
      ),
  )
  const result = await requireSessions(connect).then(
    () => null,
    (error: Error) => error.message,
  )
  if (refusal) expect(result).toMatch(refusal)
  else expect(result).toBeNull()
})
