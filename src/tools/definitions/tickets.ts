/** Tickets and time entries in the PSA. */
import {
  choice,
  done,
  flag,
  id,
  instant,
  list,
  object,
  optional,
  results,
  search,
  text,
  whole,
} from '../json-schema.ts'
import { reads, writes } from '../tool.ts'

const TICKET = id('The id of the ticket in the PSA.')
const TIME_ENTRY = id('The id of the time entry in the PSA.')
const CHANGED_TICKET = done('ticket_id', 'The id of the ticket.')
const CHANGED_TIME_ENTRY = done('time_entry_id', 'The id of the time entry.')

const tickets = { works_in: 'PSA', permission_group: 'TICKETS' } as const
const timeEntries = { works_in: 'PSA', permission_group: 'TIME_ENTRIES' } as const

const SUMMARY = {
  ticket_id: TICKET,
  number: text('The number that people call it by.'),
  title: text('The title.', 500),
  status: text('The status on its board.'),
  priority: optional(text('The priority.')),
  company: optional(text('The name of the company.')),
}

const REASON = text('The reason, which the technician reads.', 1024)

export const TICKET_TOOLS = [
  reads('ticket.read', {
    ...tickets,
    title: 'Read ticket',
    description: 'Reads a ticket with its text, status, priority, board, company and contact.',
    input: object({ ticket_id: TICKET }),
    output: object({
      ...SUMMARY,
      description: optional(text('The text of the ticket.', 100_000)),
      board: optional(text('The board or queue.')),
      contact: optional(text('The name of the contact.')),
      assignee: optional(text('The name of the technician.')),
      created_at: instant('When it was created.'),
    }),
  }),
  reads('ticket.search', {
    ...tickets,
    title: 'Search tickets',
    description: 'Finds tickets by words in their title or text, newest first.',
    input: search('the title or the text', {
      company_id: id('Only tickets of this company.'),
      open_only: flag('Leaves out closed tickets.'),
    }),
    output: results(SUMMARY),
  }),
  reads('ticket.list_notes', {
    ...tickets,
    title: 'List notes',
    description: 'Lists the notes of a ticket, oldest first, internal ones included.',
    input: object({ ticket_id: TICKET }),
    output: object({
      notes: list(
        object({
          note_id: id('The id of the note.'),
          text: text('The text.', 100_000),
          visibility: choice('The readers of the note.', 'INTERNAL', 'PUBLIC'),
          author: text('The name of the author.'),
          created_at: instant('When it was written.'),
        }),
      ),
    }),
  }),
  reads('ticket.list_attachments', {
    ...tickets,
    title: 'List attachments',
    description: 'Lists the files that are attached to a ticket.',
    input: object({ ticket_id: TICKET }),
    output: object({
      attachments: list(
        object({
          attachment_id: id('The id of the attachment.'),
          file_name: text('The name of the file.'),
          bytes: whole('The size.', 0, 2_147_483_647),
        }),
      ),
    }),
  }),
  writes('ticket.create', {
    ...tickets,
    title: 'Create ticket',
    description: 'Creates a ticket for a company.',
    input: object(
      {
        company_id: id('The company.'),
        contact_id: id('The contact.'),
        title: text('The title.', 500),
        description: text('The text.', 20_000),
        board: text('The board or queue.'),
      },
      ['contact_id', 'board'],
    ),
    output: CHANGED_TICKET,
  }),
  writes('ticket.add_note', {
    ...tickets,
    title: 'Add note',
    description: 'Adds a note to a ticket. A PUBLIC note reaches the contact.',
    input: object({
      ticket_id: TICKET,
      text: text('The text of the note.', 20_000),
      visibility: choice('The readers of the note.', 'INTERNAL', 'PUBLIC'),
    }),
    output: done('note_id', 'The id of the note.'),
  }),
  writes('ticket.set_status', {
    ...tickets,
    title: 'Change status',
    description: 'Gives a ticket another status of its board.',
    idempotent: true,
    input: object({ ticket_id: TICKET, status: text('The new status.') }),
    output: CHANGED_TICKET,
  }),
  writes('ticket.set_priority', {
    ...tickets,
    title: 'Change priority',
    description: 'Gives a ticket another priority.',
    idempotent: true,
    input: object({ ticket_id: TICKET, priority: text('The new priority.') }),
    output: CHANGED_TICKET,
  }),
  writes('ticket.set_type', {
    ...tickets,
    title: 'Change type',
    description: 'Gives a ticket another type and category.',
    idempotent: true,
    input: object({ ticket_id: TICKET, type: text('The new type.'), category: text('The new category.') }, [
      'category',
    ]),
    output: CHANGED_TICKET,
  }),
  writes('ticket.set_queue', {
    ...tickets,
    title: 'Change queue',
    description: 'Moves a ticket to another board or queue.',
    idempotent: true,
    input: object({ ticket_id: TICKET, queue: text('The new board or queue.') }),
    output: CHANGED_TICKET,
  }),
  writes('ticket.assign', {
    ...tickets,
    title: 'Assign ticket',
    description: 'Gives a ticket to a technician.',
    idempotent: true,
    input: object({ ticket_id: TICKET, technician_id: whole('The technician.', 1, 2_147_483_647) }),
    output: CHANGED_TICKET,
  }),
  writes('dispatch.assign', {
    ...tickets,
    title: 'Dispatch ticket',
    description:
      'Hands a ticket over to dispatch, which chooses its technician: the ticket is given to the technician at once, or a person ' +
      'applies the suggestion.',
    idempotent: true,
    input: object({ ticket_id: TICKET }),
    output: object({
      decision_id: id('The id of the decision.'),
      status: text('The status of the decision.', 20),
      technician_id: optional(whole('The technician. null: nobody fits.', 1, 2_147_483_647)),
      explanation: text('The reason in words.', 10_000),
    }),
  }),
  writes('ticket.set_contact', {
    ...tickets,
    title: 'Change contact',
    description: 'Gives a ticket another contact of its company.',
    idempotent: true,
    input: object({ ticket_id: TICKET, contact_id: id('The new contact.') }),
    output: CHANGED_TICKET,
  }),
  writes('ticket.merge', {
    ...tickets,
    title: 'Merge tickets',
    description: 'Merges a duplicate into another ticket. The duplicate is closed.',
    destructive: true,
    input: object({ ticket_id: TICKET, into_ticket_id: id('The ticket that stays.') }),
    output: CHANGED_TICKET,
  }),
  writes('ticket.close', {
    ...tickets,
    title: 'Close ticket',
    description: 'Closes a ticket with a resolution.',
    idempotent: true,
    input: object({ ticket_id: TICKET, resolution: text('The resolution, which the contact reads.', 4000) }),
    output: CHANGED_TICKET,
  }),
  writes('feedback.send_link', {
    ...tickets,
    title: 'Send feedback link',
    description:
      'Asks an end user whether they are content with the work, by a link in a note of the ticket or in an e-mail.',
    input: object(
      {
        ticket_id: id('The id of the ticket in the PSA. The ticket of the run if it is left out.'),
        end_user_id: id('The end user who is asked. The contact of the ticket if it is left out.'),
        medium: choice('The way of the link. The contact reads a TICKET_NOTE.', 'TICKET_NOTE', 'EMAIL'),
      },
      ['ticket_id', 'end_user_id'],
    ),
    output: object({
      feedback_id: id('The id of the feedback.'),
      message_id: id('The id of the message.'),
    }),
  }),
  reads('time_entry.read', {
    ...timeEntries,
    title: 'Read time entry',
    description: 'Reads a time entry with its note, minutes and agreement.',
    input: object({ time_entry_id: TIME_ENTRY }),
    output: object({
      time_entry_id: TIME_ENTRY,
      ticket_id: optional(TICKET),
      minutes: whole('The minutes worked.', 0, 100_000),
      note: optional(text('The note.', 20_000)),
      agreement: optional(text('The agreement that it is under.')),
    }),
  }),
  reads('time_entry.list', {
    ...timeEntries,
    title: 'List time entries',
    description: 'Lists the time entries of a ticket, oldest first.',
    input: object({ ticket_id: TICKET }),
    output: object({
      time_entries: list(object({ time_entry_id: TIME_ENTRY, minutes: whole('The minutes.', 0, 100_000) })),
    }),
  }),
  writes('time_entry.create', {
    ...timeEntries,
    title: 'Add time entry',
    description: 'Adds a time entry to a ticket.',
    input: object({
      ticket_id: TICKET,
      minutes: whole('The minutes worked.', 1, 1440),
      note: text('The note, which invoices show.', 4000),
    }),
    output: CHANGED_TIME_ENTRY,
  }),
  writes('time_entry.set_agreement', {
    ...timeEntries,
    title: 'Change agreement',
    description: 'Puts a time entry under another agreement of its company.',
    idempotent: true,
    input: object({ time_entry_id: TIME_ENTRY, agreement: text('The name of the agreement.') }),
    output: CHANGED_TIME_ENTRY,
  }),
  writes('time_entry.return', {
    ...timeEntries,
    title: 'Return time entry',
    description: 'Sends a time entry back to the technician who wrote it.',
    input: object({ time_entry_id: TIME_ENTRY, reason: REASON }),
    output: CHANGED_TIME_ENTRY,
  }),
]
