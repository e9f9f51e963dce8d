/**
 * The paths, parameters and fields of HaloPSA that the double knows. They are the ones of its published documents (the sources
 * are named in `src/connectors/halo/api.ts`) that an adapter of this service has a use for: all others are refused, while the
 * vendor ignores them without a word.
 */
import type { Fields } from '../vendor.ts'

type Kind = 'int' | 'bool' | 'text' | 'time'

export type Parameters = Readonly<Record<string, Kind>>

const PAGED: Parameters = { pageinate: 'bool', page_size: 'int', page_no: 'int' }
const ORDERED: Parameters = { order: 'text', orderdesc: 'bool', order2: 'text', orderdesc2: 'bool' }
const ACTIVE: Parameters = { includeactive: 'bool', includeinactive: 'bool' }

/** The parameters of lists. */
export const LISTS: Readonly<Record<string, Parameters>> = {
  '/Client': { ...PAGED, ...ORDERED, ...ACTIVE, search: 'text', lastupdatefromdate: 'time' },
  '/Site': { ...PAGED, ...ORDERED, ...ACTIVE, client_id: 'int' },
  '/Users': {
    ...PAGED,
    ...ORDERED,
    ...ACTIVE,
    client_id: 'int',
    search: 'text',
    search_phonenumbers: 'bool',
    lastupdatefromdate: 'time',
  },
  '/Agent': { includeenabled: 'bool', includedisabled: 'bool', search: 'text' },
  '/Status': { type: 'text', excludeclosed: 'bool' },
  '/Priority': {},
  '/Team': {},
  '/TicketType': {},
  '/ClientContract': { ...PAGED, ...ORDERED, client_id: 'int', includeinactive: 'bool' },
  '/Tickets': {
    ...PAGED,
    ...ORDERED,
    client_id: 'int',
    user_id: 'int',
    agent_id: 'int',
    open_only: 'bool',
    closed_only: 'bool',
    search: 'text',
    searchactions: 'bool',
    search_summary: 'text',
    third_party_id_string: 'text',
    ticketids: 'text',
    lastupdatefromdate: 'time',
    datesearch: 'text',
    startdate: 'time',
    enddate: 'time',
  },
  '/Actions': {
    ticket_id: 'int',
    count: 'int',
    excludesys: 'bool',
    includehtmlnote: 'bool',
    timeentriesonly: 'bool',
    startdate: 'time',
    enddate: 'time',
  },
  '/Attachment': { ticket_id: 'int' },
  '/Webhook': { type: 'int' },
  '/Notification': { webhook_id: 'text' },
}

/** The parameters of single things. */
export const SINGLES: Readonly<Record<string, Parameters>> = {
  '/Client': { includedetails: 'bool' },
  '/Site': { includedetails: 'bool' },
  '/Users': { includedetails: 'bool' },
  '/Agent': { includedetails: 'bool' },
  '/Tickets': { includedetails: 'bool' },
  '/Actions': { includedetails: 'bool', ticket_id: 'int' },
}

/** The members of the answers that have their rows wrapped; other lists are bare arrays. */
export const MEMBERS: Readonly<Record<string, string>> = {
  '/Client': 'clients',
  '/Site': 'sites',
  '/Users': 'users',
  '/Tickets': 'tickets',
  '/Actions': 'actions',
  '/ClientContract': 'contracts',
  '/Attachment': 'attachments',
}

/** The fields that can be posted, and those that a new thing needs. */
export const POSTS: Readonly<Record<string, { fields: Fields; needs: readonly string[] }>> = {
  '/Tickets': {
    fields: {
      id: 'number',
      summary: 'string',
      details: 'string',
      client_id: 'number',
      user_id: 'number',
      agent_id: 'number',
      status_id: 'number',
      priority_id: 'number',
      tickettype_id: 'number',
      team_id: 'number',
      team: 'string',
      category_1: 'string',
      third_party_id_string: 'string',
    },
    needs: ['summary'],
  },
  '/Actions': {
    fields: {
      id: 'number',
      ticket_id: 'number',
      outcome: 'string',
      note: 'string',
      note_html: 'string',
      hiddenfromuser: 'boolean',
      who_agentid: 'number',
      timetaken: 'number',
      datetime: 'string',
      actionarrivaldate: 'string',
      actioncompletiondate: 'string',
      action_contract_id: 'number',
      sendemail: 'boolean',
      emailto: 'string',
      emailsubject: 'string',
      emailbody_html: 'string',
    },
    needs: ['ticket_id', 'outcome'],
  },
  '/Webhook': {
    fields: {
      name: 'string',
      url: 'string',
      type: 'number',
      method: 'number',
      content_type: 'string',
      authentication_type: 'number',
      batch_method: 'number',
      active: 'boolean',
    },
    needs: ['name', 'url', 'type'],
  },
  '/Notification': {
    fields: {
      webhook_id: 'string',
      name: 'string',
      type: 'number',
      delivery_method: 'number',
      agent_id: 'number',
      filter_type: 'number',
      conditions: 'numbers',
      eventno: 'number',
    },
    needs: ['webhook_id', 'eventno', 'type', 'delivery_method'],
  },
}

/** The fields that only the details of a thing have. */
export const DETAILS: Readonly<Record<string, readonly string[]>> = {
  '/Client': ['domain'],
  '/Site': ['emaildomain'],
  '/Tickets': ['closure_note', 'web_url'],
}
