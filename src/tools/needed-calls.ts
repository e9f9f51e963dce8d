/** The calls of systems that tools need: a tool is not available where the connected system cannot do one of them. */
import type { UnsupportedCalls } from '../connectors/connectors.ts'
import type { Documents } from '../connectors/documents.ts'
import type { Psa } from '../connectors/psa.ts'
import type { Rmm } from '../connectors/rmm.ts'
import type { ToolName } from './registry.ts'

type Needs<Port> = Partial<Record<ToolName, readonly (keyof Port)[]>>

const PSA_CALLS = {
  'ticket.read': ['ticket', 'companyNames'],
  'ticket.search': ['searchTickets', 'companyNames'],
  'ticket.list_notes': ['ticket', 'notesOf'],
  'ticket.list_attachments': ['ticket', 'attachmentsOf'],
  'ticket.create': ['createTicket'],
  'ticket.add_note': ['addNote'],
  'ticket.set_status': ['updateTicket'],
  'ticket.set_priority': ['updateTicket'],
  'ticket.set_type': ['updateTicket'],
  'ticket.set_queue': ['updateTicket'],
  'ticket.set_contact': ['updateTicket'],
  'ticket.assign': ['updateTicket'],
  'dispatch.assign': ['ticket', 'openTicketCounts', 'updateTicket'],
  'ticket.merge': ['mergeTicket'],
  'ticket.close': ['ticketStatuses', 'updateTicket'],
  'time_entry.read': ['timeEntry'],
  'time_entry.list': ['ticket', 'timeEntriesOf'],
  'time_entry.create': ['addTimeEntry'],
  'time_entry.set_agreement': ['setAgreement'],
  'time_entry.return': ['returnTimeEntry'],
  'company.search': ['searchCompanies'],
  'company.read': ['company', 'companyDetails'],
  'contact.search': ['searchContacts'],
  'contact.read': ['contact', 'companyNames'],
  'message.send': ['sendMessage'],
  'feedback.send_link': ['ticket', 'addNote'],
} as const satisfies Needs<Psa>

const RMM_CALLS = {
  'device.search': ['searchDevices'],
  'device.read': ['device'],
  'device.list_software': ['softwareOf'],
  'device.restart': ['restartDevice'],
  'device.list_scripts': ['scriptPage'],
  'device.run_script': ['startScript'],
  'alert.read': ['alert'],
  'alert.search': ['searchAlerts'],
  'alert.close': ['closeAlert'],
} as const satisfies Needs<Rmm>

const DOCUMENT_CALLS = {
  'document.search': ['search'],
  'document.read': ['document'],
  'document.list_folder': ['filesIn'],
  'document.create': ['createDocument'],
  'document.update': ['updateDocument'],
} as const satisfies Needs<Documents>

/** By port and tool. */
export const NEEDED_CALLS: Readonly<
  Record<keyof UnsupportedCalls, Readonly<Record<string, readonly string[]>>>
> = { psa: PSA_CALLS, rmm: RMM_CALLS, documents: DOCUMENT_CALLS }

/** False if a connected system cannot do a call that the tool needs. */
export const isSupported = ({ name }: { name: string }, unsupported: UnsupportedCalls): boolean =>
  (Object.keys(NEEDED_CALLS) as (keyof UnsupportedCalls)[]).every(
    (port) => !NEEDED_CALLS[port][name]?.some((call) => unsupported[port].has(call)),
  )
