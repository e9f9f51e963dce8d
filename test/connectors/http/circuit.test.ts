/** The circuits of the client that calls vendors. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { READ_BOUNDS, withinBounds } from '../../../src/connectors/http/call.ts'
import { createVendorClient } from '../../../src/connectors/http/client.ts'
import type { PortUnavailable } from '../../../src/connectors/port.ts'
import { until } from '../../setup/until.ts'

const CALLER = { system: 'HALO_PSA', connection_id: 'c1', tenant_id: 't1', environment: 'test' }
const READ = { path: '/api/Status' }
const WRITE = { ...READ, method: 'POST' as const, json: {} }
const OPEN = 'HALO_PSA has not answered for a while'

/** A vendor that answers with its status, once `held` lets it. */
async function vendor() {
  const state = { status: 500, held: Promise.resolve(), requests: 0, now: 0 }
  const server = createServer(async (request, response) => {
    state.requests++
    request.resume()
    await state.held
    response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const client = createVendorClient({
    allow_private_addresses: true,
    pause_ms: 1,
    elapsed: () => state.now,
  })
  onTestFinished(async () => {
    await client.close()
    await new Promise((done) => server.close(done).closeAllConnections())
  })
  const { port } = server.address() as AddressInfo
  const site = client.site(CALLER, `http://127.0.0.1:${port}`)
  const outcome = (call: Promise<{ status: number }>) =>
    call.then(
      ({ status }) => status,
      ({ message }: PortUnavailable) => message,
    )
  return {
    state,
    site,
    read: () => outcome(site.read(READ)),
    write: () => outcome(site.write(WRITE)),
    test: () => outcome(withinBounds({ ...READ_BOUNDS, ignores_circuits: true }, () => site.read(READ))),
  }
}

it('a circuit opens after failures in a row, and is tried every five seconds until a try is answered', async () => {
  const { state, read, write } = await vendor()
  for (let n = 0; n < 5; n++) await write()
  for (let n = 0; n < 3; n++) {
    expect(await read()).toBe(OPEN)
    state.now += 5000
    expect(await write()).toBe('HALO_PSA answered 500')
  }
  expect(state.requests).toBe(8)
  state.status = 200
  state.now += 5000
  expect(await read()).toBe(200)
  expect(await read()).toBe(200)
})

it('twenty calls in flight that fail together open no circuit, with all their attempts', async () => {
  const { state, read, write } = await vendor()
  const held = Promise.withResolvers<void>()
  Object.assign(state, { held: held.promise, status: 503 })
  const together = [read, write].flatMap((call) => Array.from({ length: 10 }, call))
  await until(() => state.requests >= 8)
  held.resolve()
  expect(await Promise.all(together)).toEqual(Array(20).fill('HALO_PSA answered 503'))
  state.status = 200
  expect(await read()).toBe(200)
})

it('a test calls the vendor while the circuit is open, and closes it when it is answered', async () => {
  const { state, read, write, test } = await vendor()
  for (let n = 0; n < 5; n++) await write()
  expect(await test()).toBe('HALO_PSA answered 500')
  expect(await read()).toBe(OPEN)
  state.status = 200
  expect(await read()).toBe(OPEN)
  expect(await test()).toBe(200)
  expect(await read()).toBe(200)
})

it('a call that is late has met an outage, unless its earlier requests were answered', async () => {
  const { state, site } = await vendor()
  state.status = 200
  const held = Promise.withResolvers<void>()
  const failureOf = (requests: number) =>
    withinBounds({ ...READ_BOUNDS, ms: 2000 }, async () => {
      for (let n = 1; n < requests; n++) await site.read(READ)
      state.held = held.promise
      return await site.read(READ)
    }).catch((error: PortUnavailable) => [error.message, error.is_outage])
  expect(await failureOf(2)).toEqual(['HALO_PSA did not answer in time', false])
  expect(await failureOf(1)).toEqual(['HALO_PSA did not answer in time', true])
  held.resolve()
})
