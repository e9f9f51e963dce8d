/** The mail server, as its URL names it. */
import { isLoopback } from './networks.ts'

/** The place of a mail server, and how it is spoken with. */
export interface MailServer {
  host: string
  /** null: the usual port of the protocol. */
  port: number | null
  /** TLS from the first byte. */
  secure: boolean
  /** Nothing is sent without TLS; otherwise TLS begins if the server offers it. */
  require_tls: boolean
  credentials: { user: string; pass: string } | null
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const PARAMETER = 'requireTLS'

/** The server of the URL, or a problem with it in words that hold nothing of it. */
export function mailServerOf(address: string): MailServer | string {
  const url = URL.parse(address)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    return 'must be an address such as smtp://user:password@mail.example:587'
  const { protocol, hostname, port, pathname, hash, searchParams } = url
  const user = decoded(url.username)
  const pass = decoded(url.password)
  // A password crosses a network in plain text only if the URL says so.
  const usual = String(user !== '' && !isLoopback(hostname))
  const [require_tls = usual, ...more] = searchParams.getAll(PARAMETER)
  const others = [...searchParams.keys()].filter((name) => name !== PARAMETER)
  if (others.length + more.length > 0 || !['true', 'false'].includes(require_tls))
    return `has the parameter ${PARAMETER} alone, which is true or false`
  if (hash !== '' || !['', '/'].includes(pathname)) return 'must have no path'
  if (user === null || pass === null) return 'must have its user and password in percent-encoding'
  if ((user === '') !== (pass === '')) return 'must hold both user and password, or none'
  const secure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? null : Number(port),
    secure,
    require_tls: secure || require_tls === 'true',
    credentials: user === '' ? null : { user, pass },
  }
}
