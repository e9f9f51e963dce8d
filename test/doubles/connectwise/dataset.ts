/** The objects of ConnectWise PSA: their rows, what is asked of them and what writes take. */
import type { Fields, Row } from '../vendor.ts'
import {
  AGREEMENT,
  BOARD,
  CALLBACK,
  CHOICE,
  COMPANY,
  CONTACT,
  DOCUMENT,
  type Form,
  MEMBER,
  STATUS,
  TICKET,
  TIME_ENTRY,
} from './rows.ts'

export interface Collection {
  rows: Row[]
  /** The fields of the rows. */
  form: Form
  /** What `conditions` can name. */
  conditions?: readonly string[]
  childConditions?: readonly string[]
  /** The fields of a new row, and those that it needs. */
  post?: Fields
  needs?: readonly string[]
  /** What a patch can change. */
  patch?: Fields
}

const NEW_TICKET: Fields = {
  summary: 'string',
  company: 'reference',
  contact: 'reference',
  board: 'reference',
  status: 'reference',
  priority: 'reference',
  type: 'reference',
  subType: 'reference',
  owner: 'reference',
  externalXRef: 'string',
}
const NEW_TIME_ENTRY: Fields = {
  chargeToId: 'number',
  chargeToType: 'string',
  member: 'reference',
  timeStart: 'string',
  timeEnd: 'string',
  notes: 'string',
  internalNotes: 'string',
  agreement: 'reference',
}
const NEW_CALLBACK: Fields = {
  url: 'string',
  objectId: 'number',
  type: 'string',
  level: 'string',
  description: 'string',
  isSelfSuppressedFlag: 'boolean',
  inactiveFlag: 'boolean',
}
export const NEW_NOTE: Fields = {
  text: 'string',
  detailDescriptionFlag: 'boolean',
  internalAnalysisFlag: 'boolean',
  resolutionFlag: 'boolean',
  processNotifications: 'boolean',
}

const INFO = ['_info/lastUpdated', '_info/dateEntered', 'lastUpdated', 'dateEntered']

/** The rows that a test adds to; boards, statuses, priorities and the like are there. */
export function dataset() {
  const collections: Record<string, Collection> = {
    '/company/companies': {
      form: COMPANY,
      rows: [],
      conditions: ['id', 'name', 'website', 'deletedFlag', ...INFO],
    },
    '/company/companies/types': {
      form: CHOICE,
      rows: [
        { id: 1, name: 'Customer' },
        { id: 2, name: 'Prospect' },
      ],
    },
    '/company/companies/statuses': {
      form: CHOICE,
      rows: [
        { id: 1, name: 'Active' },
        { id: 2, name: 'Inactive' },
      ],
    },
    '/system/locations': { form: CHOICE, rows: [{ id: 11, name: 'North' }] },
    '/company/contacts': {
      form: CONTACT,
      rows: [],
      conditions: ['id', 'company/id', 'firstName', 'lastName', 'inactiveFlag', ...INFO],
      childConditions: ['communicationItems/value', 'communicationItems/communicationType'],
    },
    '/system/members': { form: MEMBER, rows: [], conditions: ['id', ...INFO] },
    '/system/documents': { form: DOCUMENT, rows: [] },
    '/system/callbacks': {
      form: CALLBACK,
      rows: [],
      post: NEW_CALLBACK,
      needs: ['url', 'objectId', 'type', 'level'],
    },
    '/finance/agreements': { form: AGREEMENT, rows: [], conditions: ['id', 'company/id', 'cancelledFlag'] },
    '/service/boards': {
      form: BOARD,
      rows: [
        { id: 1, name: 'Service desk' },
        { id: 2, name: 'Desk' },
      ],
      conditions: ['id', 'name', 'inactiveFlag'],
    },
    '/service/priorities': {
      form: CHOICE,
      rows: ['P1', 'P2', 'P3'].map((name, at) => ({ id: at + 1, name })),
    },
    '/service/tickets': {
      form: TICKET,
      rows: [],
      conditions: [
        'id',
        'summary',
        'closedFlag',
        'closedDate',
        'company/id',
        'contact/id',
        'owner/id',
        'externalXRef',
        ...INFO,
      ],
      post: { ...NEW_TICKET, initialDescription: 'string' },
      needs: ['summary', 'company'],
      patch: NEW_TICKET,
    },
    '/time/entries': {
      form: TIME_ENTRY,
      rows: [],
      conditions: ['id', 'chargeToType', 'chargeToId', 'internalNotes', ...INFO],
      post: NEW_TIME_ENTRY,
      needs: ['chargeToId', 'chargeToType', 'timeStart'],
      patch: NEW_TIME_ENTRY,
    },
  }
  for (const board of [1, 2]) {
    const status = (id: number, name: string, closedStatus: boolean) => ({
      id: board * 100 + id,
      name,
      closedStatus,
      sortOrder: id,
      inactive: false,
    })
    collections[`/service/boards/${board}/statuses`] = {
      form: STATUS,
      rows: [status(1, 'New', false), status(2, 'In progress', false), status(3, 'Closed', true)],
    }
    collections[`/service/boards/${board}/types`] = {
      form: CHOICE,
      rows: [{ id: board * 10, name: 'Incident' }],
    }
    collections[`/service/boards/${board}/subtypes`] = {
      form: CHOICE,
      rows: [{ id: board * 10 + 1, name: 'Printing' }],
    }
  }
  return collections
}
