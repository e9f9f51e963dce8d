/** The addresses that may be connected to on behalf of a tenant. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isInNetworks } from './networks.ts'

/** Global unicast addresses of IPv6. All others are special, also those that no registry has given a purpose yet. */
const GLOBAL_UNICAST = ['2000::/3']

/**
 * Never connected to, whatever else is allowed: services of cloud providers that give a machine its credentials and have
 * an address that is private or public.
 */
const METADATA = ['168.63.129.16/32', 'fd00:ec2::254/128']

const PRIVATE = ['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7']

/** The IPv4 address that a translator of the well-known prefix connects to (RFC 6052). */
const NAT64 = '64:ff9b::/96'
const IPV4_BYTES = 4

function reached(ip: string): string {
  if (!isInNetworks([NAT64], ip)) return ip
  return ipaddr.fromByteArray(ipaddr.parse(ip).toByteArray().slice(-IPV4_BYTES)).toString()
}

/** True for a public address; `allow_private`: for one of the loopback interface and of a private network too. */
export function isAllowedAddress(ip: string, allow_private: boolean): boolean {
  // A zone is of a link's own addresses.
  if (isIP(ip) === 0 || ip.includes('%')) return false
  const address = ipaddr.process(reached(ip))
  const text = address.toString()
  if (isInNetworks(METADATA, text)) return false
  if (allow_private && isInNetworks(PRIVATE, text)) return true
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || isInNetworks(GLOBAL_UNICAST, text)
}
