/** Receivers of posts on the loopback interface. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { vi } from 'vitest'
import { createVendorClient } from '../../../src/connectors/http/client.ts'
import type { Post, PostFailure, PostOutcome } from '../../../src/connectors/posts.ts'

/** Part of the URLs and the bodies of all posts. */
export const SECRET = 'hunter2-secret'

export const RECEIVER = { tenant_id: 't1', environment: 'test', id: 'whk_1' }

export const POST = { headers: { 'webhook-id': 'msg_1' }, body: `{ "of":"${SECRET} ü" }` }

const ends: (() => Promise<unknown>)[] = []

/** Closes clients and receivers. */
export async function endAll(): Promise<void> {
  await Promise.all(ends.splice(0).map((end) => end()))
}

/** The client of a test. Loopback addresses are allowed. */
export function clientOf(options: Parameters<typeof createVendorClient>[0] = {}) {
  const client = createVendorClient({ allow_private_addresses: true, ...options })
  ends.push(() => client.close())
  return client
}

interface Listening {
  port: number
  url: string
  /** Open sockets. */
  sockets: Set<Socket>
}

/** Begins to listen. At the end of the test all sockets are cut. */
export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  ends.push(async () => {
    const closed = new Promise((done) => server.close(done))
    for (const socket of sockets) socket.destroy()
    await closed
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/${SECRET}?of=${SECRET}`, sockets }
}

interface ReceivedPost {
  line: string
  headers: IncomingMessage['headers']
  body: string
  socket: Socket
}

export type Answer = (response: ServerResponse, post: ReceivedPost) => void

/** A receiver that answers each post by the function. */
export async function receive(answer: Answer): Promise<Listening & { posts: ReceivedPost[] }> {
  const posts: ReceivedPost[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { method, url, headers, socket } = request
    const post = { line: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString(), socket }
    posts.push(post)
    answer(response, post)
  })
  server.keepAliveTimeout = 60_000
  return { ...(await listen(server)), posts }
}

/** A receiver that writes what it wants, once a post has come. */
export async function receiveRaw(write: (socket: Socket) => void): Promise<Listening> {
  return await listen(createTcpServer((socket) => socket.once('data', () => write(socket))))
}

/** Waits until the check holds. */
export const eventually = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 60_000, interval: 5 })

/** Posts to the receiver once. */
export async function postTo(url: string, request: Partial<Parameters<Post>[2]> = {}): Promise<PostOutcome> {
  return await clientOf().post(RECEIVER, url, { ...POST, ...request })
}

const failed = (failure: PostFailure['failure'], message: string): PostFailure => ({ failure, message })

export const refused = (message: string): PostFailure => failed('ADDRESS_REFUSED', message)
export const unreachable = (message: string): PostFailure => failed('UNREACHABLE', message)
export const late = (message: string): PostFailure => failed('LATE', message)
