/** The owner of an address, to whom secrets of a connection may be sent. */
import { getDomain } from 'tldts'
import { isSafeAddress } from '../../lib/networks.ts'

/**
 * The registered domain: `webservices5.autotask.net` is one of `autotask.net`. Domains under the private suffix of a host, such
 * as `azurewebsites.net`, belong each to another customer of the host.
 */
const ownerOf = ({ hostname }: URL): string => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname

/** The address that the system at `site` told of, if it is as safe as that one and of the same owner; else null. */
export function ownAddress(text: string, site: URL): URL | null {
  const url = URL.parse(text)
  const is_own = url && isSafeAddress(url.href) && ownerOf(url) === ownerOf(site)
  return is_own && !url.username && !url.password ? url : null
}
