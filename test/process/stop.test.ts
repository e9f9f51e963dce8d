import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { askAnew, askOn } from './clients.ts'
import { exchange, isRefused, openRaw } from './raw.ts'
import { demoPlace, endGroup, type Service, startScript, startService } from './service.ts'

const settings = ({ key }: Service) =>
  `GET /public-api/settings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`

async function serviceWith(env: Record<string, string>): Promise<Service> {
  const place = await demoPlace()
  onTestFinished(place.remove)
  // A busy machine must not be a reason to refuse requests here.
  const service = await startService({
    LOG_LEVEL: 'warn',
    DB_TIMEOUT_MS: '60000',
    REQUEST_TIMEOUT_MS: '60000',
    ...place.env,
    ...env,
  })
  onTestFinished(async () => void (await service.stop('SIGKILL')))
  return service
}

beforeAll(async () => (await demoPlace()).remove())

/** Resolves once the service has begun to stop. */
async function stopping({ port }: Service): Promise<void> {
  const ready = async () =>
    (await exchange(port, 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).status
  await expect.poll(ready, { timeout: 15_000, interval: 20 }).toBe(503)
}

const KEPT = [1, 1, 1, 1, 1, 1, 2, 3, 5, 8]

describe('a service that is told to stop', { timeout: 90_000 }, () => {
  test('under load resets nothing, and answers new connections until the delay is over', async () => {
    const delay_ms = 2_000
    const service = await serviceWith({ DRAIN_DELAY_MS: String(delay_ms) })
    const { port } = service
    const kept = KEPT.map((at_once) => askOn(port, settings(service), at_once))
    while (kept.some(({ outcome }) => outcome.answers < 10)) await sleep(50)
    const idle = await openRaw(port)
    const asked = performance.now()
    service.signal('SIGTERM')
    await stopping(service)
    const anew = await askAnew(port, settings(service), delay_ms / 4)
    expect(anew.length).toBeGreaterThan(0)
    for (const outcome of anew) {
      expect(outcome).toMatchObject({ answers: 1, refused: [], reset: false, told: true })
    }
    for (const outcome of await Promise.all(kept.map(({ ended }) => ended))) {
      expect(outcome).toMatchObject({ refused: [], unanswered: 0, reset: false, told: true })
    }
    expect(await idle.answer).toBe('')
    expect((await service.ended).code).toBe(0)
    expect(performance.now() - asked).toBeGreaterThanOrEqual(delay_ms)
  })

  test('answers a request that comes in pieces, and connections that have not been accepted yet', async () => {
    const service = await serviceWith({})
    const request = settings(service)
    const connection = await openRaw(service.port)
    connection.write(request.slice(0, 30))
    await sleep(200)
    service.signal('SIGSTOP')
    const waiting = Array.from({ length: 40 }, () => askOn(service.port, request, 1))
    while (waiting.some(({ outcome }) => outcome.turned_away)) await sleep(20)
    service.signal('SIGTERM')
    service.signal('SIGCONT')
    for (const { ended } of waiting) {
      expect(await ended).toMatchObject({ answers: 1, refused: [], unanswered: 0, reset: false, told: true })
    }
    for (let at = 30; at < request.length; at += 40) {
      connection.write(request.slice(at, at + 40))
      await sleep(200)
    }
    expect(await connection.answer).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/is)
    expect((await service.ended).code).toBe(0)
  })

  test('stops at once at a second signal, in the delay too', async () => {
    const service = await serviceWith({ DRAIN_DELAY_MS: '40000' })
    service.signal('SIGTERM')
    await stopping(service)
    // The same signal at once is the terminal's, passed on by npm.
    await sleep(700)
    const asked = performance.now()
    service.signal('SIGTERM')
    expect((await service.ended).code).toBe(1)
    expect(performance.now() - asked).toBeLessThan(20_000)
  })

  test.each(['start', 'dev'])('is told so by npm run %s, which ends when the service has', async (script) => {
    const place = await demoPlace()
    onTestFinished(place.remove)
    const npm = await startScript(script, place.env)
    onTestFinished(() => endGroup(npm.pid))
    expect((await fetch(`${npm.base}/livez`)).status).toBe(200)
    const { stderr } = await npm.stop('SIGTERM')
    expect(stderr).toContain('"msg":"stopped"')
    expect(await isRefused(npm.port)).toBe(true)
    expect(existsSync(join(place.env.DATA_DIR ?? '', 'database.lock.holder'))).toBe(false)
  })
})
