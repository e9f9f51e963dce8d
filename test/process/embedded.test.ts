/** The folder of an embedded database, as those who start the service find it and leave it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbedded } from '../../src/db/embedded/database.ts'
import { preparedDirectory } from '../../src/db/migrations/prepared-database.ts'
import { modesIn, PRIVATE } from './modes.ts'
import { call, type Environment, runProgram, type Service, startService } from './service.ts'

const NOBODY = 65_534
/** Only root may run a process as somebody else, who must be able to read what it runs. */
const asOther = { uid: NOBODY, gid: NOBODY }
const canRunAsOther = () => {
  const program = `require('node:fs').readFileSync(${JSON.stringify(import.meta.filename)})`
  return process.getuid?.() === 0 && spawnSync(process.execPath, ['--eval', program], asOther).status === 0
}
const asRoot = test.runIf(canRunAsOther())

const newFolder = async (mode = 0o755) => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'))
  await chmod(folder, mode)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const started = async (env: Environment, options?: { uid: number }): Promise<Service> => {
  const service = await startService({ PORT: '0', ...env }, options)
  onTestFinished(async () => {
    await service.stop('SIGKILL')
  })
  return service
}

const expectReady = async ({ base }: Service) => expect((await fetch(`${base}/readyz`)).status).toBe(200)

const open = (data_dir: string) => openEmbedded(data_dir, { prepared: () => preparedDirectory() })

/** A database that nobody has open. */
const newDatabase = async (data_dir: string) => (await open(data_dir)).close()

/** The message of a start that fails: a sentence or two, and no stack trace. */
const refusalOf = async (env: Environment, options?: { uid: number }): Promise<string> => {
  const { code, stdout, stderr } = await runProgram('src/entry.js', { PORT: '0', ...env }, [], options)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^Starting the service …\n(Making the embedded database …\n)?$/)
  expect(stderr).not.toMatch(/^ {4}at |wasm|^\w*Error/m)
  return stderr
}

const program = (file: string) => JSON.stringify(join(import.meta.dirname, '../../src', file))

/** Tries to start the service with each environment in turn, in one process, and prints how each try ended. */
const TRY_EACH = `
  import { BUNDLE, isCurrent } from ${program('process/bundle.ts')}
  const { start } = await import(isCurrent() ? BUNDLE + '/start.js' : ${program('process/start.ts')})
  // A rejection of a database that could not be opened does not end the tries that follow.
  process.on('unhandledRejection', () => {})
  const ends = []
  const inherited = process.env
  for (const variables of JSON.parse(process.argv[1])) {
    // The process that makes a database has the variables of this one.
    process.env = { ...inherited, ...variables }
    const said = await start(process.env).then(() => 'It started', (error) =>
      error.constructor === Error ? error.message : error.stack)
    ends.push(said)
  }
  process.stderr.write(JSON.stringify(ends), () => process.exit())`

/** The messages of starts that fail, each a sentence or two, and no stack trace. */
const refusalsOf = async (starts: Environment[], options?: { uid: number }): Promise<string[]> => {
  const variables = starts.map((env) => ({ PORT: '0', ...env }))
  const args = ['--input-type=module-typescript', '--eval', TRY_EACH, JSON.stringify(variables)]
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent' },
    ...(options && { uid: options.uid, gid: options.uid }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = await text(child.stderr)
  const messages: string[] = JSON.parse(said)
  for (const message of messages) expect(message).not.toMatch(/^ {4}at |wasm|^\w*Error|^It started/m)
  return messages
}

test('everything in the folder is its owner’s alone', async () => {
  const folder = await newFolder()
  const copied = await started({ DATA_DIR: join(folder, 'data') })
  expect((await call(copied, copied.key, '/settings', { method: 'PUT', body: {} })).status).toBe(200)
  expect((await copied.stop()).code).toBe(0)
  expect(await modesIn(join(folder, 'data'))).toEqual(PRIVATE)
  expect((await stat(folder)).mode & 0o777).toBe(0o755)
  expect(await readdir(folder)).toEqual(['data'])
})

test('a folder that others can read is closed to them at the next start', async () => {
  const data_dir = join(await newFolder(), 'data')
  await newDatabase(data_dir)
  for (const name of ['.', 'PG_VERSION', 'base', 'global/pg_control']) {
    const path = join(data_dir, name)
    await chmod(path, (await stat(path)).isDirectory() ? 0o755 : 0o666)
  }
  await newDatabase(data_dir)
  expect(await modesIn(data_dir)).toEqual(PRIVATE)
})

asRoot('what root has prepared, another user begins from', async () => {
  const prepared = (await preparedDirectory()) as string
  const copied = join(await newFolder(0o777), 'data')
  const program = `
    import { openEmbedded } from ${JSON.stringify(join(import.meta.dirname, '../../src/db/embedded/database.ts'))}
    const { sql, close } = await openEmbedded(${JSON.stringify(copied)}, {
      prepared: async () => ${JSON.stringify(prepared)},
    })
    const [row] = await sql.rows({ name: 'test', text: 'select count(*)::int as n from _prisma_migrations' }, [])
    console.log('migrations:', row.n)
    await close()`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    ...asOther,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await new Response(child.stdout as unknown as ReadableStream).text()
  expect(said).toMatch(/migrations: [1-9]/)
  expect(await modesIn(copied)).toEqual(PRIVATE)
})

asRoot('another user starts on a folder of their own', async () => {
  const data_dir = join(await newFolder(0o777), 'data')
  await expectReady(await started({ DATA_DIR: data_dir, DEMO_DATA: 'off' }, { uid: NOBODY }))
  expect((await stat(data_dir)).uid).toBe(NOBODY)
})

asRoot('a folder that another user may not use is refused by its owner’s name, or by its own', async () => {
  const folder = await newFolder(0o777)
  const [roots, mixed, unreadable] = ['roots', 'mixed', 'unreadable'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await newDatabase(roots)
  cpSync(roots, mixed, { recursive: true })
  await chown(mixed, NOBODY, NOBODY)
  await mkdir(unreadable, { mode: 0o700 })
  const absent = join(await newFolder(), 'deep/data')
  const starts = [roots, mixed, unreadable, absent].map((data_dir) => ({ DATA_DIR: data_dir }))
  const [of_roots, of_mixed, of_unreadable, of_absent] = await refusalsOf(starts, { uid: NOBODY })
  expect(of_roots).toContain(`user ${NOBODY} may not write to ${roots}, which belongs to root`)
  expect(of_mixed).toMatch(new RegExp(`cannot be used by user ${NOBODY}: ${mixed}/\\S+ belongs to root`))
  expect(of_unreadable).toContain(`The folder ${unreadable} cannot be used: user ${NOBODY} may not`)
  expect(of_unreadable).toContain('belongs to root')
  expect(of_absent).toContain(absent)
  expect(of_absent).toContain('DATA_DIR')
})

test('files that are no database are left alone', async () => {
  const data_dir = await newFolder()
  await writeFile(join(data_dir, 'thesis.txt'), 'the only copy')
  await mkdir(join(data_dir, 'pages'))
  await writeFile(join(data_dir, 'pages/index.html'), 'for all to read')
  const modes = () =>
    Promise.all(
      ['.', 'thesis.txt', 'pages', 'pages/index.html'].map(
        async (name) => (await stat(join(data_dir, name))).mode & 0o777,
      ),
    )
  const before = await modes()
  const names = await readdir(data_dir)
  const said = await refusalOf({ DATA_DIR: data_dir })
  expect(said).toContain(`The folder ${data_dir} holds files and no database`)
  expect(said).toContain('DATA_DIR')
  expect(await readFile(join(data_dir, 'thesis.txt'), 'utf8')).toBe('the only copy')
  expect(before).toEqual([0o755, 0o644, 0o755, 0o644])
  expect(await modes()).toEqual(before)
  const { code, stderr } = await runProgram('src/commands/token.ts', { DATA_DIR: data_dir }, [
    '--role',
    'ADMIN',
  ])
  expect(code).toBe(1)
  expect(stderr).toBe(said)
  expect(await readdir(data_dir)).toEqual(names)
})

test('a database without its PG_VERSION is left alone', async () => {
  const data_dir = join(await newFolder(), 'data')
  await newDatabase(data_dir)
  await rm(join(data_dir, 'PG_VERSION'))
  const before = await readdir(data_dir)
  await expect(open(data_dir)).rejects.toThrow(`${data_dir} holds files and no database`)
  expect(await readdir(data_dir)).toEqual(before)
})

/** Only root may mount, and not in every container. */
const canMount = () => {
  if (process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return mounted
}

test.runIf(canMount()).each([1, 50])(
  'a disk of %i MB is said to be full at the first start',
  async (megabytes) => {
    const folder = await newFolder()
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
    onTestFinished(() => void spawnSync('umount', [folder]))
    const said = await refusalOf({ DATA_DIR: join(folder, 'data') })
    expect(said).toMatch(/^The disk of \S+\/data is full, with \d+ MB left: .* DATA_DIR .*\n$/)
  },
)

const DAMAGES: Record<string, (data_dir: string) => Promise<void>> = {
  'a control file that is cut off': (dir) => truncate(join(dir, 'global/pg_control'), 10),
  'no control file': (dir) => rm(join(dir, 'global/pg_control')),
  'no write-ahead log': (dir) => rm(join(dir, 'pg_wal'), { recursive: true }),
  'no catalogues': (dir) => rm(join(dir, 'base'), { recursive: true }),
  'another version': (dir) => writeFile(join(dir, 'PG_VERSION'), '12\n'),
}

test('what cannot be opened is named, with its variable, and left alone', async () => {
  const folder = await newFolder()
  const file = join(folder, 'file')
  await writeFile(file, '')
  const misplaced = [file, join(file, 'deeper')]
  const damaged: string[] = []
  for (const [which, damage] of Object.entries(DAMAGES)) {
    const data_dir = join(folder, which)
    cpSync((await preparedDirectory()) as string, data_dir, { recursive: true })
    await damage(data_dir)
    damaged.push(data_dir)
  }
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  const whole = { DATA_DIR: join(folder, 'whole'), DEMO_DATA: 'off' }
  const said = await refusalsOf([
    ...[...misplaced, ...damaged].map((data_dir) => ({ DATA_DIR: data_dir })),
    { ...whole, PORT: String(port) },
    { ...whole, HOST: '192.0.2.1' },
  ])
  for (const _ of misplaced) expect(said.shift()).toMatch(/file.* cannot be used: .*DATA_DIR/)
  for (const data_dir of damaged) {
    const refusal = said.shift()
    expect(refusal).toContain(`The database in ${data_dir} cannot be opened`)
    expect(refusal).toContain('DATA_DIR')
    expect(await readdir(data_dir)).toContain('PG_VERSION')
  }
  const [taken, elsewhere] = said
  expect(taken).toMatch(new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is taken .* PORT\\.$`, 'm'))
  expect(elsewhere).toMatch(/192\.0\.2\.1 is not an address of this machine: .* HOST\./)
})

test('a process that is killed while it copies leaves a folder to begin in', async () => {
  const data_dir = join(await newFolder(), 'data')
  const child = spawn(process.execPath, ['src/entry.js'], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: data_dir },
    stdio: 'ignore',
  })
  while (!existsSync(join(data_dir, 'base'))) await sleep(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await expectReady(await started({ DATA_DIR: data_dir, DEMO_DATA: 'off' }))
  expect(await readdir(data_dir)).not.toContain('database.unfinished')
})
