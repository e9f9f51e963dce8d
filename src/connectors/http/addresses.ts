/** The judgement of the addresses that connections to other systems are made to. */
import { type LookupAddress, NOTFOUND, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isAllowedAddress } from '../../lib/allowed-addresses.ts'

/** The connection names an address that nothing may be asked of. */
export class AddressRefused extends Error {
  constructor() {
    super('The address is not a public one')
  }
}

/** Names for documentation and tests (RFC 2606, RFC 6761), which belong to nobody. */
const RESERVED_NAME = /(?:^|\.)(?:example|invalid|test)\.?$/i

/** The lookup of the system. No DNS server is asked for a reserved name. */
const defaultLookup: LookupFunction = (hostname, options, callback) => {
  if (RESERVED_NAME.test(hostname))
    callback(Object.assign(new Error('The name is reserved'), { code: NOTFOUND }), '')
  else systemLookup(hostname, options, callback)
}

interface ConnectorOptions {
  allow_private: boolean
  connect_ms: number
  lookup?: LookupFunction
}

/**
 * Connects to allowed addresses only. A name is resolved once for each connection, and what is judged are the very
 * addresses that are connected to. A name with one that is not allowed is refused as a whole.
 */
export function judgedConnector({
  allow_private,
  connect_ms,
  lookup = defaultLookup,
}: ConnectorOptions): buildConnector.connector {
  const judgedLookup: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, answer) => {
      if (error) return callback(error, '')
      const addresses = answer as unknown as LookupAddress[]
      const [first] = addresses
      if (!first || addresses.some(({ address }) => !isAllowedAddress(address, allow_private)))
        return callback(new AddressRefused(), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  const connect = buildConnector({ timeout: connect_ms, allowH2: false, lookup: judgedLookup })
  return (options, callback) => {
    // Node looks up no host that is an address itself. URL has turned decimal and octal forms into the usual one.
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowedAddress(host, allow_private)) callback(new AddressRefused(), null)
    else connect(options, callback)
  }
}
