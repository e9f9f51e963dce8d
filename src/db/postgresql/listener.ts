/** Notifications of PostgreSQL, over a connection of their own that is made again after every outage. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Listener } from '../driver.ts'
import { SESSION_SETTINGS } from '../session-settings.ts'
import { KEEP_ALIVE } from './keep-alive.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** A connection that is closed and does not say so is left to the system. */
const END_MS = 1_000

const end = (client: pg.Client): Promise<unknown> =>
  Promise.race([client.end().catch(() => {}), sleep(END_MS, undefined, { ref: false })])

/** Listens until the result is called. A connection that gives no answer within `query_timeout` is made again. */
export function listenOn(
  config: pg.ClientConfig & { query_timeout: number },
  channel: string,
  { connected, notified }: Listener,
): () => Promise<void> {
  const stopping = new AbortController()
  let client: pg.Client | undefined

  /** Resolves once the connection gives no answer. Nothing else would tell of one that died without a word. */
  async function silence(own: pg.Client): Promise<void> {
    for (let answers = true; answers; ) {
      await sleep(config.query_timeout, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      answers = await own.query('select 1').then(
        () => !stopping.signal.aborted,
        () => false,
      )
    }
  }

  /** Resolves once the connection is lost. */
  async function listenOnce(): Promise<void> {
    const own = new pg.Client({ ...config, ...KEEP_ALIVE })
    client = own
    const lost = new Promise<void>((done) => own.once('end', done))
    own.on('error', () => void own.end().catch(() => {}))
    own.on('notification', ({ payload = '' }) => notified(payload))
    try {
      const listening = own
        .connect()
        .then(() => own.query(SESSION_SETTINGS))
        .then(() => own.query(`listen ${pg.escapeIdentifier(channel)}`))
      // A client that is ended while it connects tells of its end alone.
      await Promise.race([listening, lost])
      if (stopping.signal.aborted) return
      connected()
      await Promise.race([lost, silence(own)])
    } finally {
      await end(own)
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
    if (client) await end(client)
    await listening
  }
}
