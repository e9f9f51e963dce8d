/** The memory of a service on an embedded database. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, newPlace, type Place, type Service, startService } from './service.ts'

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
    place = await newPlace()
    // The demo MSP is put in by another process than the one that is measured.
    await (await startService(place.env)).stop()
    service = await startService({ ...place.env, LOG_LEVEL: 'warn' })
  }, 120_000)
  afterAll(async () => {
    await service?.stop('SIGKILL')
    await place?.remove()
  })

  const residentMegabytes = async () => {
    const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }

  test.runIf(process.platform === 'linux')(
    'takes 250 MB at its first answer, and 300 when it has warmed up',
    async () => {
      expect((await call(service, service.key, '/settings')).status).toBe(200)
      expect(await residentMegabytes()).toBeLessThan(250)
      await sleep(3000)
      for (const path of PATHS) expect((await call(service, service.key, path)).status).toBe(200)
      expect(await residentMegabytes()).toBeLessThan(300)
    },
  )
})
