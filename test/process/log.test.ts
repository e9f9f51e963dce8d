import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoPlace, type Service, startService } from './service.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Starting a process and asking it thousands of times takes its time on a busy machine. */
const PATIENCE = { timeout: 120_000 }

let folder: string

beforeAll(async () => {
  await (await demoPlace()).remove()
  folder = await mkdtemp(join(tmpdir(), 'log-'))
})
afterAll(async () => {
  agent.destroy()
  await rm(folder, { recursive: true, force: true })
})

/** A FIFO of which both ends are open, so that nobody has to read it. */
function unreadPipe(): number {
  const path = join(folder, `pipe-${process.hrtime.bigint()}`)
  execFileSync('mkfifo', [path])
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
}

const status = (url: string) =>
  new Promise<number>((done, fail) => {
    const request = get(url, { agent }, (response) => {
      response.resume().on('end', () => done(response.statusCode ?? 0))
    })
    request.on('error', fail)
  })

async function statuses({ base }: Service, count: number): Promise<Set<number>> {
  const seen = new Set<number>()
  let left = count
  const client = async () => {
    while (left-- > 0) seen.add(await status(`${base}/public-api/health`))
  }
  await Promise.all(Array.from({ length: 16 }, client))
  return seen
}

async function droppedLines({ base }: Service): Promise<number> {
  const metrics = await (await fetch(`${base}/metrics`)).text()
  return Number(/^log_lines_dropped_total (\d+)/m.exec(metrics)?.[1])
}

async function expectEnd(service: Service) {
  const late = sleep(30_000, 'still there', { ref: false })
  const ended = await Promise.race([service.stop('SIGTERM'), late])
  expect(ended).toMatchObject({ code: 0, signal: null })
}

/** Runs `work` on a service that logs to `log`. */
async function withLog(log: number, work: (service: Service) => Promise<void>): Promise<void> {
  const place = await demoPlace()
  const service = await startService(place.env, { stderr: log })
  try {
    await work(service)
  } finally {
    await service.stop('SIGKILL')
    closeSync(log)
    await place.remove()
  }
}

test('a log on a full disk stops neither requests nor the process', PATIENCE, async () => {
  await withLog(openSync('/dev/full', 'w'), async (service) => {
    expect(await statuses(service, 500)).toEqual(new Set([200]))
    await expectEnd(service)
  })
})

/** Everything in the pipe until it holds `text`. */
async function readUntil(pipe: number, text: string): Promise<string> {
  const bytes = Buffer.alloc(1 << 16)
  let read = ''
  while (!read.includes(text)) {
    try {
      read += bytes.toString('utf8', 0, readSync(pipe, bytes))
    } catch {
      await sleep(20)
    }
  }
  return read
}

/** Makes requests, each of which is answered, until the log has dropped more lines than before. */
async function fill(service: Service, before = 0): Promise<number> {
  for (let round = 0; round < 20; round++) {
    expect(await statuses(service, 500)).toEqual(new Set([200]))
    const dropped = await droppedLines(service)
    if (dropped > before) return dropped
  }
  throw new Error('The log has dropped nothing')
}

test(
  'a log that nobody reads counts what finds no room, says so when it goes on, and stops nothing',
  PATIENCE,
  async () => {
    const log = unreadPipe()
    await withLog(log, async (service) => {
      const dropped = await fill(service)
      const read = await readUntil(log, 'log lines were dropped')
      const lines = read.split('\n').filter(Boolean)
      const told = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'log lines were dropped')
      expect(told).toMatchObject({ level: 'warn', lines: dropped })
      await fill(service, dropped)
      await expectEnd(service)
    })
  },
)
