/** Events that a PSA sends to the address of its connection. */
import { request } from 'node:http'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deleteOldPayloads } from '../../../src/areas/callbacks/jobs.ts'
import { createSecretBox } from '../../../src/lib/secret-box.ts'
import { type Api, apisAt } from '../../setup/api.ts'
import { clock, ENCRYPTION_KEY, type Running } from '../../setup/app.ts'
import { connectDouble, connectedApp, connectedDatabase, deliver, tell } from '../../setup/connected.ts'
import { connectwisePsaDouble } from '../../setup/psa-doubles/connectwise.ts'
import type { SentRequest } from '../../setup/psa-doubles/double.ts'
import { haloPsaDouble } from '../../setup/psa-doubles/halo.ts'
import { days, type Msp, world } from '../../setup/world.ts'

const lines: string[] = []
let running: Running
let api: Api

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  running = await connectedApp(await connectedDatabase(), {}, log)
  api = apisAt(async () => running.base)[1] as Api
})
afterAll(() => running.app.close(0))

async function connected() {
  const msp = await world(running.database)
  const double = await connectDouble(running, api, msp, connectwisePsaDouble)
  const ticket_id = double.addTicket('Printer')
  const [sent] = double.send({ ticket_id, action: 'ADDED', event_id: `m-${msp.tenant_id}` })
  if (!sent) throw new Error('No webhook is registered')
  return { msp, double, ticket_id, sent }
}

const callbacksOf = ({ tenant_id, database }: Msp) =>
  database.prisma.callback.findMany({ where: { tenant_id }, orderBy: { id: 'asc' } })

const payloadsOf = ({ tenant_id, database }: Msp) =>
  database.prisma.callbackPayload.findMany({ where: { tenant_id } })

/** The status, the code and the headers of the answer. */
async function answerTo(sent: SentRequest, service = running) {
  const answer = await deliver(service, sent)
  const text = await answer.text()
  return {
    status: answer.status,
    code: text === '' ? null : JSON.parse(text).error.code,
    retry_after: answer.headers.get('retry-after'),
  }
}

const refused = { status: 404, code: 'not_found', retry_after: null }

describe('an event that a PSA sends', () => {
  it('is stored with its payload, which nobody can read, and answered with 202 and nothing', async () => {
    const { msp, sent, ticket_id } = await connected()
    expect(await answerTo(sent)).toEqual({ status: 202, code: null, retry_after: null })
    const [callback, ...more] = await callbacksOf(msp)
    expect(more).toEqual([])
    expect(callback).toMatchObject({
      entity_type: 'TICKET',
      entity_id: ticket_id,
      action: 'CREATED',
      source: 'WEBHOOK',
      status: 'QUEUED',
      psa_type: 'CONNECTWISE_PSA',
      psa_changed_at: expect.any(Date),
    })
    const [payload] = await payloadsOf(msp)
    if (!payload) throw new Error('No payload was kept')
    expect(payload.callback_ids).toEqual([callback?.id])
    expect(payload.payload).not.toContain('Printer')
    const place = [msp.tenant_id, msp.environment, payload.id, 'callback_payload']
    const bytes = Buffer.from(createSecretBox([ENCRYPTION_KEY]).decrypt(payload.payload, place), 'latin1')
    expect(bytes).toEqual(sent.body)
  })

  it('is one however often it comes, also at once', async () => {
    const { msp, sent } = await connected()
    const answers = await Promise.all(Array.from({ length: 8 }, () => answerTo(sent)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202))
    expect(await callbacksOf(msp)).toHaveLength(1)
    expect(await payloadsOf(msp)).toHaveLength(1)
  })

  it('is refused alike for a wrong secret, none, an unknown connection, and a signature that is not the PSA’s', async () => {
    const { msp, double, sent, ticket_id } = await connected()
    const other = await connected()
    const changed = (change: (url: URL) => void): SentRequest => {
      const url = new URL(sent.url)
      change(url)
      return { ...sent, url: url.href }
    }
    const secret = new URL(sent.url).searchParams.get('secret') ?? ''
    const requests = [
      changed((url) => url.searchParams.set('secret', `${secret.slice(0, -1)}!`)),
      changed((url) =>
        url.searchParams.set('secret', new URL(other.sent.url).searchParams.get('secret') ?? ''),
      ),
      changed((url) => url.searchParams.delete('secret')),
      changed((url) => url.searchParams.set('secret', '\0')),
      changed((url) => {
        url.pathname = url.pathname.slice(0, -22) + 'x'.repeat(22)
      }),
      changed((url) => {
        url.pathname = `${url.pathname}/more`
      }),
      { ...sent, body: Buffer.concat([sent.body, Buffer.from(' ')]) },
      { ...sent, headers: {} },
      { ...sent, headers: { 'x-content-signature': 'AAAA' } },
    ]
    for (const one of requests) expect(await answerTo(one)).toEqual(refused)
    expect(await callbacksOf(msp)).toEqual([])
    await api.call(msp.owner, 'disconnect_integration', { name: double.name })
    expect(await answerTo(sent)).toEqual(refused)
    await api.call(msp.owner, 'connect_integration', { name: double.name, input: double.draft })
    expect(await answerTo(sent)).toEqual(refused)
    expect(ticket_id).toBeTruthy()
  })

  it('never fails the service, whatever its body, type and method are', async () => {
    const { msp, double, sent } = await connected()
    const bodies = ['', '{', 'null', '[]', '"x"', '{"Type":1}', '\u0000', `{"a":${'['.repeat(2000)}`]
    for (const body of bodies) expect(await answerTo({ ...sent, body: Buffer.from(body) })).toEqual(refused)
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'x'])
      expect((await answerTo({ ...sent, headers: { ...sent.headers, 'content-type': type } })).status).toBe(
        202,
      )
    const compressed = { ...sent, headers: { ...sent.headers, 'content-encoding': 'gzip' } }
    expect(await answerTo(compressed)).toMatchObject({ status: 415 })
    expect(await answerTo({ ...sent, body: Buffer.alloc(1024 * 1024 + 1, 32) })).toMatchObject({
      status: 413,
    })
    const path = sent.url.replace(/^https:\/\/[^/]+/, running.base)
    const got = await fetch(path)
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect(await callbacksOf(msp)).toHaveLength(1)
    expect(double.webhooks()).not.toEqual([])
  })

  it('is accepted and forgotten if it tells of what has no callbacks', async () => {
    const { msp, double, ticket_id } = await connected()
    const [sent] = double.send({ ticket_id, action: 'ADDED', event_id: 'm' })
    expect(sent).toBeDefined()
    const events = [
      { MessageId: 'a', Action: 'updated', Type: 'project', ID: 1 },
      { MessageId: 'b', Action: 'rotated', Type: 'ticket', ID: 1 },
      { MessageId: 'c', Action: 'updated', Type: 'member', ID: 1 },
    ]
    for (const event of events) {
      const { raw, headers } = double.sign(event)
      expect(await answerTo({ url: sent?.url ?? '', headers, body: raw })).toMatchObject({ status: 202 })
    }
    expect(await callbacksOf(msp)).toEqual([])
    expect(await payloadsOf(msp)).toEqual([])
  })

  it('is to be sent again if the PSA’s key cannot be had, or nothing can be stored', async () => {
    const { msp, double, sent } = await connected()
    const passed = performance.now.bind(performance)
    double.failing(1)
    const again = await answerTo(sent)
    expect(again).toMatchObject({ status: 429, code: 'events_not_stored' })
    expect(Number(again.retry_after)).toBeGreaterThan(0)
    double.failing(0)
    vi.spyOn(performance, 'now').mockImplementation(() => passed() + 61_000)
    onTestFinished(() => void vi.restoreAllMocks())
    const { database } = running.app.services
    const { transaction } = database
    database.transaction = () =>
      Promise.reject(Object.assign(new Error('The server is gone'), { code: '57P01' }))
    const unstored = await answerTo(sent)
    database.transaction = transaction
    expect(unstored).toMatchObject({ status: 429, code: 'events_not_stored' })
    expect(await callbacksOf(msp)).toEqual([])
    expect(await answerTo(sent)).toMatchObject({ status: 202 })
    expect(await callbacksOf(msp)).toHaveLength(1)
  })

  it('is charged to its connection if its secret is right, and never to its address', async () => {
    const [{ sent }, other] = [await connected(), await connected()]
    const limits = { LIMITS: 'ingest_connection=1,anonymous_ip=1' }
    const strict = await connectedApp(running.database, limits)
    onTestFinished(() => strict.app.close(0))
    const wrong = { ...sent, url: sent.url.replace('secret=', 'secret=x') }
    const guesses = await Promise.all(Array.from({ length: 20 }, () => answerTo(wrong, strict)))
    expect(new Set(guesses.map(({ code }) => code))).toEqual(new Set(['not_found', 'rate_limited']))
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerTo(sent, strict)))
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([null, 'rate_limited']))
    expect(answers.find(({ code }) => code)).toMatchObject({ status: 429, retry_after: '1' })
    expect(await answerTo(other.sent, strict)).toMatchObject({ status: 202 })
  })

  it('costs one token of the limit for each event of a delivery, and nothing is stored beyond the limit', async () => {
    const msp = await world(running.database)
    const double = await connectDouble(running, api, msp, haloPsaDouble)
    const [sent] = double.send({ ticket_id: double.addTicket('Printer'), action: 'ADDED', event_id: 'x' })
    if (!sent) throw new Error('No webhook is registered')
    const delivery = (name: string, events: number): SentRequest => ({
      ...sent,
      body: Buffer.from(
        JSON.stringify(
          Array.from({ length: events }, (_, index) => ({ id: `${name}${index}`, object_id: index + 1 })),
        ),
      ),
    })
    const limit = { ...running.app.services.limits.ingest_connection, quota: 100, window_seconds: 86_400 }
    const { limits } = running.app.services
    const usual = limits.ingest_connection
    Object.assign(limits, { ingest_connection: limit })
    onTestFinished(() => {
      Object.assign(limits, { ingest_connection: usual })
      clock.reset()
    })
    const answers = async (name: string, events: number) => {
      const { status, code } = await answerTo(delivery(name, events))
      return [status, code, await stored()]
    }
    const stored = async () => (await callbacksOf(msp)).length
    expect(await answers('a', 60)).toEqual([202, null, 60])
    expect(await answers('b', 60)).toEqual([429, 'rate_limited', 60])
    expect(await answers('c', 30)).toEqual([202, null, 90])
    expect(await answers('d', 1000)).toEqual([429, 'rate_limited', 90])
    clock.advance(days(1))
    await running.database.prisma.rateBucket.deleteMany({ where: { key: { startsWith: limit.name } } })
    expect(await answers('d', 1000)).toEqual([202, null, 1090])
    expect(await answers('e', 60)).toEqual([429, 'rate_limited', 1090])
    clock.advance(days(1))
    await running.database.prisma.rateBucket.deleteMany({ where: { key: { startsWith: limit.name } } })
    const at_once = await Promise.all(
      ['f', 'g', 'h', 'i'].map((delivery_id) => answerTo(delivery(delivery_id, 60))),
    )
    expect(at_once.map(({ status }) => status).sort()).toEqual([202, 429, 429, 429])
    expect(await stored()).toBe(1150)
  })

  it('is 400 and not stored if no column has its time or its id', async () => {
    const { msp, double, sent } = await connected()
    const signed = (fields: object): SentRequest => {
      const { raw, headers } = double.sign({
        MessageId: 'm',
        Action: 'updated',
        Type: 'ticket',
        ID: 1,
        ...fields,
      })
      return { ...sent, headers, body: raw }
    }
    const events = [
      { Entity: '{"_info":{"lastUpdated":"0000-01-01T00:00:00Z"}}' },
      { MessageId: 'a\0' },
      { MessageId: '\ud800' },
      { ID: '1\0' },
    ]
    for (const event of events)
      expect(await answerTo(signed(event))).toMatchObject({ status: 400, code: 'bad_request' })
    const other = await world(running.database)
    const halo = await connectDouble(running, api, other, haloPsaDouble)
    const [webhook] = halo.send({ ticket_id: halo.addTicket('x'), action: 'ADDED', event_id: 'x' })
    const late = { id: 'late', object_id: 1, timestamp: '+275000-01-01T00:00:00Z' }
    const body = Buffer.from(JSON.stringify([{ id: 'good', object_id: 1 }, late]))
    const answer = await answerTo({ url: webhook?.url ?? '', headers: {}, body })
    expect(answer).toMatchObject({ status: 400, code: 'bad_request' })
    expect(await callbacksOf(msp)).toEqual([])
    expect(await callbacksOf(other)).toEqual([])
  })

  it('is answered as one of an unknown connection while the encryption key of the connection is missing', async () => {
    const { msp, sent } = await connected()
    const { services } = running.app
    const { secret_box } = services
    const other = createSecretBox([{ id: 'other', key: Buffer.alloc(32, 9) }])
    Object.assign(services, { secret_box: other })
    const answer = await answerTo(sent)
    Object.assign(services, { secret_box })
    expect(answer).toEqual(refused)
    expect(await callbacksOf(msp)).toEqual([])
    expect(await answerTo(sent)).toMatchObject({ status: 202 })
  })

  it('is kept for 30 days', async () => {
    const { msp, sent } = await connected()
    await answerTo(sent)
    const [{ id, payload }] = (await payloadsOf(msp)) as [Awaited<ReturnType<typeof payloadsOf>>[0]]
    const old = {
      connection_id: 'x',
      callback_ids: [],
      payload,
      received_at: new Date(Date.now() - 31 * 86_400_000),
    }
    const { tenant_id, environment } = msp
    await msp.database.prisma.callbackPayload.create({ data: { tenant_id, environment, id: 'old', ...old } })
    const { services } = running.app
    const { signal } = new AbortController()
    await deleteOldPayloads.handler({ services, now: new Date(), signal } as never, {})
    expect((await payloadsOf(msp)).map((row) => row.id)).toEqual([id])
  })

  it('leaves its secret in no log line, and is counted', async () => {
    const { msp, double, sent, ticket_id } = await connected()
    const secrets = [new URL(sent.url).searchParams.get('secret') ?? '', 'private1']
    await answerTo(sent)
    await answerTo({ ...sent, body: Buffer.from('{') })
    await answerTo({ ...sent, url: `${sent.url}&x=${'y'.repeat(70_000)}` }).catch(() => null)
    await new Promise((done) => {
      const { port } = new URL(running.base)
      const path = new URL(sent.url)
      // Bytes that are no request.
      request({
        port,
        method: 'POST',
        path: `${path.pathname}${path.search}`,
        headers: { 'content-length': '5' },
      })
        .on('error', done)
        .on('response', (answer) => answer.on('data', () => {}).on('end', done))
        .end('{')
        .destroy()
    })
    double.failing(1)
    await tell(running, double, { ticket_id, action: 'UPDATED', event_id: 'other' })
    await api.call(msp.owner, 'disconnect_integration', { name: double.name })
    const metrics = await (await fetch(`${running.base}/metrics`)).text()
    expect(metrics).toMatch(
      /http_request_duration_seconds_count\{interface="ingest",operation="ingest_psa",status="202"/,
    )
    expect(lines.filter((line) => line.includes('"ingest_psa"')).length).toBeGreaterThan(3)
    for (const text of [...lines, metrics])
      for (const secret of secrets)
        for (const form of [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1)])
          expect(text).not.toContain(form)
  })
})
