/** The domains by which a company is told from others. */
import mailHosts from 'email-providers/all.json' with { type: 'json' }
import { parse } from 'tldts'
import { MAIL_HOSTS, MAIL_LABELS, SHARED_HOSTS, STATE_HOST, TENANT_HOSTS } from './shared-hosts.ts'

const SHARED: ReadonlySet<string> = new Set([...mailHosts, ...MAIL_HOSTS, ...SHARED_HOSTS])

/** Labels that are no name of a customer: `acme.mail.onmicrosoft.com`, `www.acme.wix.com`, `www.nhs.uk`. */
const TECHNICAL: ReadonlySet<string> = new Set(['mail', 'www'])

/**
 * The registrable domain of an address or host, such as `acme.co.uk` of `mail.acme.co.uk`. null: it is no public
 * domain, or one of a host that many share.
 */
export function ownDomain(text: string): string | null {
  const { domain, hostname, isIcann, isPrivate } = parse(text, { allowPrivateDomains: true })
  if (domain === null || hostname === null || !(isIcann || isPrivate)) return null
  if (TENANT_HOSTS.has(domain) || STATE_HOST.test(domain)) {
    const labels = hostname.slice(0, -domain.length).split('.')
    const name = labels.findLast((each) => each !== '' && !TECHNICAL.has(each))
    return name === undefined ? null : `${name}.${domain}`
  }
  const label = domainLabel(domain)
  const is_suffix = TECHNICAL.has(label) && domain.split('.').length > 2
  return is_suffix || MAIL_LABELS.has(label) || SHARED.has(domain) ? null : domain
}

/** Distinct registrable domains, without those of shared hosts. */
export const ownDomains = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => ownDomain(text) ?? [])),
]

/** The domain without its public suffix: `acme` of `acme.co.uk`. */
export const domainLabel = (domain: string): string => domain.slice(0, domain.indexOf('.'))
