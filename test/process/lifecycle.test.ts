import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange, isRefused, openRaw } from './raw.ts'
import {
  call,
  dashboardToken,
  type Environment,
  newPlace,
  type Place,
  type Service,
  startService,
} from './service.ts'

// Starting a process takes its time on a busy machine.
const embedded = !process.env.DATABASE_URL

describe('a service on an empty folder', () => {
  let place: Place
  let env: Environment
  let service: Service

  beforeAll(async () => {
    place = await newPlace({ empty: true })
    env = place.env
    service = await startService(env)
  })
  afterAll(async () => {
    await service?.stop('SIGKILL')
    await place?.remove()
  })

  test('says where things are, and they are there', async () => {
    expect(service.stdout).toContain(`${service.base}/graphql`)
    expect(service.stdout).toContain(`${service.base}/public-api/openapi.json`)
    expect(service.stdout.match(/^ {2}curl /gm)).toHaveLength(3)
    for (const path of ['/livez', '/readyz', '/graphql', '/public-api/docs', '/public-api/openapi.json']) {
      const response = await fetch(service.base + path, { headers: { Accept: 'text/html,application/json' } })
      expect([path, response.status]).toEqual([path, 200])
      // An answer that nobody reads is one that is still being given.
      await response.arrayBuffer()
    }
  })

  test('tells what takes time, from the beginning on', async () => {
    const next = embedded
      ? 'Making the embedded database …'
      : 'Putting the demo MSP in, which takes some seconds …'
    expect(service.stdout.split('\n').slice(0, 2)).toEqual(['Starting the service …', next])
  })

  test('accepts the demo key it prints', async () => {
    const { status, body } = await call(service, service.key, '/settings')
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ data_residency: 'UK', timezone: 'Europe/London' })
  })

  test('accepts what npm run token prints, as the role that was asked for', async () => {
    const settings = (token: string, body: object) =>
      call(service, token, '/settings', { method: 'PUT', body })
    expect((await settings(await dashboardToken(env, 'ADMIN'), {})).status).toBe(200)
    const refused = await settings(await dashboardToken(env, 'VIEWER'), {})
    expect(refused.status).toBe(403)
    expect(refused.body.error.code).toBe('forbidden')
  })

  test.each([
    [
      'Host that is none',
      'GET /public-api/settings HTTP/1.1\r\nHost: a b@@:99999\r\nConnection: close\r\n\r\n',
    ],
    ['request line that is none', 'GET /public-api/settings everything\r\n\r\n'],
    ['header line that is none', 'GET /public-api/settings HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n'],
    ['request without a Host', 'GET /public-api/settings HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('answers a %s with 400 in the error envelope', async (_name, request) => {
    const { status, body } = await exchange(service.port, request)
    expect(status).toBe(400)
    const { error, meta } = JSON.parse(body)
    expect(error.code).toBe('bad_request')
    expect(meta).toHaveProperty('request_id')
    expect(body).not.toMatch(/node_modules|\.ts|Error:/)
  })

  test.runIf(embedded)('keeps a second process from its folder, and says who holds it', async () => {
    const error = await startService(env).then(
      () => null,
      (reason: Error) => reason.message,
    )
    expect(error).toContain(`in use by process ${service.pid}`)
    expect(error).not.toContain('    at ')
    expect((await call(service, service.key, '/settings')).status).toBe(200)
  })

  test('answers what is under way when it is asked to stop, takes nothing more, and ends with 0', async () => {
    const body = JSON.stringify({ human_friendly_client_name: 'Changed before the stop' })
    const under_way = await openRaw(service.port)
    under_way.write(
      `PUT /public-api/settings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    )
    const silent = await openRaw(service.port)
    await sleep(300)
    const asked = performance.now()
    service.signal('SIGTERM')
    await expect.poll(() => isRefused(service.port), { timeout: 10_000 }).toBe(true)
    under_way.write(body.slice(5))
    const answer = await under_way.answer
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toMatch(/\r\nConnection: close\r\n/i)
    expect(await silent.answer).toBe('')
    const { code, stderr } = await service.ended
    expect(code).toBe(0)
    expect(stderr).toContain('"msg":"stopped"')
    expect(performance.now() - asked).toBeLessThan(25_000)
  })

  test('has what was changed when it starts again, and prints the same key', async () => {
    const { key } = service
    service = await startService(env)
    expect(service.key).toBe(key)
    const { body } = await call(service, key, '/settings')
    expect(body.data.human_friendly_client_name).toBe('Changed before the stop')
  })

  test('ends at once at the second signal', async () => {
    const under_way = await openRaw(service.port)
    under_way.write(
      `PUT /public-api/settings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
    await sleep(200)
    service.signal('SIGTERM')
    await sleep(100)
    service.signal('SIGINT')
    expect((await service.ended).code).toBe(1)
  })
  test('ends with 1, and leaves its folder as it should be, after an error that nothing caught', async () => {
    const fault = 'process.on("SIGUSR2",()=>{Promise.reject(new Error("a fault"))})'
    service = await startService({
      ...env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}`,
    })
    service.signal('SIGUSR2')
    const { code, stderr } = await service.ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/"level":"fatal".*a fault/)
    expect(stderr).toContain('"msg":"stopped"')
    expect(existsSync(join(env.DATA_DIR ?? '', 'database.lock.holder'))).toBe(false)
  })
})
