import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, demoPlace, type Place, type Service, startService } from './service.ts'

const WRITERS = 4
const WRITES = 12
/** 2, or as many as `TEST_KILLS` says. */
const KILLS = Number(process.env.TEST_KILLS ?? 2)

let place: Place
let service: Service

beforeAll(async () => {
  place = await demoPlace()
  service = await startService(place.env)
})
afterAll(async () => {
  await service?.stop('SIGKILL')
  await place?.remove()
})

const write = (id: string) =>
  call(service, service.key, '/settings', {
    method: 'PUT',
    body: { human_friendly_client_name: id },
    headers: { 'Idempotency-Key': id },
  })

/** Writes one after the other until the service is gone, and notes what was answered. */
async function writeUntilGone(writer: string, answered: string[]): Promise<void> {
  for (let number = 0; ; number++) {
    const id = `${writer}-${number}`
    try {
      const { status } = await write(id)
      expect(status).toBe(200)
      answered.push(id)
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return
      throw error
    }
  }
}

test('a service that is killed loses nothing that it has answered', { timeout: 90_000 }, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const answered: string[] = []
    const writers = Array.from({ length: WRITERS }, (_, index) => `kill-${kill}-${index}`)
    const writing = Promise.all(writers.map((writer) => writeUntilGone(writer, answered)))
    while (answered.length < WRITES + kill) await sleep(1)
    service.signal('SIGKILL')
    await writing
    service = await startService(place.env)
    const { body } = await call(service, service.key, '/settings')
    expect(body.data.human_friendly_client_name).toMatch(new RegExp(`^kill-${kill}-`))
    // The key of a write commits with the write, so a replayed answer is a write that is there.
    for (const id of answered) {
      const { status, headers } = await write(id)
      expect([id, status, headers.get('idempotency-replayed')]).toEqual([id, 200, 'true'])
    }
  }
})
