/** The fields of the rows of ConnectWise PSA, as `fields`, `conditions` and `orderBy` name them. Others are refused. */
import { Refusal, type Row } from '../vendor.ts'

export type Kind = 'number' | 'string' | 'boolean' | 'time'

/** A reference is a form of its own, and a list has the form of its items. */
export interface Form {
  readonly [name: string]: Kind | Form | readonly [Form]
}

const REFERENCE: Form = { id: 'number', name: 'string' }
const INFO: Form = { lastUpdated: 'time', dateEntered: 'time' }

export const CHOICE: Form = REFERENCE
export const STATUS: Form = {
  ...REFERENCE,
  closedStatus: 'boolean',
  sortOrder: 'number',
  inactive: 'boolean',
}
export const BOARD: Form = { ...REFERENCE, inactiveFlag: 'boolean' }
export const COMPANY: Form = {
  id: 'number',
  name: 'string',
  website: 'string',
  deletedFlag: 'boolean',
  status: REFERENCE,
  types: [REFERENCE],
  territory: REFERENCE,
  _info: INFO,
}
export const CONTACT: Form = {
  id: 'number',
  firstName: 'string',
  lastName: 'string',
  company: REFERENCE,
  title: 'string',
  inactiveFlag: 'boolean',
  communicationItems: [{ communicationType: 'string', value: 'string', defaultFlag: 'boolean' }],
  _info: INFO,
}
export const MEMBER: Form = {
  id: 'number',
  firstName: 'string',
  lastName: 'string',
  officeEmail: 'string',
  _info: INFO,
}
export const DOCUMENT: Form = { id: 'number', fileName: 'string', size: 'number', _info: INFO }
export const CALLBACK: Form = {
  id: 'number',
  url: 'string',
  objectId: 'number',
  type: 'string',
  level: 'string',
  description: 'string',
  isSelfSuppressedFlag: 'boolean',
  inactiveFlag: 'boolean',
}
export const AGREEMENT: Form = {
  id: 'number',
  name: 'string',
  company: REFERENCE,
  cancelledFlag: 'boolean',
}
export const TICKET: Form = {
  id: 'number',
  summary: 'string',
  board: REFERENCE,
  status: REFERENCE,
  priority: REFERENCE,
  type: REFERENCE,
  subType: REFERENCE,
  company: REFERENCE,
  contact: REFERENCE,
  owner: REFERENCE,
  closedFlag: 'boolean',
  closedDate: 'time',
  mergedParentTicket: REFERENCE,
  externalXRef: 'string',
  _info: INFO,
}
export const NOTE: Form = {
  id: 'number',
  ticketId: 'number',
  text: 'string',
  detailDescriptionFlag: 'boolean',
  internalAnalysisFlag: 'boolean',
  resolutionFlag: 'boolean',
  member: REFERENCE,
  contact: REFERENCE,
  createdBy: 'string',
  dateCreated: 'time',
}
export const TIME_ENTRY: Form = {
  id: 'number',
  chargeToId: 'number',
  chargeToType: 'string',
  company: REFERENCE,
  member: REFERENCE,
  actualHours: 'number',
  notes: 'string',
  internalNotes: 'string',
  agreement: REFERENCE,
  timeStart: 'time',
  timeEnd: 'time',
  _info: INFO,
}

/** Conditions and orders take these without their parent. */
const SHORT = new Set(Object.keys(INFO))

export const pathOf = (name: string): string[] => (SHORT.has(name) ? ['_info', name] : name.split('/'))

type Found = Kind | Form | readonly [Form] | undefined

/** What the form has at the path, which goes into the items of lists only if that is asked for. */
function formAt(form: Form, path: readonly string[], { in_lists = false } = {}): Found {
  let found: Found = form
  for (const name of path) {
    if (Array.isArray(found) && in_lists) found = found[0] as Form
    if (typeof found !== 'object' || Array.isArray(found) || !Object.hasOwn(found, name)) return undefined
    found = (found as Form)[name]
  }
  return found
}

/** The kind of a field that is compared: a reference is none. */
export function kindAt(
  form: Form,
  path: readonly string[],
  options?: { in_lists: boolean },
): Kind | undefined {
  const found = formAt(form, path, options)
  return typeof found === 'string' ? found : undefined
}

/** The values at the path: an array has those of each of its items. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path))
  const [first, ...rest] = path
  if (first === undefined) return [value]
  return value && typeof value === 'object' ? valuesAt((value as Row)[first], rest) : [undefined]
}

/**
 * The row with the named fields alone: an id is there if it is named. A path, such as `owner/id`, cuts the reference too.
 * Unverified: paths into lists, which are refused.
 */
export function cutterOf(text: string | null, form: Form): (row: Row) => Row {
  if (text === null) return (row) => row
  const paths = text.split(',').map((name) => name.split('/'))
  for (const path of paths)
    if (formAt(form, path) === undefined) throw new Refusal(400, `fields ${path.join('/')}`)
  return (row) => {
    const cut: Row = {}
    for (const [name = '', inner] of paths) {
      const value = row[name]
      if (value === undefined || value === null) continue
      cut[name] = inner === undefined ? value : { ...(cut[name] as Row), [inner]: (value as Row)[inner] }
    }
    return cut
  }
}

/** Sorts by the fields of `orderBy`. */
export function orderOf(text: string, form: Form): (one: Row, other: Row) => number {
  const order = text.split(',').map((part) => {
    const [name = '', direction = 'asc', ...rest] = part.trim().split(' ')
    const path = pathOf(name)
    const is_known = kindAt(form, path) && ['asc', 'desc'].includes(direction) && rest.length === 0
    if (!is_known) throw new Refusal(400, `orderBy ${part}`)
    return { path, sign: direction === 'desc' ? -1 : 1 }
  })
  return (one, other) => {
    for (const { path, sign } of order) {
      const [a, b] = [valuesAt(one, path)[0], valuesAt(other, path)[0]] as [number, number]
      if (a !== b) return (a < b ? -1 : 1) * sign
    }
    return 0
  }
}
