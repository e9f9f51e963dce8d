/** Circuit breakers, whatever system they are before. */
import { beforeEach, expect, test } from 'vitest'
import { type Circuit, CircuitOpen, createCircuit } from '../../src/lib/circuit.ts'

class Away extends Error {}

let now = 0
let asked = 0
let circuit: Circuit
beforeEach(() => {
  now = 0
  asked = 0
  circuit = createCircuit({
    failures: 3,
    pause_ms: 5000,
    elapsed: () => now,
    outcomeOf: (error) => (error instanceof Away ? 'FAILED' : 'UNKNOWN'),
  })
})

/** A request that is answered, or fails with the error, once it is told to. */
function slow() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const result = circuit.run(() => {
    asked++
    return promise
  })
  result.catch(() => {})
  return {
    async answered() {
      resolve('Yes.')
      return await result
    },
    async failed(error: Error = new Away()) {
      reject(error)
      await result.catch(() => {})
    },
  }
}

const answered = () => slow().answered()
const failed = () => slow().failed()
const ask = () => answered().catch((error: unknown) => error)

test('twenty requests that fail together are one failure', async () => {
  for (let moment = 1; moment <= 2; moment++) {
    const together = Array.from({ length: 20 }, slow)
    for (const request of together) await request.failed()
    expect(await ask()).toBe('Yes.')
  }
  for (let moment = 1; moment <= 3; moment++) {
    const together = Array.from({ length: 20 }, slow)
    for (const request of together) await request.failed()
  }
  expect(await ask()).toBeInstanceOf(CircuitOpen)
  expect(asked).toBe(102)
})

test('an open circuit is tried after its pause, by one request at a time, and again after the same pause', async () => {
  for (let n = 0; n < 3; n++) await failed()
  for (let n = 0; n < 5; n++) {
    now += 4999
    expect(await ask()).toMatchObject({ left_ms: 1 })
    now += 1
    const tried = slow()
    expect(await ask()).toMatchObject({ left_ms: 0 })
    await tried.failed()
  }
  expect(asked).toBe(8)
})

test('the answer of the try lets every other request through', async () => {
  for (let n = 0; n < 3; n++) await failed()
  now += 5000
  const tried = slow()
  expect(await ask()).toBeInstanceOf(CircuitOpen)
  await tried.answered()
  const together = Array.from({ length: 20 }, slow)
  for (const request of together) expect(await request.answered()).toBe('Yes.')
})

test('a try that its caller gives up leaves the next one to others', async () => {
  for (let n = 0; n < 3; n++) await failed()
  now += 5000
  await slow().failed(new Error('The caller has gone'))
  expect(await ask()).toBe('Yes.')
})

test('what began before the circuit opened neither closes it nor keeps it open', async () => {
  const [one, other] = [slow(), slow()]
  for (let n = 0; n < 3; n++) await failed()
  await one.answered()
  expect(await ask()).toBeInstanceOf(CircuitOpen)
  now += 4000
  await other.failed()
  now += 1000
  expect(await ask()).toBe('Yes.')
})

test('a request that is always made is made, and its answer closes the circuit', async () => {
  for (let n = 0; n < 3; n++) await failed()
  expect(await ask()).toBeInstanceOf(CircuitOpen)
  expect(await circuit.run(async () => 'Here.', { always: true })).toBe('Here.')
  expect(await ask()).toBe('Yes.')
})

test('while one caller tries the system, other requests of the caller are made', async () => {
  for (let count = 0; count < 3; count++) await slow().failed()
  now = 5000
  const caller = {}
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = circuit.run(() => promise, { caller })
  expect(await circuit.run(async () => 'Beside.', { caller })).toBe('Beside.')
  resolve('Yes.')
  expect(await first).toBe('Yes.')
})

test('while one caller tries the system, a request of another is refused', async () => {
  for (let count = 0; count < 3; count++) await slow().failed()
  now = 5000
  const tried = slow()
  await expect(circuit.run(async () => 'No.')).rejects.toBeInstanceOf(CircuitOpen)
  expect(await tried.answered()).toBe('Yes.')
})
