/** The domains by which a company is told from others. */
import mailHosts from 'email-providers/all.json' with { type: 'json' }
import { parse } from 'tldts'

const SHARED: ReadonlySet<string> = new Set(mailHosts)

/** Hosts that give each customer a name of its own below theirs, and that the public suffix list does not have. */
const TENANT_HOSTS = ['onmicrosoft.com', 'onmicrosoft.us', 'onmicrosoft.de']

/**
 * The registrable domain of an address or host, such as `acme.co.uk` of `mail.acme.co.uk`. null: it is no public
 * domain, or one of a mail host that many share.
 */
export function ownDomain(text: string): string | null {
  const { domain, hostname, isIcann, isPrivate } = parse(text, { allowPrivateDomains: true })
  if (domain === null || hostname === null || !(isIcann || isPrivate) || SHARED.has(domain)) return null
  if (!TENANT_HOSTS.includes(domain)) return domain
  const label = hostname.slice(0, -domain.length - 1).split('.')[0]
  return label ? `${label}.${domain}` : null
}

/** Distinct registrable domains, without those of mail hosts. */
export const ownDomains = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => ownDomain(text) ?? [])),
]

/** The domain without its public suffix: `acme` of `acme.co.uk`. */
export const domainLabel = (domain: string): string => domain.slice(0, domain.indexOf('.'))
