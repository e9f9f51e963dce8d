import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { NO_BUDGET } from '../../../src/connectors/budget.ts'
import { createVendorClient, type VendorSite } from '../../../src/connectors/http/client.ts'
import { retryAfterSeconds } from '../../../src/connectors/http/failure.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'

const SECRET = 'hunter2-secret'
const CALLER = { system: 'CONNECTWISE_PSA', connection_id: 'c1', tenant_id: 't1', environment: 'test' }

type Answer = (response: ServerResponse, request: IncomingMessage) => void

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** A site that gives these answers, and then the last one again. */
async function serve(
  answers: Answer[],
  options: Parameters<typeof createVendorClient>[0] = {},
  site_options: Parameters<ReturnType<typeof createVendorClient>['site']>[2] = {},
): Promise<{
  site: VendorSite
  siteOf: (tenant_id: string) => VendorSite
  requests: string[]
  sockets: () => number
}> {
  const requests: string[] = []
  let sockets = 0
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => answer?.(response, request))
  }).on('connection', () => sockets++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const client = createVendorClient({ allow_private_addresses: true, pause_ms: 1, ...options })
  ends.push(
    () => client.close(),
    () => new Promise((done) => server.close(done).closeAllConnections()),
  )
  const siteOf = (tenant_id: string) =>
    client.site({ ...CALLER, connection_id: tenant_id, tenant_id }, `http://127.0.0.1:${port}`, site_options)
  const site = client.site(CALLER, `http://127.0.0.1:${port}`, site_options)
  return { site, siteOf, requests, sockets: () => sockets }
}

const READ = { path: '/v1/tickets', query: { id: 1 }, headers: { authorization: SECRET } }
const WRITE = { ...READ, method: 'POST' as const, json: { summary: SECRET } }

async function failure(work: Promise<unknown>): Promise<PortUnavailable> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PortUnavailable)
  return error as PortUnavailable
}

const OK = json(200, { id: 1 })

describe('a request to a vendor', () => {
  it('is answered with the status and the JSON', async () => {
    const { site, requests } = await serve([OK, json(404, { code: 'NotFound' }), json(201, { id: 2 })])
    expect(await site.read(READ)).toMatchObject({ status: 200, is_ok: true, body: { id: 1 } })
    expect(await site.read(READ)).toMatchObject({ status: 404, is_ok: false, body: { code: 'NotFound' } })
    expect(await site.write(WRITE)).toMatchObject({ status: 201, body: { id: 2 } })
    expect(requests).toEqual(['GET /v1/tickets?id=1', 'GET /v1/tickets?id=1', 'POST /v1/tickets?id=1'])
  })

  it('uses the connections of earlier ones', async () => {
    const { site, sockets } = await serve([OK])
    for (let count = 0; count < 8; count++) await site.read(READ)
    expect(sockets()).toBeLessThan(4)
  })

  it('does not wait for the sockets of another tenant at the same site', async () => {
    const slow: Answer = () => {}
    const byTenant: Answer = (response, request) =>
      (request.url?.startsWith('/slow') ? slow : OK)(response, request)
    const { siteOf } = await serve([byTenant])
    const waiting = Array.from({ length: 40 }, () =>
      siteOf('t1')
        .read({ path: '/slow' })
        .catch(() => 'late'),
    )
    expect(await siteOf('t2').read({ path: '/quick' })).toMatchObject({ status: 200 })
    expect(await Promise.race([Promise.all(waiting), Promise.resolve('still waiting')])).toBe('still waiting')
  })

  it('is sent to no other host, whatever its path says', async () => {
    const { site, requests } = await serve([OK])
    await site.read({ path: '//psa.example/x' })
    await site.read({ path: 'https://psa.example/x?y#z' })
    expect(requests).toEqual(['GET //psa.example/x', 'GET /https://psa.example/x%3Fy%23z'])
  })

  const half: Answer = (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"id":')
    setTimeout(() => response.destroy(), 5)
  }
  const html: Answer = (response) => response.writeHead(200).end(`<p>${SECRET}</p>`)
  const cut: Answer = (response) => response.writeHead(200).end(`{"id": "${SECRET}`)
  const large = json(200, 'x'.repeat(5 * 1024 * 1024))
  const redirect = json(302, {}, { location: 'http://169.254.169.254/latest' })

  it.each<[string, Answer, number, Partial<PortUnavailable>]>([
    ['401', json(401, { message: SECRET }), 1, { kind: 'CREDENTIALS' }],
    ['403', json(403, { message: SECRET }), 1, { kind: 'CREDENTIALS' }],
    ['429', json(429, { message: SECRET }, { 'retry-after': '30' }), 1, { retry_after_seconds: 30 }],
    ['500', json(500, { message: SECRET }), 3, { kind: 'OUTAGE' }],
    ['503', json(503, {}), 3, { kind: 'OUTAGE' }],
    ['a redirect', redirect, 1, {}],
    ['half an answer', half, 3, {}],
    ['a page', html, 1, { kind: 'UNKNOWN_FORM' }],
    ['malformed JSON', cut, 1, { kind: 'UNKNOWN_FORM' }],
    ['an answer that is too large', large, 1, { kind: 'TOO_MUCH' }],
  ])('rejects with PortUnavailable at %s, and tells no secret', async (_name, answer, attempts, expected) => {
    const { site, requests } = await serve([answer])
    const error = await failure(site.read(READ))
    expect(error).toMatchObject(expected)
    const { message, stack, cause } = error
    expect(JSON.stringify([message, stack, cause, Object.entries(error)])).not.toContain(SECRET)
    expect(requests).toHaveLength(attempts)
    await failure(site.write(WRITE))
    expect(requests).toHaveLength(attempts + 1)
  })

  it('is repeated if it reads and another attempt may succeed', async () => {
    const { site, requests } = await serve([json(503, {}), half, OK])
    expect(await site.read(READ)).toMatchObject({ body: { id: 1 } })
    expect(requests).toHaveLength(3)
  })

  it('ends at its deadline', async () => {
    const { site, requests } = await serve([() => {}], { read_ms: 50, write_ms: 50 })
    expect((await failure(site.read(READ))).message).toBe('CONNECTWISE_PSA did not answer in time')
    await failure(site.write(WRITE))
    expect(requests.length).toBeLessThan(3)
  })

  it('is refused if the budget is used up, with the time until it is not', async () => {
    const owners: unknown[] = []
    const take = async (owner: unknown) => {
      owners.push(owner)
      return { taken: 0, wait_seconds: 12 }
    }
    const { site, requests } = await serve([OK], { budget: { ...NO_BUDGET, take } })
    expect(await failure(site.read(READ))).toMatchObject({
      kind: 'LIMIT',
      retry_after_seconds: 12,
      not_made: true,
    })
    expect(owners).toEqual([CALLER])
    expect(requests).toEqual([])
  })
})

it('refusals of the request or of the credentials open no circuit', async () => {
  const { site, requests } = await serve([
    json(401, {}),
    json(404, {}),
    json(429, {}, { 'retry-after': '60' }),
  ])
  for (let count = 0; count < 8; count++) await site.write(WRITE).catch(() => {})
  expect(requests).toHaveLength(8)
})

it('a vendor may refuse with 500, which is answered and opens no circuit', async () => {
  const refusal = json(500, { errors: ['No such field'] })
  const isRefusal = (status: number, body: unknown) =>
    status === 500 && typeof body === 'object' && body !== null && 'errors' in body
  const { site } = await serve([...Array(6).fill(refusal), json(500, {})], {}, { isRefusal })
  for (let count = 0; count < 6; count++)
    expect(await site.write(WRITE)).toMatchObject({ status: 500, is_ok: false })
  expect((await failure(site.write(WRITE))).message).toContain('500')
})

it('Retry-After is in seconds, or an HTTP date', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  expect(retryAfterSeconds('30', now)).toBe(30)
  expect(retryAfterSeconds('Thu, 01 Jan 2026 00:00:20 GMT', now)).toBe(20)
  expect(retryAfterSeconds('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(1)
  expect(retryAfterSeconds('999999', now)).toBe(3600)
  expect(retryAfterSeconds('soon', now)).toBeUndefined()
  expect(retryAfterSeconds(undefined, now)).toBeUndefined()
})
