/** The connections of the server: their unanswered requests, and how each connection ends. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from './body.ts'
import type { HttpRequest } from './request.ts'

/** One request and its answer. `Call` is the application's record of it. */
export interface Exchange<Call = unknown> {
  request: HttpRequest
  res: ServerResponse
  call: Call
  begun: boolean
}

export interface Connection<Call = unknown> {
  readonly socket: Socket
  /** Requests that are not answered yet, in their order, which is the order of the answers. */
  readonly exchanges: Exchange<Call>[]
  /** Takes no more requests. */
  ending: boolean
  /** Called once every request is answered, if no further request can be read. */
  atLast: (() => void) | null
  /** The answer that the client is slow to take, and since when. */
  slow: { res: ServerResponse; since: number } | null
  /** The bytes read when the connection was last seen to be in use, and when that was. */
  used: { bytes: number; at: number }
}

export const newConnection = <Call>(socket: Socket): Connection<Call> => ({
  socket,
  exchanges: [],
  ending: false,
  atLast: null,
  slow: null,
  used: { bytes: -1, at: 0 },
})

/** The time and the bytes that a client may go on sending after the last answer. */
const LINGER_MS = 3_000
const LINGER_BYTES = 4 * 1024 * 1024

/**
 * Ends the connection after `text`: half-closes it and discards what still comes. A socket that is closed with unread
 * bytes in it is reset, and a reset can take from the client an answer that it has not read yet.
 */
export function end(connection: Connection, text = ''): void {
  const { socket } = connection
  if (connection.ending || socket.destroyed) return
  connection.ending = true
  socket.end(text)
  let left = LINGER_BYTES
  // Node's parser holds the socket's handle, and starts it again only for a stream that resumes.
  socket.pause()
  socket.once('resume', () => {
    socket.removeAllListeners('data')
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) socket.destroy()
    })
  })
  socket.resume()
  const late = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(late))
}

/** True while the client has not read all of an answer. */
const isStalled = ({ exchanges: [first] }: Connection): boolean =>
  first?.res.headersSent === true && first.res.writableLength > 0

/** The time for a whole answer, as a multiple of the longest pause. */
const LONGEST_PAUSES = 15

/**
 * Closes the connection of a client that does not read its answer. Node's own timer, which any progress resets, is set
 * only for a client that was slow at the last check, and so costs other requests nothing.
 */
export function watch(connection: Connection, stalled_ms: number, now: number): void {
  const { socket, exchanges, slow } = connection
  const res = exchanges[0]?.res
  if (!res || !isStalled(connection)) {
    connection.slow = null
  } else if (slow?.res !== res) {
    connection.slow = { res, since: now }
    socket.setTimeout(stalled_ms)
  } else if (now - slow.since > stalled_ms * LONGEST_PAUSES) {
    socket.destroy()
  }
}

/** Handles Node's timeout of the connection: it is idle, or its client does not read an answer. */
export function timedOut(connection: Connection): void {
  if (isStalled(connection)) connection.socket.destroy()
  else if (connection.exchanges.length === 0) end(connection)
}

/** Ends the connection if nothing is under way on it and nothing has come for `quiet_ms`. */
export function endUnused(connection: Connection, quiet_ms: number, now: number): void {
  const { socket, exchanges, used } = connection
  if (exchanges.length > 0 || socket.bytesRead !== used.bytes) {
    connection.used = { bytes: socket.bytesRead, at: now }
  } else if (now - used.at >= quiet_ms) {
    end(connection)
  }
}

/** True while some of the request's body has not come yet. */
export const isIncomplete = (message: IncomingMessage): boolean => !message.complete && hasBody(message)
