/** Receivers of webhooks in the process of a test, one for each path of a server. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

/**
 * HEALTHY answers 204. SLOW does too, after seconds, and nothing before the receivers are opened. FAILING refuses an event by 500 at
 * random, once at most. SILENT never answers.
 */
export type Manner = 'HEALTHY' | 'SLOW' | 'FAILING' | 'SILENT' | 'REFUSING'

/** Longer than the two seconds after which an endpoint is slow. */
const SLOW_MS = 5_000
const FAILING = 0.3

export class Receiver {
  readonly manner: Manner
  readonly url: string
  /** The events that have reached it, by the `webhook-id`. */
  readonly reached = new Set<string>()
  /** The requests that no receiver should get: their signature or their id is wrong. */
  readonly problems: string[] = []
  /** Requests beyond the first of each event. */
  repeated = 0
  #webhook: Webhook | null = null
  readonly #refused = new Set<string>()
  readonly #opened: Promise<void>

  constructor(manner: Manner, url: string, opened: Promise<void>) {
    this.manner = manner
    this.url = url
    this.#opened = opened
  }

  /** The secret that its requests are signed by. */
  set secret(secret: string) {
    this.#webhook = new Webhook(secret)
  }

  /** The status of its answer; null: it gives none. */
  async receive(headers: Record<string, string>, body: string): Promise<number | null> {
    const id = headers['webhook-id'] ?? ''
    try {
      const event = this.#webhook?.verify(body, headers) as { id: string } | undefined
      if (event?.id !== id) this.problems.push(`${id} has the event ${event?.id}`)
    } catch (error) {
      this.problems.push(`${id}: ${error}`)
    }
    if (this.reached.has(id)) this.repeated++
    this.reached.add(id)
    if (this.manner === 'SILENT') return null
    if (this.manner === 'SLOW') {
      await this.#opened
      await sleep(SLOW_MS, undefined, { ref: false })
    }
    if (this.manner !== 'FAILING' || this.#refused.has(id) || Math.random() > FAILING) return 204
    this.#refused.add(id)
    return 500
  }
}

interface Receivers {
  all: Receiver[]
  /** Lets the slow ones answer. */
  open(): void
  close(): void
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An address at which connections are refused. */
async function closedAddress(): Promise<string> {
  const server = createServer()
  const address = await listening(server)
  await new Promise((resolve) => void server.close(resolve))
  return address
}

/** Starts receivers of these manners on one server. */
export async function startReceivers(manners: readonly Manner[]): Promise<Receivers> {
  const server = createServer(async (request, response) => {
    const receiver = all[Number(request.url?.slice(1))]
    const status = await receiver?.receive(request.headers as Record<string, string>, await text(request))
    if (status !== null) response.writeHead(status ?? 404).end()
  })
  // A connection that ends as a request is sent would be an attempt that failed.
  server.keepAliveTimeout = 0
  const [address, closed] = [await listening(server), await closedAddress()]
  const opening = Promise.withResolvers<void>()
  const all = manners.map(
    (manner, index) =>
      new Receiver(manner, `${manner === 'REFUSING' ? closed : address}/${index}`, opening.promise),
  )
  return {
    all,
    open: opening.resolve,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
