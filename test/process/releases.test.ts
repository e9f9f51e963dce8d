/** Two releases on one database, as processes: this one, and a later one that has one more migration and a changed function. */
import { cpSync, openSync, symlinkSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sha256, TEXTS_FILE } from '../../src/db/migrations/files.ts'
import { subscribe } from '../setup/streams.ts'
import {
  call,
  demoPlace,
  type Environment,
  patientCall,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const ROOT = join(import.meta.dirname, '../..')
const PATIENCE = { timeout: 600_000 }
const SOON = { timeout: 180_000 }

/** Rows of repeats get a column that the function of this release leaves out. */
const MIGRATION = `truncate ticket_repeat; alter table ticket_repeat add column note text not null;`
const withNote = (script: string) =>
  script
    .replace(
      'previous_at, agent_previous_at)\n    SELECT',
      'previous_at, agent_previous_at, note)\n    SELECT',
    )
    .replace('agent_previous_at\n    FROM linked', "agent_previous_at, 'later'\n    FROM linked")

/** The sources of a later release. */
async function laterRelease(migration: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'release-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const name of ['src', 'prisma', 'package.json', 'openapi-examples.json'])
    cpSync(join(ROOT, name), join(root, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  const folder = join(root, 'prisma/migrations', migration)
  await mkdir(folder)
  await writeFile(join(folder, 'migration.sql'), MIGRATION)
  const functions = join(root, 'prisma/functions')
  const text = withNote(await readFile(join(functions, 'ticket_repeat.sql'), 'utf8'))
  await writeFile(join(functions, 'ticket_repeat.sql'), text)
  await appendFile(join(functions, TEXTS_FILE), `${sha256(text)}  ticket_repeat.sql\n`)
  return root
}

async function demo(): Promise<Environment> {
  const place = await demoPlace()
  onTestFinished(place.remove)
  return place.env
}

async function started(...asked: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...asked)
  onTestFinished(async () => {
    await service.stop('SIGKILL')
  })
  return service
}

async function connected({ DATABASE_URL }: Environment): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** True if the database has the functions of the later release. */
const hasNote = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query(`select prosrc from pg_proc where proname = 'ticket_repeat_link'`)
  return rows[0].prosrc.includes("'later'")
}

/** Tickets that were worked on before, of which none is worked on now. */
const workedOn = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query(
    `select entity_id from execution where entity_type = 'TICKET' group by entity_id
     having bool_and(status in ('COMPLETED', 'FAILED', 'CANCELLED')) order by entity_id`,
  )
  return rows.map(({ entity_id }) => entity_id)
}

const ready = async ({ base }: Service) => {
  const response = await fetch(`${base}/readyz`)
  return { status: response.status, text: await response.text() }
}

describe.runIf(process.env.DATABASE_URL)('a later release on the database of a process', () => {
  test('leaves it to serve, and those that start after it, if the migration says so', PATIENCE, async () => {
    const env = await demo()
    const client = await connected(env)
    const later = await laterRelease('29990101000000_repeats_have_notes_older_may_serve')
    const before = await started(env)
    const migrated = await runProgram('src/commands/migrate.ts', env, [], { root: later })
    expect(migrated).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('functions/ticket_repeat.sql'),
    })
    // The later release has a later pg-boss too.
    await client.query('update pgboss.version set version = version + 1')
    const logs = join(later, 'log')
    const after = await started(env, { stderr: openSync(logs, 'w') })
    const newer = await started(env, { root: later })
    expect((await runProgram('src/commands/migrate.ts', env)).stdout).toBe('Nothing to apply.\n')
    const services = [before, after, newer]
    const tickets = await workedOn(client)
    expect(tickets.length).toBeGreaterThanOrEqual(services.length)
    for (const [index, service] of services.entries()) {
      await expect.poll(() => ready(service), SOON).toEqual({ status: 200, text: 'ok\n' })
      const body = { entity_id: tickets[index] }
      const run = await patientCall(service, service.key, '/agents/9/run-now', { method: 'POST', body })
      expect(run.body).toMatchObject({ data: { execution_id: expect.any(String) } })
    }
    const { rows } = await client.query(
      'select count(*)::int as count from ticket_repeat where note is not null',
    )
    expect(rows[0].count).toBeGreaterThanOrEqual(services.length)
    await expect.poll(() => readFile(logs, 'utf8'), SOON).toContain('"msg":"working"')
    expect(await readFile(logs, 'utf8')).toContain('the database is of a later release')
    expect(await hasNote(client)).toBe(true)
  })

  test('turns it away otherwise, and ends what starts after it with a line', PATIENCE, async () => {
    const env = await demo()
    const client = await connected(env)
    const needed = '29990101000000_repeats_have_notes'
    const later = await laterRelease(needed)
    const before = await started(env)
    const caller = { id: '', token: before.key }
    const stream = await subscribe(caller, 'subscription { execution_updates { id } }', { base: before.base })
    expect((await runProgram('src/commands/migrate.ts', env, [], { root: later })).code).toBe(0)
    await stream.ended
    const line = new RegExp(
      `^(\\{.*"secrets_from".*\\}\n)?The database belongs to a later release: one with the migration ${needed} is needed, and the newest migration of this release is \\d{14}_\\w+\\.\n$`,
    )
    await expect
      .poll(() => call(before, before.key, '/settings').then(({ status }) => status), SOON)
      .toBe(503)
    expect(await ready(before)).toMatchObject({ status: 503, text: expect.stringContaining(needed) })
    for (const [program, more, ...args] of [
      ['src/entry.js', { NODE_ENV: 'development' }],
      ['src/entry.js', { MIGRATE_ON_START: 'false' }],
      ['src/commands/migrate.ts', {}],
      ['src/commands/seed.ts', {}],
      ['src/commands/jobs.ts', {}, 'list'],
      ['src/commands/tenant.ts', {}, 'list'],
    ] as const) {
      const { code, stderr } = await runProgram(program, { ...env, ...more }, args as unknown as string[])
      expect([program, code, stderr]).toEqual([program, 1, expect.stringMatching(line)])
    }
    expect(await hasNote(client)).toBe(true)
    const newer = await started(env, { root: later })
    await expect.poll(() => ready(newer), SOON).toEqual({ status: 200, text: 'ok\n' })
    const { code, stderr } = await before.stop()
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('no more calls are answered and no more jobs are run'),
    ])
  })
})
