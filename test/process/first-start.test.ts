/** The first start on an embedded database: another process makes the database with the demo, and ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../src/process/bundle.ts'
import { call, startService } from './service.ts'

const LONG_MS = 240_000

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'first-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A first start, as soon as the other process puts the demo in. */
async function begun(folder: string) {
  const service = spawn(process.execPath, [join(ROOT, 'src/entry.js')], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0' },
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

test(
  'leaves the service with the memory that a later start takes',
  async () => {
    const env = { DATA_DIR: await newFolder(), PORT: '0' }
    const [first, later] = [await startedOnce(env), await startedOnce(env)]
    expect(first.said).toContain('Putting the demo MSP in')
    expect(later.said).not.toContain('Putting the demo MSP in')
    expect(first.megabytes).toBeLessThan(later.megabytes + 80)
  },
  LONG_MS,
)

/** Starts and stops the service: its output, and its memory once it has answered. */
async function startedOnce(env: Record<string, string>) {
  const service = await startService(env)
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
  'that is killed ends the other process too, and the next one begins anew',
  async () => {
    const folder = await newFolder()
    const { service, maker } = await begun(folder)
    service.kill('SIGKILL')
    const again = await startedOnce({ DATA_DIR: folder, PORT: '0' })
    expect(again.said).toContain('Making the embedded database')
    expect(isRunning(maker)).toBe(false)
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
