/** The client of a request, and the host that it asks for. */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { isInNetworks } from '../lib/networks.ts'

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Headers of which Node takes the first and drops the others, by the length of their names. */
const SINGLE: Readonly<Record<number, string>> = { 4: 'host', 12: 'content-type', 13: 'authorization' }

/** The header that the request has more than once where only one can be meant. */
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

/** True where `Host` is well formed, and one of the names the service goes by where those are given. */
function isOurHost(host: string, allowed: readonly string[]): boolean {
  // Ports over 65535 and addresses such as 1.2.3.4.5 have the form of a host, and are none.
  if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return false
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return allowed.length === 0 || allowed.includes(name)
}

/**
 * Tells the client's address: the socket's, or the nearest hop of `X-Forwarded-For` that is no trusted proxy. `warn` is
 * called once, where the header comes and no proxy is trusted.
 */
export function clientAddresses(
  trusted: readonly string[],
  warn: () => void,
): (req: IncomingMessage) => string {
  if (trusted.length > 0) return (req) => nearestUntrusted(req, trusted)
  let warned = false
  return ({ headers, socket }) => {
    if (!warned && headers['x-forwarded-for'] !== undefined) {
      warned = true
      warn()
    }
    return socket.remoteAddress ?? '0.0.0.0'
  }
}

function nearestUntrusted(req: IncomingMessage, trusted: readonly string[]): string {
  const socket = req.socket.remoteAddress ?? '0.0.0.0'
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',')
  const hops = [...forwarded.map((hop) => hop.trim()).filter((hop) => ipaddr.isValid(hop)), socket]
  return hops.findLast((hop) => !isInNetworks(trusted, hop)) ?? socket
}
