/** Networks that a key may be used from, in CIDR notation; and addresses that keys may be fetched from. */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** Bits before the IPv4 address in an IPv4-mapped IPv6 address. */
const MAPPED_BITS = 96

function parseNetwork(text: string): Network {
  const [address, bits] = ipaddr.parseCIDR(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? [address.toIPv4Address(), bits - MAPPED_BITS]
    : [address, bits]
}

/** Whether the text names a network: `203.0.113.0/24`, `2001:db8::/32`. */
export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text)

/** Whether the address lies in one of the networks; an IPv4-mapped IPv6 address is its IPv4 address. */
export function isWithin(networks: readonly string[], ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return networks.some((text) => {
    const [network, bits] = parseNetwork(text)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Whether nobody on the way can change what the address answers: https, or http on this machine. */
export function isSafeAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

const IPV6_HEXTETS = 4

/** Whom an address's limits count against: an IPv6 client owns its whole /64. */
export function limitedAddress(ip: string): string {
  if (!ip.includes(':')) return ip
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, IPV6_HEXTETS)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
