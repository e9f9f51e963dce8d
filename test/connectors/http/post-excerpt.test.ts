import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { clientOf, endAll, eventually, POST, postTo, RECEIVER, receive, receiveRaw } from './receiver.ts'

afterEach(endAll)

const MEGABYTE = 1024 * 1024
const HEADERS = 'HTTP/1.1 200 OK\r\n'

/** Writes as fast as the client reads, until all is written or the socket is closed. */
function writeAll(socket: Socket, megabytes: number): void {
  let left = megabytes * 16
  const write = (): void => {
    while (left-- > 0 && !socket.destroyed) if (!socket.write(Buffer.alloc(MEGABYTE / 16, 'a'))) return
  }
  socket.on('drain', write)
  write()
}

describe('the excerpt of an answer', () => {
  it.each<[string, Buffer, string]>([
    ['a text as it is', Buffer.from('Größe 10 €\n\tok 👍'), 'Größe 10 €\n\tok 👍'],
    ['1,024 bytes', Buffer.alloc(1024, 'a'), 'a'.repeat(1024)],
    ['the first 1,024 bytes', Buffer.alloc(1025, 'a'), 'a'.repeat(1024)],
    ['whole characters of two bytes', Buffer.from(`a${'ü'.repeat(600)}`), `a${'ü'.repeat(511)}`],
    ['whole characters of four bytes', Buffer.from(`abc${'👍'.repeat(300)}`), `abc${'👍'.repeat(255)}`],
    ['a body that ends in a character', Buffer.from('a€').subarray(0, 3), 'a\uFFFD'],
    ['invalid bytes replaced', Buffer.from([0x61, 0xff, 0xc3, 0x62]), 'a\uFFFD\uFFFDb'],
    ['1,024 bytes of replaced ones', Buffer.alloc(2000, 0xff), '\uFFFD'.repeat(341)],
    ['no control characters', Buffer.from('a\0b\x1b[31mc\r\n\td\x7fe\u0085f'), 'ab[31mc\n\tdef'],
    ['nothing of zeros alone', Buffer.alloc(5000), ''],
    ['no lone surrogates', Buffer.from([0xed, 0xa0, 0x80]), '\uFFFD\uFFFD\uFFFD'],
  ])('has %s', async (_name, body, excerpt) => {
    const { url } = await receive((response) => response.end(body))
    expect(await postTo(url)).toEqual({ status: 200, excerpt })
    const pieces = await receive((response) => {
      response.write(body.subarray(0, 2))
      setImmediate(() => response.end(body.subarray(2)))
    })
    expect(await postTo(pieces.url)).toEqual({ status: 200, excerpt })
  })

  it('is not decompressed', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const { url } = await receive((response) => response.writeHead(200, headers).end('plain'))
    expect(await postTo(url)).toEqual({ status: 200, excerpt: 'plain' })
  })

  it.each([
    ['of a known length', `content-length: ${64 * MEGABYTE}\r\n\r\n`],
    ['without an end', '\r\n'],
    ['of one chunk', 'transfer-encoding: chunked\r\n\r\n4000000\r\n'],
  ])('is all that is read of a large body %s', async (_name, header) => {
    let socket: Socket | undefined
    const { url, sockets } = await receiveRaw((opened) => {
      socket = opened
      socket.write(HEADERS + header)
      writeAll(socket, 64)
    })
    const outcome = await postTo(url)
    expect(outcome).toEqual({ status: 200, excerpt: 'a'.repeat(1024) })
    await eventually(() => expect(sockets.size).toBe(0))
    // The kernel takes some megabytes before it says that nobody reads them.
    expect(socket?.bytesWritten).toBeLessThan(16 * MEGABYTE)
  })

  it('is what there is after a second of a body that trickles, or stalls', async () => {
    const trickling = await receive((response) => {
      const timer = setInterval(() => response.write('a'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const stalled = await receive((response) =>
      response.writeHead(500, { 'content-length': 9 }).write('half'),
    )
    const silent = await receive((response) => response.writeHead(202).flushHeaders())
    const outcomes = Promise.all([trickling, stalled, silent].map(({ url }) => postTo(url)))
    expect(await outcomes).toEqual([
      { status: 200, excerpt: expect.stringMatching(/^a+$/) },
      { status: 500, excerpt: 'half' },
      { status: 202, excerpt: '' },
    ])
    for (const { sockets } of [trickling, stalled, silent])
      await eventually(() => expect(sockets.size).toBe(0))
  })

  it.each([
    ['breaks off', 'content-length: 9\r\n\r\nhalf'],
    ['is not chunked as it says', 'transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nnone'],
  ])('is at most what there is of a body that %s', async (_name, bytes) => {
    const { url } = await receiveRaw((socket) => socket.end(HEADERS + bytes))
    expect(await postTo(url)).toEqual({ status: 200, excerpt: expect.stringMatching(/^(half)?$/) })
  })

  it('keeps no socket with a body that is not read', async () => {
    const { url, sockets } = await receiveRaw((socket) => {
      socket.write(`${HEADERS}\r\n`)
      writeAll(socket, 64)
    })
    const { post } = clientOf()
    const outcomes = await Promise.all(Array.from({ length: 25 }, () => post(RECEIVER, url, POST)))
    expect(outcomes).toEqual(Array(25).fill({ status: 200, excerpt: 'a'.repeat(1024) }))
    await eventually(() => expect(sockets.size).toBe(0))
  })
})
