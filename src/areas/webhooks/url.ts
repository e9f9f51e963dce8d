/** The addresses that endpoints may have. Each is judged again at every connection. */
import { isIP } from 'node:net'
import { bodyProblem, type FieldError } from '../../errors/errors.ts'
import { isAllowedAddress } from '../../lib/allowed-addresses.ts'

const LOOPBACK_NAME = /^(?:.+\.)?localhost\.?$/

const isLoopback = (host: string): boolean =>
  LOOPBACK_NAME.test(host) || host === '127.0.0.1' || host === '::1'

/** The problem with an address, in words that go on after the field's name; null if there is none. */
function problemWith(text: string, allow_private: boolean): string | null {
  const url = URL.parse(text)
  if (!url) return 'must be an address'
  const { protocol, hostname, username, password } = url
  if (username !== '' || password !== '') return 'must have no user and no password'
  if (text.includes('#')) return 'must have no fragment'
  const host = hostname.replace(/^\[|\]$/g, '')
  const is_loopback = isLoopback(host)
  if (protocol !== 'https:' && !(allow_private && protocol === 'http:' && is_loopback)) return 'must be https'
  const is_private =
    isIP(host) === 0 ? LOOPBACK_NAME.test(host) && !allow_private : !isAllowedAddress(host, allow_private)
  return is_private ? 'must be of a public host' : null
}

export function urlProblems(text: string, allow_private: boolean): FieldError[] {
  const problem = problemWith(text, allow_private)
  return problem === null ? [] : [bodyProblem('url', 'not_allowed', problem)]
}
