/** The changes in a PSA that a TRIGGERED agent can be started by. */

interface ChangeTypeDefinition {
  label: string
  description: string
  entity_type: 'TICKET' | 'TIME_ENTRY'
  group: 'LIFECYCLE' | 'FIELDS' | 'CONVERSATION'
  /** The PSA systems in which it is not told apart from other changes. */
  not_of?: Systems
}

type Systems = readonly string[] | 'ALL'

type Written = readonly [label: string, description: string, not_of?: Systems]

const of = <Code extends string>(
  entity_type: ChangeTypeDefinition['entity_type'],
  group: ChangeTypeDefinition['group'],
  changes: Readonly<Record<Code, Written>>,
): Record<Code, ChangeTypeDefinition> =>
  Object.fromEntries(
    Object.entries<Written>(changes).map(([code, [label, description, not_of = []]]) => [
      code,
      { label, description, entity_type, group, not_of },
    ]),
  ) as Record<Code, ChangeTypeDefinition>

// Contract silent: a change that is not told apart in a PSA is TICKET_OTHER_CHANGED there. PSA systems say that a ticket has
// changed, and not what: changes are told by what the service reads of it, which has no due date.
/** The catalogue, by code, in the order in which people choose. */
export const CHANGE_TYPE_CATALOG = {
  ...of('TICKET', 'LIFECYCLE', {
    TICKET_CREATED: ['Ticket created', 'A ticket was created.'],
  }),
  ...of('TICKET', 'FIELDS', {
    TICKET_STATUS_CHANGED: ['Status changed', 'The status of a ticket was changed.'],
    TICKET_PRIORITY_CHANGED: ['Priority changed', 'The priority of a ticket was changed.'],
    TICKET_QUEUE_CHANGED: ['Queue changed', 'A ticket was moved to another board or queue.'],
    TICKET_ASSIGNEE_CHANGED: ['Assignee changed', 'A ticket was given to another technician or team.'],
    TICKET_TYPE_CHANGED: ['Type changed', 'The type or category of a ticket was changed.'],
    TICKET_COMPANY_CHANGED: ['Company changed', 'A ticket was moved to another company.', ['SYNCRO']],
    TICKET_CONTACT_CHANGED: ['Contact changed', 'A ticket was given to another contact.', ['SYNCRO']],
    TICKET_SUMMARY_CHANGED: ['Summary changed', 'The summary of a ticket was rewritten.'],
    TICKET_DUE_DATE_CHANGED: ['Due date changed', 'The due date of a ticket was changed.', 'ALL'],
  }),
  ...of('TICKET', 'CONVERSATION', {
    TICKET_CUSTOMER_REPLIED: ['Customer replied', 'The customer replied on a ticket.'],
    TICKET_TECHNICIAN_REPLIED: ['Technician replied', 'A technician replied to the customer on a ticket.'],
    TICKET_INTERNAL_NOTE_ADDED: ['Internal note added', 'A note that customers do not see was added.'],
    TICKET_ATTACHMENT_ADDED: [
      'Attachment added',
      'A file was attached to a ticket.',
      ['KASEYA_BMS', 'SYNCRO'],
    ],
  }),
  ...of('TICKET', 'LIFECYCLE', {
    TICKET_MERGED: ['Ticket merged', 'A ticket was merged into another one.', ['SYNCRO', 'SUPEROPS']],
    TICKET_CLOSED: ['Ticket closed', 'A ticket was closed.'],
    TICKET_REOPENED: ['Ticket reopened', 'A closed ticket was opened again.'],
  }),
  ...of('TICKET', 'FIELDS', {
    TICKET_OTHER_CHANGED: ['Other change', 'Something else about a ticket was changed.'],
  }),
  ...of('TIME_ENTRY', 'LIFECYCLE', {
    TIME_ENTRY_CREATED: ['Time entry created', 'A time entry was created.'],
    TIME_ENTRY_UPDATED: ['Time entry updated', 'A time entry was changed.'],
    TIME_ENTRY_DELETED: ['Time entry deleted', 'A time entry was deleted.', ['SYNCRO']],
  }),
}

export type ChangeType = keyof typeof CHANGE_TYPE_CATALOG

export const CHANGE_TYPES = Object.keys(CHANGE_TYPE_CATALOG) as ChangeType[]

const isPsaReporting = (psa_type: string | null, { not_of = [] }: ChangeTypeDefinition): boolean =>
  psa_type !== null && not_of !== 'ALL' && !not_of.includes(psa_type)

export interface ChangeOption extends Omit<ChangeTypeDefinition, 'not_of'> {
  code: ChangeType
  supported: boolean
}

/** The catalogue for a tenant with this PSA; null: it has none, and none of the changes is reported. */
export const changeOptions = (psa_type: string | null): ChangeOption[] =>
  CHANGE_TYPES.map((code) => {
    const { not_of, ...definition } = CHANGE_TYPE_CATALOG[code]
    return {
      code,
      ...definition,
      supported: isPsaReporting(psa_type, { ...definition, not_of: not_of ?? [] }),
    }
  })
