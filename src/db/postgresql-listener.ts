/** Notifications of PostgreSQL, over a connection of their own that is made again after every outage. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Listener } from './driver.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Listens until the result is called. */
export function listenOn(
  config: pg.ClientConfig,
  channel: string,
  { connected, notified }: Listener,
): () => Promise<void> {
  const stopping = new AbortController()
  let client: pg.Client | undefined

  /** Resolves once the connection is lost. */
  async function listenOnce(): Promise<void> {
    const own = new pg.Client({ ...config, keepAlive: true })
    client = own
    const lost = new Promise<void>((done) => own.once('end', done))
    own.on('error', () => void own.end().catch(() => {}))
    own.on('notification', ({ payload = '' }) => notified(payload))
    try {
      const listening = own.connect().then(() => own.query(`listen ${pg.escapeIdentifier(channel)}`))
      // A client that is ended while it connects tells of its end alone.
      await Promise.race([listening, lost])
      if (stopping.signal.aborted) return
      connected()
      await lost
    } finally {
      await own.end().catch(() => {})
    }
  }

  async function listen(): Promise<void> {
    let pause_ms = FIRST_PAUSE_MS
    while (!stopping.signal.aborted) {
      const lasted = await listenOnce().then(
        () => true,
        () => false,
      )
      pause_ms = lasted ? FIRST_PAUSE_MS : Math.min(pause_ms * 2, LONGEST_PAUSE_MS)
      await sleep(pause_ms, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const listening = listen()
  return async () => {
    stopping.abort()
    await client?.end().catch(() => {})
    await listening
  }
}
