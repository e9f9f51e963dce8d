/** Clients of subscriptions, as docs/subscriptions.md shows them, while processes of the service are replaced. */
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Client, subscriptionExchange } from '@urql/core'
import { EventSource } from 'eventsource'
import { createClient } from 'graphql-sse'
import { expect, onTestFinished, test } from 'vitest'
import { subscribe } from '../setup/streams.ts'
import { until } from '../setup/until.ts'
import type { Caller } from '../setup/world.ts'
import { call, demoPlace, type Environment, type Service, startService } from './service.ts'

const embedded = !process.env.DATABASE_URL

const UPDATES = `subscription ($after: Cursor) {
  execution_updates(agent_id: 9, after: $after) { id at status execution { execution_id } }
}`
const LIVE = UPDATES.replace(' ($after: Cursor)', '').replace(', after: $after', '')

interface Result {
  data?: { execution_updates: { at: string; status: string; execution: { execution_id: string } } }
  errors?: unknown
  error?: unknown
}

/** The updates that a client got, and its errors. */
interface Told {
  updates: string[]
  problems: unknown[]
}

const inWords = ({ at, status, execution }: NonNullable<Result['data']>['execution_updates']) =>
  `${execution.execution_id} ${status} ${at}`

interface Connection {
  url: string
  token: string
}

interface Sink {
  next(result: Result): void
  error(error: unknown): void
  complete(): void
}

interface Examples {
  follow(connection: Connection, operation: { query: string }, sink: Sink): () => void
  urqlClient(connection: Connection): Client
  eventSource(connection: Connection, query: string, next: (result: Result) => void): EventSource
}

/** The functions of the documentation, as they stand there. */
async function examples(): Promise<Examples> {
  const text = await readFile(new URL('../../docs/subscriptions.md', import.meta.url), 'utf8')
  const code = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, block = '']) => block).join('\n')
  const body = code.replaceAll(/^import .*\n/gm, '').replaceAll(/^export /gm, '')
  const imported = { createClient, Client, subscriptionExchange, EventSource }
  const make = new Function(...Object.keys(imported), `${body}\nreturn { follow, urqlClient, eventSource }`)
  return make(...Object.values(imported))
}

/** A load balancer, which passes connections on to the process that it is turned to. */
async function balancer() {
  const sockets = new Set<Socket>()
  let port = 0
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
      one.pipe(other)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    turnTo(service: Service) {
      port = service.port
    },
  }
}

/** Follows the executions with each of the clients. */
async function followers(connection: Connection): Promise<Record<string, Told>> {
  const { follow, urqlClient, eventSource } = await examples()
  const told = (): Told => ({ updates: [], problems: [] })
  const clients = { graphql_sse: told(), urql: told(), event_source: told() }
  const take = ({ updates, problems }: Told, { data, errors, error }: Result) => {
    if (data) updates.push(inWords(data.execution_updates))
    else problems.push(errors ?? error)
  }
  const stop = follow(
    connection,
    { query: LIVE },
    {
      next: (result) => take(clients.graphql_sse, result),
      error: (error) => clients.graphql_sse.problems.push(error),
      complete: () => clients.graphql_sse.problems.push('complete'),
    },
  )
  const { unsubscribe } = urqlClient(connection)
    .subscription(LIVE, {})
    .subscribe((result) => take(clients.urql, result as Result))
  const source = eventSource(connection, LIVE, (result) => take(clients.event_source, result))
  onTestFinished(() => {
    stop()
    unsubscribe()
    source.close()
  })
  return clients
}

/** Clients wait up to half a minute between their tries. */
const soon = (condition: Parameters<typeof until>[0]) => until(condition, 180_000)

test('clients miss nothing, and are told nothing twice, while processes are replaced', {
  timeout: 600_000,
}, async () => {
  const place = await demoPlace()
  onTestFinished(place.remove)
  const start = async (): Promise<Service> => {
    const service = await startService(place.env as Environment)
    onTestFinished(async () => void (await service.stop('SIGKILL')))
    return service
  }
  const front = await balancer()
  let service = await start()
  front.turnTo(service)
  const key = { token: service.key } as Caller
  const streams = async () => {
    const metrics = await (await fetch(`${service.base}/metrics`)).text()
    return Number(/^graphql_streams_open (\d+)$/m.exec(metrics)?.[1])
  }

  /** Runs the agent, through the process that serves. */
  const run = async () => {
    const sent = { method: 'POST', body: { entity_id: '150000' } }
    const { body } = await call(service, service.key, '/agents/9/run-now', sent)
    return body.data.execution_id as string
  }
  const complete = async (execution_id: string) => {
    await soon(async () => {
      const { body } = await call(service, service.key, `/executions/${execution_id}`)
      return body.data?.status === 'COMPLETED'
    })
  }
  /** Replaces the process. The execution runs while the clients are away from the one and not yet at the other. */
  const replace = async () => {
    const old = service
    if (embedded) await old.stop()
    service = await start()
    front.turnTo(service)
    const ended = old.stop()
    await complete(await run())
    expect((await ended).code).toBe(0)
  }

  const origin = await subscribe(key, UPDATES, { base: service.base })
  await soon(() => origin.begins() !== undefined)
  const after = origin.begins()
  const clients = await followers({ url: front.url, token: service.key })
  await soon(async () => (await streams()) === 4)

  // At first no client has had an update.
  await replace()
  await soon(async () => (await streams()) === 3)
  await complete(await run())
  await replace()
  await soon(async () => (await streams()) === 3)
  const last = await run()
  await complete(last)

  const whole = await subscribe(key, UPDATES, { base: service.base, variables: { after } })
  const ofAll = () => whole.updates().map(inWords)
  const isLast = (update: string) => update.startsWith(`${last} COMPLETED`)
  await soon(() => ofAll().some(isLast))
  expect(ofAll().filter((update) => update.includes('COMPLETED'))).toHaveLength(4)
  for (const [client, { updates, problems }] of Object.entries(clients)) {
    await soon(() => updates.some(isLast))
    expect([client, updates.toSorted(), problems]).toEqual([client, ofAll().toSorted(), []])
  }
})
