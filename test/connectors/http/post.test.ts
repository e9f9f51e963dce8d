import { afterEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  clientOf,
  endAll,
  eventually,
  late,
  POST,
  postTo,
  RECEIVER,
  receive,
  receiveRaw,
  SECRET,
  unreachable,
} from './receiver.ts'

afterEach(endAll)

const OK: Answer = (response) => response.end('ok')

describe('a post', () => {
  it('sends the text as it is, with the headers, to the path and the query', async () => {
    const { url, posts } = await receive(OK)
    expect(await postTo(url)).toEqual({ status: 200, excerpt: 'ok' })
    expect(posts).toMatchObject([
      {
        line: `POST /${SECRET}?of=${SECRET}`,
        headers: {
          'webhook-id': 'msg_1',
          'content-type': 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'Automation-Service-Webhooks/1.0',
        },
        body: POST.body,
      },
    ])
  })

  it.each([200, 202, 304, 400, 401, 404, 410, 429, 500, 503, 599])(
    'is answered once by each status: %d',
    async (status) => {
      const { url, posts } = await receive((response) => response.writeHead(status).end())
      expect(await postTo(url)).toEqual({ status, excerpt: '' })
      expect(posts).toHaveLength(1)
    },
  )

  it.each([301, 302, 303, 307, 308])('does not follow a redirect: %d', async (status) => {
    const other = await receive(OK)
    for (const location of [other.url, 'http://169.254.169.254/latest', '/other']) {
      const { url, posts } = await receive((response) =>
        response.writeHead(status, { location }).end('moved'),
      )
      expect(await postTo(url)).toEqual({ status, excerpt: 'moved' })
      expect(posts).toHaveLength(1)
    }
    expect(other.posts).toEqual([])
  })

  it('is answered by 204, which has no body, and by a body of no bytes', async () => {
    const empty = await receive((response) => response.writeHead(204).end())
    expect(await postTo(empty.url)).toEqual({ status: 204, excerpt: '' })
    const closed = await receiveRaw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n'))
    expect(await postTo(closed.url)).toEqual({ status: 200, excerpt: '' })
  })

  it.each([
    ['30', 30],
    ['1000000', 86_400],
    ['0', 1],
    ['Wed, 31 Dec 1999 00:00:00 GMT', 1],
    ['Thu, 31 Dec 2099 00:00:00 GMT', 86_400],
    ['soon', undefined],
    ['', undefined],
  ])('tells the seconds of Retry-After: %j', async (header, seconds) => {
    const { url } = await receive((response) => response.writeHead(429, { 'retry-after': header }).end())
    expect(await postTo(url)).toEqual({
      status: 429,
      excerpt: '',
      ...(seconds !== undefined && { retry_after_seconds: seconds }),
    })
  })

  it('is not answered by informational answers', async () => {
    const { url } = await receive((response) => {
      response.writeProcessing()
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.writeHead(201).end()
    })
    expect(await postTo(url)).toMatchObject({ status: 201 })
    const silent = await receive((response) => response.writeProcessing())
    expect(await postTo(silent.url, { ms: 50 })).toEqual(late('No answer within 0.05 seconds'))
  })
})

describe('a post without an answer', () => {
  it('fails at its deadline', async () => {
    const silent = await receive(() => {})
    expect(await postTo(silent.url, { ms: 50 })).toEqual(late('No answer within 0.05 seconds'))
    const slow = await receiveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 10)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await postTo(slow.url, { ms: 50 })).toEqual(late('No answer within 0.05 seconds'))
    await eventually(() => expect([...silent.sockets, ...slow.sockets]).toEqual([]))
  })

  it('fails at its deadline if no connection is made', async () => {
    const { url } = await receiveRaw(() => {})
    const no_handshake = url.replace('http:', 'https:')
    expect(await postTo(no_handshake, { ms: 50 })).toEqual(late('No answer within 0.05 seconds'))
  })

  it('fails if nobody listens', async () => {
    const { url } = await receive(OK)
    await endAll()
    expect(await postTo(url)).toEqual(unreachable('Could not be reached (ECONNREFUSED)'))
  })

  it('fails if the connection ends first', async () => {
    const reset = await receiveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-a: ', () => socket.resetAndDestroy())
    })
    expect(await postTo(reset.url)).toEqual(unreachable('Could not be reached (ECONNRESET)'))
    const ended = await receiveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: '))
    expect(await postTo(ended.url)).toEqual(unreachable('The connection was closed before an answer'))
    const closed = await receiveRaw((socket) => socket.end())
    expect(await postTo(closed.url)).toEqual(unreachable('The connection was closed before an answer'))
  })

  it.each([
    ['a greeting', '220 smtp.example ESMTP\r\n', 'The answer is not HTTP/1.1'],
    ['HTTP/2', '\0\0\x06\x04\0\0\0\0\0', 'The answer is not HTTP/1.1'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      'The answer is not HTTP/1.1',
    ],
    [
      'headers that are too large',
      `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`,
      'The headers of the answer are too large',
    ],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      'The connection was closed before an answer',
    ],
  ])('fails by %s', async (_name, bytes, message) => {
    const { url } = await receiveRaw((socket) => socket.write(bytes))
    expect(await postTo(url)).toEqual(unreachable(message))
  })

  it('rejects for headers that HTTP does not allow', async () => {
    const { url, posts } = await receive(OK)
    await expect(postTo(url, { headers: { 'x-a': 'a\r\nx-b: c' } })).rejects.toThrow('invalid x-a header')
    expect(posts).toEqual([])
  })
})

describe('the sockets of posts', () => {
  it('serve later posts of the same receiver, and no other receiver', async () => {
    const { url, posts } = await receive(OK)
    const { post } = clientOf()
    for (let count = 0; count < 8; count++)
      for (const id of ['whk_1', 'whk_2'])
        await post({ ...RECEIVER, id }, url, { ...POST, headers: { 'webhook-id': id } })
    const used = (id: string) =>
      new Set(posts.flatMap(({ headers, socket }) => (headers['webhook-id'] === id ? socket : [])))
    expect(used('whk_1').size).toBeLessThan(4)
    expect(used('whk_2').size).toBeLessThan(4)
    expect(used('whk_1').isDisjointFrom(used('whk_2'))).toBe(true)
  })

  it('are ten for each receiver, and a slow one keeps none from another', async () => {
    const waiting: (() => void)[] = []
    const { url, posts, sockets } = await receive((response, { headers }) => {
      if (headers['webhook-id'] === 'slow') waiting.push(() => response.end())
      else response.end()
    })
    const { post } = clientOf()
    const slow = { ...POST, headers: { 'webhook-id': 'slow' } }
    const outcomes = Array.from({ length: 12 }, () => post(RECEIVER, url, slow))
    await eventually(() => expect(waiting).toHaveLength(10))
    expect(await post(RECEIVER, url, { ...slow, ms: 50 })).toMatchObject({ failure: 'LATE' })
    for (const other of [{ id: 'whk_2' }, { tenant_id: 't2' }, { environment: 'live' }])
      expect(await post({ ...RECEIVER, ...other }, url, POST)).toMatchObject({ status: 200 })
    expect(sockets.size).toBe(13)
    expect(posts).toHaveLength(13)
    while (posts.length < 15 || waiting.length > 0) {
      for (const answer of waiting.splice(0)) answer()
      await new Promise(setImmediate)
    }
    for (const outcome of outcomes) expect(await outcome).toMatchObject({ status: 200 })
    expect(posts).toHaveLength(15)
  })

  it('end their posts before they are closed', async () => {
    const waiting: (() => void)[] = []
    const { url, posts } = await receive((response) => waiting.push(() => response.end('ok')))
    const client = clientOf()
    const outcome = client.post(RECEIVER, url, POST)
    await eventually(() => expect(posts).toHaveLength(1))
    const closed = client.close()
    for (const id of ['whk_1', 'whk_2'])
      await expect(client.post({ ...RECEIVER, id }, url, POST)).rejects.toThrow('closed')
    for (const answer of waiting) answer()
    expect(await outcome).toEqual({ status: 200, excerpt: 'ok' })
    await closed
    expect(posts).toHaveLength(1)
  })
})
