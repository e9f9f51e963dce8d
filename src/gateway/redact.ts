/** Redaction: an activity row holds no secrets and at most 64 KiB of a snapshot. */

const SECRET_NAMES =
  /^(?:key|secret|token|password|signature|authorization|key_hash|.*_(?:secret|token|password))$/i
const SECRET_TEXT =
  /svc_sk_[a-z0-9-]+_[0-9A-Za-z]{7,}|Bearer\s+[\w.~+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----/g
const REMOVED = '[removed]'
const MAX_BYTES = 64 * 1024

/** The value without secrets, which are recognised by the names of fields and by their form. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(SECRET_TEXT, REMOVED)
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

/** The snapshot as it is stored: without secrets, and only its size where it is over 64 KiB. */
export function activitySnapshot(value: unknown): unknown {
  const safe = redact(value)
  const bytes = Buffer.byteLength(JSON.stringify(safe))
  return bytes > MAX_BYTES ? { truncated: true, bytes } : safe
}
