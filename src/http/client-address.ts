/** The client of a request, and the host that it asks for. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { type ClientAddress, isInNetworks } from '../lib/networks.ts'

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Headers of which Node takes the first and drops the others, by the length of their names. */
const SINGLE: Readonly<Record<number, string>> = { 4: 'host', 12: 'content-type', 13: 'authorization' }

/** The header that the request has more than once if only one can be meant. */
export function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  let lengths = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const single = SINGLE[name.length]
    if (single === undefined || name.toLowerCase() !== single) continue
    if (lengths & (1 << name.length)) return name
    lengths |= 1 << name.length
  }
  return undefined
}

const KNOWN_HOSTS = 100

/** Judges the `Host` of requests: the same ones come again and again. */
export function hostJudge(allowed: readonly string[]): (host: string | undefined) => boolean {
  const ours = new Set<string>()
  return (host) => {
    if (host !== undefined && ours.has(host)) return true
    if (host === undefined || !isOurHost(host, allowed)) return false
    if (ours.size < KNOWN_HOSTS) ours.add(host)
    return true
  }
}

/** True if `Host` is well formed, and one of the names the service goes by if those are given. */
function isOurHost(host: string, allowed: readonly string[]): boolean {
  // Ports over 65535 and addresses such as 1.2.3.4.5 have the form of a host, and are none.
  if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return false
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return allowed.length === 0 || allowed.includes(name)
}

/**
 * Tells the client's address: the socket's, or the nearest hop of `X-Forwarded-For` that is no trusted proxy. `warn` is
 * called once, if the header comes and no proxy is trusted.
 */
export function clientAddresses(
  trusted: readonly string[],
  warn: () => void,
): (req: IncomingMessage) => ClientAddress {
  if (trusted.length > 0) return (req) => nearestUntrusted(socketAddress(req), hopsOf(req), trusted)
  let warned = false
  return (req) => {
    if (!warned && req.headers['x-forwarded-for'] !== undefined) {
      warned = true
      warn()
    }
    return socketAddress(req)
  }
}

/** The socket's address. A connection that has ended has none. */
export const socketAddress = ({ socket }: Pick<IncomingMessage, 'socket'>): ClientAddress => ({
  ip: socket.remoteAddress ?? '0.0.0.0',
  is_sure: socket.remoteAddress !== undefined,
})

/** The hops that the header names, the nearest one last; none if it is missing. */
function hopsOf({ headers }: IncomingMessage): string[] {
  const forwarded = headers['x-forwarded-for']
  return forwarded === undefined ? [] : String(forwarded).split(',')
}

const WITH_PORT = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[\da-f.:]+)\](?::\d{1,5})?)$/i

/** The address in a hop, which may have a port; null for anything else, an IPv6 zone included. */
function addressOf(hop: string): string | null {
  const { v4, v6 } = WITH_PORT.exec(hop)?.groups ?? {}
  const address = v4 ?? v6 ?? hop
  const version = isIP(address)
  // Brackets are of IPv6 alone. A zone has a meaning on one machine only.
  if (version === 0 || (v6 !== undefined && version !== 6) || address.includes('%')) return null
  return address
}

/** Goes from the socket to the client as long as each hop is a trusted proxy that names the next one. */
function nearestUntrusted(
  socket: ClientAddress,
  hops: readonly string[],
  trusted: readonly string[],
): ClientAddress {
  let client = socket
  for (const hop of hops.toReversed()) {
    if (!isInNetworks(trusted, client.ip)) return client
    const ip = addressOf(hop.trim())
    if (ip === null) return { ...client, is_sure: false }
    client = { ...client, ip }
  }
  return client
}
