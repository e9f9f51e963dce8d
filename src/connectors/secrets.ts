/** Keeps the secrets of a connection out of what an adapter says: systems quote requests in their errors. */
import type { OpenedConnection } from './adapter.ts'
import { CONNECTION_FIELDS, type ConnectableSystem } from './fields.ts'

const REMOVED = '[removed]'

/** Shorter ones would be found in any text. */
const MIN_CHARACTERS = 4

/** Removes the secrets of the connection from texts. */
export function secretRemover(
  system: ConnectableSystem,
  { settings }: OpenedConnection,
): (text: string) => string {
  const values: Readonly<Record<string, string | undefined>> = settings
  const secrets = CONNECTION_FIELDS[system].flatMap(({ name, secret }) => {
    const value = values[name]
    return secret && value !== undefined && value.length >= MIN_CHARACTERS
      ? [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]
      : []
  })
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text)
}

/** The error with its causes, whose texts have no secret any more. */
export function removeFromError(error: unknown, without: (text: string) => string): void {
  if (!(error instanceof Error)) return
  error.message = without(error.message)
  if (error.stack !== undefined) error.stack = without(error.stack)
  if (typeof error.cause === 'string') error.cause = without(error.cause)
  else removeFromError(error.cause, without)
}
