/** IP networks in CIDR notation, and addresses. */
import ipaddr from 'ipaddr.js'

/** The address that a request comes from. */
export interface ClientAddress {
  ip: string
  /** False if a trusted proxy names a client that cannot be read: `ip` is then that proxy's. */
  is_sure: boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** Prefix bits of an IPv4-mapped IPv6 address. */
const MAPPED_BITS = 96

function parseNetwork(text: string): Network {
  const [address, bits] = ipaddr.parseCIDR(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? [address.toIPv4Address(), bits - MAPPED_BITS]
    : [address, bits]
}

/** The form of a network in CIDR notation; `isNetwork` judges its numbers too. */
export const NETWORK = /^[0-9A-Fa-fx:.]+(?:%[0-9A-Za-z]+)?\/\d{1,3}$/

/** True for CIDR notation: `203.0.113.0/24`, `2001:db8::/32`. */
export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text)

/** The network of one address, which has no zone; any other text as it is. */
export function asNetwork(text: string): string {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return `${text}/32`
  return ipaddr.IPv6.isValid(text) && !text.includes('%') ? `${text}/128` : text
}

/** True if a network contains the address. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export function isInNetworks(networks: readonly string[], ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return networks.some((text) => {
    const [network, bits] = parseNetwork(text)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** True for the host of a URL that is this machine: nobody reads on the way. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.has(hostname)

/** True for a URL whose responses cannot be changed in transit: https, or http on the loopback interface. */
export function isSafeAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

const IPV6_HEXTETS = 4

/** The address that rate limits count: an IPv6 client has a whole /64, so its network counts. */
export function rateLimitAddress(ip: string): string {
  if (!ip.includes(':')) return ip
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, IPV6_HEXTETS)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
