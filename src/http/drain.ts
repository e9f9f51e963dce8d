/** The end of the server: every request that a client has sent is answered, and no connection is reset. */
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Connection, endUnused } from './connections.ts'

/** A connection on which nothing comes for this long ends when the server stops. */
const QUIET_MS = 1_000
const QUIET_CHECK_MS = 50
/** Afterwards each answer ends its connection, even if requests wait behind it: the client can repeat those. */
const LAST_ANSWERS_MS = 5_000
/** The longest time in which waiting connections are accepted: Node accepts one in each turn of the event loop. */
const ACCEPT_MS = 10_000
/** A turn this short, within this time, makes it unlikely that a connection came unnoticed. */
const SHORT_TURN_MS = 1
const SHORT_TURN_WITHIN_MS = 500

/** The progress of the end, as the answers under way see it. */
export interface DrainState {
  /** The server is about to stop. */
  draining: boolean
  /** Every answer is the last one on its connection. */
  last_answers: boolean
  /** Requests that come before the listener is closed begin then: clients that reconnect at once would never stop coming. */
  closing: Promise<void> | null
}

interface Draining {
  server: Server
  connections: ReadonlyMap<Socket, Connection>
  state: DrainState
  /** The number of connections that were ever accepted. */
  accepted: () => number
}

/** Resolves once no connection waits to be accepted: the close of the listener would reset it. */
async function acceptWaiting(accepted: () => number, until: number): Promise<void> {
  // The current turn may be half over: only whole turns poll for connections in between.
  await nextTurn()
  const started = performance.now()
  for (let turn = started; turn < Math.min(until, started + ACCEPT_MS); ) {
    const before = accepted()
    await nextTurn()
    const now = performance.now()
    const short = now - turn < SHORT_TURN_MS || now - started > SHORT_TURN_WITHIN_MS
    if (accepted() === before && short) return
    turn = now
  }
}

/** Goes on answering for `delay_ms`, then ends every connection, at the latest after another `ms`. */
export async function drain(
  { server, connections, state, accepted }: Draining,
  ms: number,
  delay_ms: number,
): Promise<void> {
  state.draining = true
  if (delay_ms > 0) await sleep(delay_ms)
  const until = performance.now() + ms
  const listener = Promise.withResolvers<void>()
  state.closing = listener.promise
  await acceptWaiting(accepted, until)
  // The HTTP server's own close resets connections on which a request has come and is not read yet.
  const closed = new Promise((done) => NetServer.prototype.close.call(server, done))
  state.closing = null
  listener.resolve()
  const ending = setInterval(() => {
    const now = performance.now()
    for (const connection of connections.values()) endUnused(connection, QUIET_MS, now)
  }, QUIET_CHECK_MS)
  const hurrying = setTimeout(() => {
    state.last_answers = true
  }, LAST_ANSWERS_MS)
  const late = setTimeout(
    () => {
      for (const socket of connections.keys()) socket.destroy()
    },
    Math.max(0, until - performance.now()),
  )
  await closed
  for (const timer of [ending, hurrying, late]) clearTimeout(timer)
  server.close()
}
