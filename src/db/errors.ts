/** Classifies the errors of a database, whichever layer they come from: outage, or conflict. */

const OUTAGE_CODES = new Set([
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])
/** Connection lost, out of resources, shutting down or starting up, statement timeout, tables not there yet. */
const OUTAGE_STATES = /^(08...|53...|57P0.|57014|25P03|42P01)$/
const OUTAGE_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
])
/** `pg` gives these no code, and the engine of migrations none of its errors. */
const OUTAGE_MESSAGES =
  /terminating connection|the database system is (?:shutting|starting)|timeout exceeded when trying to connect|timeout expired|wait for (?:a connection|the database)|Query read timeout|Connection terminated|not queryable|Cannot use a pool after calling end/

/** A pooler's refusal of how the service connects, which has the state of a broken connection. */
const NO_OUTAGE_MESSAGE = /unsupported startup parameter/

/** The database did not answer, or not in time; another try may succeed. */
export const isOutage = (error: unknown): boolean =>
  !anyCause(error, ({ message }) => NO_OUTAGE_MESSAGE.test(message)) &&
  anyCause(
    error,
    ({ code, kind, message }) =>
      OUTAGE_CODES.has(code) ||
      OUTAGE_STATES.test(code) ||
      OUTAGE_KINDS.has(kind) ||
      OUTAGE_MESSAGES.test(message),
  )

const UNREADABLE_TIME = 'UNREADABLE_TIME'

/** The error of a time that the database sent and nobody can read. */
export const unreadableTime = (text: string): Error =>
  Object.assign(new Error(`The database sent a time that cannot be read: ${text}`), { code: UNREADABLE_TIME })

/** The database sent a time that cannot be read: nothing may be decided by it. */
export const isUnreadableTime = (error: unknown): boolean =>
  anyCause(error, ({ code }) => code === UNREADABLE_TIME)

const DISK_FULL_CODES = new Set(['53100', 'ENOSPC', 'EDQUOT'])
const DISK_FULL_MESSAGE = /No space left on device/

/** The database, or a folder, could not be written to for lack of space. */
export const isDiskFull = (error: unknown): boolean =>
  anyCause(error, ({ code, message }) => DISK_FULL_CODES.has(code) || DISK_FULL_MESSAGE.test(message))

const CONFLICT_CODES = new Set(['P2034', '40001', '40P01', 'P2002', '23505'])
const CONFLICT_KINDS = new Set(['TransactionWriteConflict', 'UniqueConstraintViolation'])

/**
 * A serialization failure, a deadlock, or a unique violation by a row that another transaction wrote meanwhile: the
 * same transaction may succeed, or be refused properly, when tried again.
 */
export const isConflict = (error: unknown): boolean =>
  anyCause(error, ({ code, kind }) => CONFLICT_CODES.has(code) || CONFLICT_KINDS.has(kind))

/** Data exceptions, broken constraints and exceeded limits: what a row holds cannot be stored, now or later. */
const REFUSED_STATES = /^(22|23|54)[0-9A-Z]{3}$/

/** The database refuses the values of a row. */
export const isRefusedValue = (error: unknown): boolean =>
  anyCause(error, ({ code }) => REFUSED_STATES.test(code))

interface ErrorFacts {
  code: string
  kind: string
  message: string
}

/** True if the error matches, or one that it was made of: Prisma's `cause` and `meta`, several addresses tried. */
const anyCause = (error: unknown, matches: (shape: ErrorFacts) => boolean, depth = 0): boolean => {
  if (typeof error !== 'object' || error === null || depth > 8) return false
  const { code, originalCode, kind, message, cause, meta, driverAdapterError, errors } = error as Record<
    string,
    unknown
  >
  const codes = [code, originalCode].filter((value) => typeof value === 'string')
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return (
    [...codes, ''].some((each) => matches({ code: each, kind: text(kind), message: text(message) })) ||
    [cause, meta, driverAdapterError, ...(Array.isArray(errors) ? errors : [])].some((inner) =>
      anyCause(inner, matches, depth + 1),
    )
  )
}
