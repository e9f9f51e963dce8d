/** Redaction: the audit log holds no secrets, and an activity at most 64 KiB of a snapshot. */

const SECRET_NAMES =
  /^(?:key|key_hash|signature|authorization|cookie|credentials?|passphrase|pwd|.*(?:secret|token|password|api_?key|private_?key|access_?key))$/i
const SECRET_TEXT =
  /svc_sk_[a-z0-9-]+_[0-9A-Za-z]{7,}|Bearer\s+[\w.~+/=-]{8,}|(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g
const REMOVED = '[removed]'

/** The address of a feedback form, also within another address. Callers may send a signed one on: in their texts it is no secret. */
const FEEDBACK_FORM = /(?:\/|%2F)feedback(?:\/|%2F)fb_[^\s"<>]{1,300}/gi
const SIGNATURE = /(signature(?:=|%3D))[\w-]+/gi

const withoutSignatures = (text: string): string =>
  text.replace(FEEDBACK_FORM, (address) => address.replace(SIGNATURE, `$1${REMOVED}`))

const MAX_BYTES = 64 * 1024

/** Nothing stores more of one text, and some millions are more than the stack of a regular expression holds. */
const MAX_CHARACTERS = 2_000_000

const withoutSecrets = (text: string): string => text.slice(0, MAX_CHARACTERS).replace(SECRET_TEXT, REMOVED)

/** The value without secrets, which are recognised by the names of fields and by their form. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return withoutSignatures(withoutSecrets(value))
  if (value instanceof Date) return value.toISOString()
  if (ArrayBuffer.isView(value)) return REMOVED
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    SECRET_NAMES.test(name) ? REMOVED : redact(inner),
  ])
  return Object.fromEntries(entries)
}

/** True if a text in the value has the form of a secret. */
export function holdsSecret(value: unknown): boolean {
  if (typeof value === 'string') return withoutSecrets(value) !== value
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => holdsSecret(name) || holdsSecret(inner))
}

/** The snapshot as it is stored: without secrets, and only its size if it is over 64 KiB. */
export function activitySnapshot(value: unknown): unknown {
  const safe = redact(value)
  const bytes = Buffer.byteLength(JSON.stringify(safe))
  return bytes > MAX_BYTES ? { truncated: true, bytes } : safe
}
