/** The ends of connections, and the parts of answers that still arrive. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { send } from '../../src/http/send.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { askOn, type Outcome } from '../process/clients.ts'
import { testApp } from '../setup/app.ts'
import { clientOf, statuses } from '../setup/client.ts'
import { raw } from '../setup/http.ts'
import { overheard } from '../setup/log.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'

const MEGABYTE = 1024 * 1024
const SETTINGS = '/public-api/settings'

const appPort = async () => Number(new URL((await testApp()).base).port)

/** A server of one service. */
async function serverOf(handle: (req: IncomingMessage, res: ServerResponse) => void, untaken_ms?: number) {
  const in_flight = { begun: 0, ended: 0 }
  const server = createHttpServer({
    endpoints: [
      {
        name: 'test',
        has: () => true,
        allowed: () => ['GET'],
        handle: async ({ request, res }) => handle(request.message, res),
      },
    ],
    probe: () => undefined,
    callOf: () => null,
    free() {},
    headersOf: () => ({}),
    refusal: async () => ({ status: 500, headers: {}, body: '' }),
    observe: () => {
      in_flight.begun++
      return () => void in_flight.ended++
    },
    log: pino({ level: 'silent' }),
    cors_origins: [],
    allowed_hosts: [],
    trusted_proxies: [],
    ...(untaken_ms !== undefined && { stalled_ms: untaken_ms }),
  })
  onTestFinished(() => server.drain(0))
  return { server, in_flight, port: await server.listen(0, '127.0.0.1') }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe('an answer that the client does not take', () => {
  const body = Buffer.alloc(32 * MEGABYTE, 'x')
  const ways = {
    ended: (_req: IncomingMessage, res: ServerResponse) => send(res, { status: 200, headers: {}, body }),
    written: (_req: IncomingMessage, res: ServerResponse) => {
      res.writeHead(200, { 'Content-Length': body.length })
      res.write(body)
      res.once('drain', () => res.end())
    },
  }

  it.each(Object.entries(ways))('and that is %s has its connection cut', async (_name, answer) => {
    const [stalled_ms, longest_ms] = [1000, 15_000]
    let begun = 0
    let closed = 0
    const { port } = await serverOf((req, res) => {
      begun++
      res.once('close', () => closed++)
      answer(req, res)
    }, stalled_ms)
    const clients = Array.from({ length: 10 }, () => clientOf(port, { paused: true }))
    for (const { socket } of clients) socket.write(GET)
    await until(() => begun === clients.length)
    const started = performance.now()
    await until(() => closed === clients.length)
    expect(performance.now() - started).toBeLessThan(longest_ms - stalled_ms)
  })

  // The pauses together are longer than the one that a client may make, and each is shorter by more than a busy
  // machine adds to it.
  it('at once, but steadily, arrives whole', async () => {
    const { port } = await serverOf(ways.ended, 4000)
    const { socket } = clientOf(port, { paused: true })
    let size = 0
    socket.on('data', (chunk) => {
      size += chunk.length
      if (size % (2 * MEGABYTE) > chunk.length) return
      socket.pause()
      setTimeout(() => socket.resume(), 450)
    })
    socket.write(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    await new Promise((done) => socket.once('close', done))
    expect(size).toBeGreaterThan(body.length)
  })

  it('does not count while the service is at work', async () => {
    const { port } = await serverOf((_req, res) => {
      setTimeout(() => send(res, { status: 200, headers: {}, body: 'late' }), 1000)
    }, 100)
    const { socket, ended } = clientOf(port)
    socket.write(GET + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect(statuses((await ended).text)).toEqual([200, 200])
  })
})

describe('an answer before the end of the body', () => {
  const PUT = (credential: string, type = 'application/json') =>
    `PUT ${SETTINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nContent-Type: ${type}\r\n`
  const cases: [string, number, (admin: string, viewer: string) => string][] = [
    ['too large', 413, (admin) => PUT(admin)],
    ['without a credential', 401, () => `PUT ${SETTINGS} HTTP/1.1\r\nHost: x\r\n`],
    ['from somebody who may not', 403, (_admin, viewer) => PUT(viewer)],
    ['of another type', 415, (admin) => PUT(admin, 'text/plain')],
    ['to a path that is none', 404, () => 'POST /public-api/nothing HTTP/1.1\r\nHost: x\r\n'],
    ['with a method that is none', 405, () => `DELETE ${SETTINGS} HTTP/1.1\r\nHost: x\r\n`],
    ['to a probe', 200, () => 'GET /livez HTTP/1.1\r\nHost: x\r\n'],
    [
      'to an operation without one',
      200,
      (admin) => `GET ${SETTINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin}\r\n`,
    ],
    ['to GraphQL, too large', 413, (admin) => PUT(admin).replace(`PUT ${SETTINGS}`, 'POST /graphql')],
    [
      'to GraphQL, of another type',
      415,
      (admin) => PUT(admin, 'text/plain').replace(`PUT ${SETTINGS}`, 'POST /graphql'),
    ],
  ]

  it.each(cases)('%s is %i and ends the connection, however much is sent', async (_name, status, head) => {
    const msp = await world()
    const { socket, received, ended } = clientOf(await appPort(), { stays: true })
    socket.write(`${head(msp.admin.token, msp.viewer.token)}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`
    let sent = 0
    const pour = () => {
      while (!socket.destroyed && sent < 200 * MEGABYTE) {
        sent += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', pour)
    pour()
    const started = performance.now()
    await ended
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(sent).toBeLessThan(50 * MEGABYTE)
    expect(statuses(received())).toEqual([status])
    expect(received()).toMatch(/\r\nConnection: close\r\n/i)
    expect(received()).toMatch(/\}$|\nok\n$/)
  })

  it.concurrent.each(cases)(
    '%s is %i and ends the connection, however slowly it is sent',
    async (_name, _status, head) => {
      const msp = await world()
      const { socket, ended } = clientOf(await appPort(), { stays: true })
      socket.write(`${head(msp.admin.token, msp.viewer.token)}Content-Length: 2200000\r\n\r\n`)
      const dripping = setInterval(() => socket.write(' '), 50)
      const started = performance.now()
      const { text } = await ended
      clearInterval(dripping)
      expect(statuses(text)).toHaveLength(1)
      expect(performance.now() - started).toBeLessThan(20_000)
    },
  )

  it('reaches a client that sends all of its body before it reads', async () => {
    const port = await appPort()
    const { socket, ended } = clientOf(port, { paused: true })
    const body = ' '.repeat(3 * MEGABYTE)
    const head = `POST /public-api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
    await new Promise((done) => socket.write(head + body, done))
    await sleep(100)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    expect((await ended).reset).toBe(false)
    expect(statuses(text)).toEqual([404])
  })

  it('leaves the connection as it is if the body has come', async () => {
    const msp = await world()
    const { socket, received } = clientOf(await appPort())
    const put = `${PUT(msp.viewer.token)}Content-Length: 2\r\n\r\n{}`
    socket.write(put)
    await until(() => statuses(received()).length === 1)
    socket.write(put)
    await until(() => statuses(received()).length === 2)
    expect(statuses(received())).toEqual([403, 403])
    expect(received()).not.toMatch(/connection: close/i)
  })

  it('leaves the connection as it is if the body is refused for what it has before its end', async () => {
    const msp = await world()
    const { socket, received } = clientOf(await appPort())
    const body = `[${'1,'.repeat(200_000)}1]`
    const put = `${PUT(msp.admin.token)}Content-Length: ${body.length}\r\n\r\n`
    socket.write(put + body.slice(0, 300_000))
    await sleep(100)
    expect(received()).toBe('')
    socket.write(body.slice(300_000))
    await until(() => statuses(received()).length === 1)
    socket.write(put + body)
    await until(() => statuses(received()).length === 2)
    expect(statuses(received())).toEqual([400, 400])
    expect(received()).not.toMatch(/connection: close/i)
  })
})

describe('what cannot be read', () => {
  const get = (token: string) =>
    `GET ${SETTINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`

  it('is answered after what came before it on the connection', async () => {
    const { token } = (await world()).admin
    const { socket, ended } = clientOf(await appPort())
    socket.write(`${get(token)}${get(token)}THIS IS NOTHING\r\n\r\nAND NEITHER IS THIS\r\n\r\n`)
    const { text, reset } = await ended
    expect([statuses(text), reset]).toEqual([[200, 200, 400], false])
    const answers = text.split(/(?=HTTP\/1\.1 )/)
    expect(answers.map((answer) => /connection: close/i.test(answer))).toEqual([false, false, true])
    for (const answer of answers) expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toHaveProperty('meta')
  })

  it('in a body is 400, after what came before it', async () => {
    const { token } = (await world()).admin
    const { socket, ended } = clientOf(await appPort())
    const put = get(token)
      .replace('GET', 'PUT')
      .replace('\r\n\r\n', '\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n')
    socket.write(`${get(token)}${put}no chunk\r\n`)
    const { text, reset } = await ended
    expect([statuses(text), reset]).toEqual([[200, 400], false])
    expect(text).toContain('"code":"bad_request"')
  })

  it('has a line in the log', async () => {
    const { base, lines } = await overheard()
    const { socket, ended } = clientOf(Number(new URL(base).port))
    socket.write('THIS IS NOTHING\r\n\r\n')
    const request_id = /^X-Request-Id: (.*)\r$/m.exec((await ended).text)?.[1]
    const line = () => lines().find((one) => one.request_id === request_id)
    await until(() => line() !== undefined)
    expect(line()).toMatchObject({ msg: 'request', status: 400, code: 'bad_request', operation: 'none' })
  })

  it('is 400 in the envelope if it asks for a tunnel', async () => {
    const answer = await raw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 400 .*"bad_request"/s)
  })
})

describe('requests that wait for each other on a connection', () => {
  it('are over when the connection is', async () => {
    let answer = () => {}
    const { port, in_flight } = await serverOf((_req, res) => {
      answer = () => send(res, { status: 200, headers: {}, body: '' })
    })
    const { socket, ended } = clientOf(port)
    socket.write(GET.repeat(3))
    await until(() => in_flight.begun === 3)
    socket.resetAndDestroy()
    await ended
    await until(() => in_flight.ended === 3)
    answer()
    expect(in_flight).toEqual({ begun: 3, ended: 3 })
  })

  it('do not hold up the stop of the server, however many come', async () => {
    let before = Promise.resolve()
    const { port, server } = await serverOf((_req, res) => {
      before = before.then(() => sleep(5)).then(() => send(res, { status: 200, headers: {}, body: 'x' }))
    })
    const { socket, received, ended } = clientOf(port)
    let asked = 8
    socket.write(GET.repeat(asked))
    socket.on('data', () => {
      for (; asked < statuses(received()).length + 8; asked++) socket.write(GET)
    })
    await until(() => statuses(received()).length > 20)
    const started = performance.now()
    await server.drain(25_000)
    expect(performance.now() - started).toBeLessThan(20_000)
    const { text, reset } = await ended
    expect(reset).toBe(false)
    expect(text).toMatch(/Connection: close\r\n[^/]*x$/)
  })
})

describe('a client that has closed its side', () => {
  const ask = async (text: string) => {
    const { socket, ended } = clientOf(await appPort())
    socket.end(text)
    return ended
  }

  it('is answered', async () => {
    const { token } = (await world()).admin
    const get = `GET ${SETTINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const { text, reset } = await ask(get + get)
    expect([statuses(text), reset]).toEqual([[200, 200], false])
    const query = JSON.stringify({ query: '{ settings { timezone } }' })
    const graphql = await ask(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${query.length}\r\n\r\n${query}`,
    )
    expect(graphql.text).toContain('"data":{"settings"')
  })

  it('in the middle of its body is told so', async () => {
    const { token } = (await world()).admin
    const { text } = await ask(
      `PUT ${SETTINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
    expect(statuses(text)).toEqual([400])
    expect(text).toContain('ended early')
  })
})

it('clients that reconnect at once do not keep a server from its end, and none of them is reset', async () => {
  const { server, port } = await serverOf((_req, res) => {
    // As long as a statement of the embedded database keeps the process from accepting.
    for (const started = performance.now(); performance.now() - started < 3; );
    send(res, { status: 200, headers: {}, body: 'answered' })
  })
  const outcomes: Outcome[] = []
  const reconnecting = async (): Promise<void> => {
    for (;;) {
      const outcome = await askOn(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 1, 1).ended
      if (outcome.turned_away) return
      outcomes.push(outcome)
    }
  }
  const clients = Array.from({ length: 30 }, reconnecting)
  await until(async () => outcomes.length > 60)
  await server.drain(120_000)
  await Promise.all(clients)
  for (const outcome of outcomes) expect(outcome).toMatchObject({ answers: 1, refused: [], reset: false })
})
