/** A TCP proxy before PostgreSQL, which can go silent as a broken network does: it closes nothing, and drops every byte. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface SilentProxy {
  /** The address of the database, by way of the proxy. */
  url: string
  /** Drops what the connections that are open carry from then on. New ones are served. */
  silence(): void
  /** Drops everything, until `heal`. */
  cut(): void
  heal(): void
  close(): void
}

export async function silentProxy(database_url: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(database_url)
  const sockets = new Set<Socket>()
  let silent = new Set<Socket>()
  let is_cut = false
  const server = createServer((near) => {
    const far = connect(Number(port) || 5432, hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      if (is_cut) silent.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => {
        if (!silent.has(from)) to.write(bytes)
      })
      from.on('close', () => {
        if (!silent.has(from)) to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database_url)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const silence = () => {
    silent = new Set(sockets)
  }
  return {
    url: url.href,
    silence,
    cut() {
      silence()
      is_cut = true
    },
    heal() {
      is_cut = false
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
