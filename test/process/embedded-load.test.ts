/** More callers at once than the embedded database can serve: they are slowed down, then refused, and never kept waiting. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, demoPlace, type Place, type Service, startService } from './service.ts'

/** A larger load: `LOAD_CONNECTIONS=1000 LOAD_SECONDS=60`. */
const CONNECTIONS = Number(process.env.LOAD_CONNECTIONS ?? 200)
const SECONDS = Number(process.env.LOAD_SECONDS ?? 2)
/** Of one answer, on a machine that is busy with other tests: a request is given up after 15 seconds. */
const SLOWEST_MS = 30_000

const PATHS = [
  '/company-links?system=HUDU&page_size=200',
  '/executions?page_size=200',
  '/agents?page_size=200',
  '/performance/summary',
  '/end-companies?page_size=200',
]

describe.runIf(!process.env.DATABASE_URL)('a service on an embedded database', () => {
  let place: Place
  let service: Service

  beforeAll(async () => {
    place = await demoPlace()
    service = await startService({ ...place.env, LOG_LEVEL: 'warn' })
  })
  afterAll(async () => {
    await service?.stop('SIGKILL')
    await place?.remove()
  })

  const residentMegabytes = async () => {
    const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }

  test.runIf(process.platform === 'linux')(
    'takes 350 MB when it has answered, and less from its bundle',
    async () => {
      for (const path of PATHS) expect((await call(service, service.key, path)).status).toBe(200)
      expect(await residentMegabytes()).toBeLessThan(350)
    },
  )

  test('answers many at once within seconds, or refuses them with Retry-After', {
    timeout: 180_000,
  }, async () => {
    const until = performance.now() + SECONDS * 1000
    const answered: number[] = []
    const client = async (_: unknown, number: number) => {
      for (let count = number; performance.now() < until; count++) {
        const asked = performance.now()
        const { status, headers, body } = await call(
          service,
          service.key,
          PATHS[count % PATHS.length] as string,
        )
        if (status === 200) {
          answered.push(performance.now() - asked)
          continue
        }
        expect([status, body.error.code]).toEqual([503, 'service_unavailable'])
        const wait = Number(headers.get('retry-after'))
        expect(wait).toBeGreaterThanOrEqual(1)
        await sleep(wait * 1000)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, client))
    expect(answered.length).toBeGreaterThan(0)
    expect(Math.max(...answered)).toBeLessThan(SLOWEST_MS)
    expect((await call(service, service.key, '/settings')).status).toBe(200)
  })
})
