/** A thousand subscribers on one process: how long it takes until all of them know of a change, and what they cost. */

import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contender.ts'
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import { ENVIRONMENT } from '../data/tenants.ts'
import { headersOf } from '../load.ts'
import { progress } from '../progress.ts'
import { chainOf, runsDatabase, subscriberKeys, tenants, ticketOf } from './data.ts'
import { runByRest, startApi } from './processes.ts'

export const SUBSCRIBERS = 1_000

export interface Subscribed {
  /** Milliseconds from the change until the first subscriber, and until the last one, had it: of each change. */
  first_ms: number[]
  last_ms: number[]
  /** Updates that did not come, and streams that ended. */
  missing: number
  ended: number
  megabytes: { without: number; with: number }
  /** Milliseconds of CPU of the process: for each update that a subscriber gets, and in a second without changes. */
  update_cpu_ms: number
  idle_cpu_ms: number
}

const QUERY = 'subscription { execution_updates { id execution { execution_id status updated_at } } }'

/** Until then every subscriber has an update, or it is missing. */
const PATIENCE_MS = 30_000
const LOOK_MS = 5

class Subscribers {
  readonly #requests: ClientRequest[] = []
  readonly #agent = new Agent({ maxSockets: SUBSCRIBERS })
  open = 0
  updates = 0
  ended = 0
  /** When the first update since the count was reset came, and the latest. */
  first_at = 0
  last_at = 0

  constructor(base: string, count: number) {
    for (let number = 0; number < count; number++)
      this.#subscribe(base, subscriberKeys[number % subscriberKeys.length] ?? '')
  }

  #subscribe(base: string, key: string): void {
    const headers = { ...headersOf(key), accept: 'text/event-stream' }
    const sent = request(`${base}/graphql`, { method: 'POST', headers, agent: this.#agent }, (response) => {
      if (response.statusCode !== 200) throw new Error(`A subscriber got ${response.statusCode}`)
      this.#follow(response)
    })
    sent.on('error', () => {})
    sent.end(JSON.stringify({ query: QUERY }))
    this.#requests.push(sent)
  }

  #follow(response: IncomingMessage): void {
    this.open++
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) if (message.includes('event: next')) this.#updated(message)
    })
    response.on('close', () => this.ended++)
  }

  #updated(message: string): void {
    if (message.includes('"errors"')) throw new Error(`An update has errors: ${message.slice(0, 500)}`)
    this.updates++
    this.last_at = performance.now()
    this.first_at ||= this.last_at
  }

  forget(): void {
    this.updates = 0
    this.first_at = 0
  }

  close(): void {
    this.#agent.destroy()
    for (const sent of this.#requests) sent.destroy()
  }
}

async function until(reached: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!reached() && performance.now() < end) await sleep(LOOK_MS)
}

/** A change of its status, as a worker makes it in another process. */
const CHANGE = `update execution
  set status = (case status when 'NEW' then 'RUNNING' else 'NEW' end)::execution_status, updated_at = now()
  where tenant_id = $1 and environment = '${ENVIRONMENT}' and execution_id = $2`

const IDLE_MS = 3_000
/** A subscriber's stream begins with a comment before it follows the changes. */
const SETTLE_MS = 1_000

async function measureOn(api: Contender, url: string, changes: number): Promise<Subscribed> {
  const [tenant] = tenants
  if (!tenant) throw new Error('There are no tenants')
  const execution_id = await runByRest(api.base, { tenant, agent_id: chainOf(0), ticket_id: ticketOf(0) })
  const one = new Subscribers(api.base, 1)
  await until(() => one.open === 1)
  await sleep(SETTLE_MS)
  one.close()
  await sleep(SETTLE_MS)
  const without = api.memory()
  const all = new Subscribers(api.base, SUBSCRIBERS)
  await until(() => all.open === SUBSCRIBERS)
  if (all.open < SUBSCRIBERS) throw new Error(`Only ${all.open} subscribers were let in`)
  await sleep(SETTLE_MS)
  const measured: Subscribed = {
    first_ms: [],
    last_ms: [],
    missing: 0,
    ended: 0,
    update_cpu_ms: 0,
    idle_cpu_ms: 0,
    megabytes: { without, with: 0 },
  }
  const before_idle = api.cpu()
  await sleep(IDLE_MS)
  measured.idle_cpu_ms = ((api.cpu() - before_idle) / IDLE_MS) * 1_000_000
  await connected(url, async (client) => {
    const before = api.cpu()
    for (let change = 0; change < changes; change++) {
      all.forget()
      const changed_at = performance.now()
      await client.query(CHANGE, [tenant.id, execution_id])
      await until(() => all.updates >= SUBSCRIBERS)
      measured.missing += SUBSCRIBERS - all.updates
      measured.first_ms.push(all.first_at - changed_at)
      measured.last_ms.push(all.last_at - changed_at)
      await sleep(SETTLE_MS / 2)
    }
    measured.update_cpu_ms = ((api.cpu() - before) / (changes * SUBSCRIBERS)) * 1000
  })
  measured.megabytes.with = api.memory()
  measured.ended = all.ended
  all.close()
  return measured
}

export async function measureSubscribers(changes: number): Promise<Subscribed> {
  progress(`${SUBSCRIBERS} subscribers on one process`)
  return await onCopy(await runsDatabase(), async (url) => {
    const api = await startApi('api', url)
    try {
      return await measureOn(api, url, changes)
    } finally {
      await api.stop()
    }
  })
}
