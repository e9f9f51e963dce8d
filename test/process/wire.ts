/** A wire between the service and its database, which can be cut or held. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Wire {
  /** The database's address, by way of this wire. */
  url: string
  /** Connections break, and no new ones come about. */
  cut(): void
  /** Connections stay and new ones are accepted, but nothing gets through. */
  freeze(): void
  /** As if nothing had happened; what was held arrives. */
  restore(): void
  close(): void
}

type State = 'open' | 'cut' | 'frozen'

export async function wireTo(database_url: string): Promise<Wire> {
  const target = new URL(database_url)
  const pairs = new Set<[Socket, Socket]>()
  let state: State = 'open'

  const join = (pair: [Socket, Socket]): void => {
    const [client, server] = pair
    client.pipe(server)
    server.pipe(client)
  }
  const hold = ([client, server]: [Socket, Socket]): void => {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.unpipe(to)
      from.pause()
    }
  }
  const listener = createServer((client) => {
    if (state === 'cut') return client.destroy()
    const server = connect(Number(target.port || 5432), target.hostname)
    const pair: [Socket, Socket] = [client, server]
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        for (const each of pair) each.destroy()
      })
    }
    if (state === 'open') join(pair)
    else hold(pair)
    return undefined
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((listener.address() as AddressInfo).port)

  const cut = (): void => {
    state = 'cut'
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    freeze: () => {
      state = 'frozen'
      for (const pair of pairs) hold(pair)
    },
    restore: () => {
      state = 'open'
      for (const pair of pairs) join(pair)
    },
    close: () => {
      cut()
      listener.close()
    },
  }
}
