/** The entities that the double keeps, with the fields of each: those that the adapter may name, and what writes need. */
import type { Fields, Kind, Row } from './query.ts'

export interface Entity {
  fields: Fields
  /** The fields that a new row takes, and those that it needs. */
  creates?: { takes: readonly string[]; needs: readonly string[] }
  /** The fields that a change takes. */
  changes?: readonly string[]
  deletes?: true
}

const fieldsOf = (names: Readonly<Record<Kind, string>>): Fields =>
  Object.fromEntries(
    (Object.entries(names) as [Kind, string][]).flatMap(([kind, text]) =>
      text
        .split(' ')
        .filter(Boolean)
        .map((name) => [name, kind] as const),
    ),
  )

const TICKET = [
  'companyID',
  'contactID',
  'title',
  'description',
  'resolution',
  'status',
  'priority',
  'queueID',
  'ticketType',
  'issueType',
  'subIssueType',
  'assignedResourceID',
  'assignedResourceRoleID',
  'dueDateTime',
  'externalID',
]
const ENTRY = [
  'ticketID',
  'resourceID',
  'roleID',
  'contractID',
  'dateWorked',
  'startDateTime',
  'endDateTime',
  'hoursWorked',
  'summaryNotes',
  'internalNotes',
]
const NOTE = ['title', 'description', 'noteType', 'publish']
const WEBHOOK = [
  'name',
  'isActive',
  'webhookUrl',
  'deactivationUrl',
  'secretKey',
  'isSubscribedToCreateEvents',
  'isSubscribedToUpdateEvents',
  'isSubscribedToDeleteEvents',
  'sendThresholdExceededNotification',
]
const WEBHOOK_FIELD = ['webhookID', 'fieldID', 'isSubscribedField', 'isDisplayAlwaysField']

const webhooks: Entity = {
  fields: fieldsOf({
    number: 'id ownerResourceID',
    text: 'name webhookUrl deactivationUrl webhookGUID',
    flag: 'isActive isReady isSubscribedToCreateEvents isSubscribedToUpdateEvents isSubscribedToDeleteEvents',
    time: '',
  }),
  creates: { takes: WEBHOOK, needs: WEBHOOK },
  changes: WEBHOOK,
  deletes: true,
}
const webhookFields: Entity = {
  fields: fieldsOf({
    number: 'id webhookID fieldID',
    text: '',
    flag: 'isSubscribedField isDisplayAlwaysField',
    time: '',
  }),
  creates: { takes: WEBHOOK_FIELD, needs: WEBHOOK_FIELD },
}

const EXCLUDED = ['webhookID', 'resourceID']
const excludedResources: Entity = {
  fields: fieldsOf({ number: 'id webhookID resourceID', text: '', flag: '', time: '' }),
  creates: { takes: EXCLUDED, needs: EXCLUDED },
}

/** What webhooks are for, as their paths name it. */
const HOOKED = ['Ticket', 'TicketNote', 'Company', 'Contact'] as const

export const ENTITIES: Readonly<Record<string, Entity>> = {
  Companies: {
    fields: fieldsOf({
      number: 'id companyType classification territoryID ownerResourceID',
      text: 'companyName webAddress phone',
      flag: 'isActive',
      time: 'createDate lastActivityDate lastTrackedModifiedDateTime',
    }),
  },
  Contacts: {
    // Whether a contact is active is a number.
    fields: fieldsOf({
      number: 'id companyID isActive',
      text: 'firstName lastName title emailAddress emailAddress2 emailAddress3 phone mobilePhone alternatePhone',
      flag: '',
      time: 'createDate lastActivityDate lastModifiedDate',
    }),
  },
  Resources: {
    fields: fieldsOf({
      number: 'id userType defaultServiceDeskRoleID',
      text: 'firstName lastName email userName',
      flag: 'isActive',
      time: '',
    }),
  },
  ResourceServiceDeskRoles: {
    fields: fieldsOf({ number: 'id resourceID roleID', text: '', flag: 'isDefault isActive', time: '' }),
  },
  Contracts: {
    fields: fieldsOf({
      number: 'id companyID status contractType',
      text: 'contractName',
      flag: '',
      time: 'startDate endDate',
    }),
  },
  Tickets: {
    fields: fieldsOf({
      number:
        'id companyID contactID status priority queueID ticketType issueType subIssueType ticketCategory ' +
        'assignedResourceID assignedResourceRoleID',
      text: 'title description resolution ticketNumber externalID',
      flag: '',
      time: 'createDate lastActivityDate completedDate dueDateTime',
    }),
    creates: { takes: TICKET, needs: ['companyID', 'title', 'status', 'priority', 'dueDateTime'] },
    changes: TICKET,
  },
  TicketNotes: {
    fields: fieldsOf({
      number: 'id ticketID noteType publish creatorResourceID createdByContactID',
      text: 'title description',
      flag: '',
      time: 'createDateTime lastActivityDate',
    }),
  },
  'Tickets/Notes': {
    fields: fieldsOf({ number: 'noteType publish', text: 'title description', flag: '', time: '' }),
    creates: { takes: NOTE, needs: NOTE },
  },
  TimeEntries: {
    fields: fieldsOf({
      number: 'id ticketID taskID resourceID roleID contractID hoursWorked creatorUserID',
      text: 'summaryNotes internalNotes',
      flag: 'isNonBillable',
      time: 'dateWorked startDateTime endDateTime createDateTime lastModifiedDateTime',
    }),
    creates: { takes: ENTRY, needs: ['resourceID', 'roleID', 'dateWorked'] },
    changes: ENTRY,
  },
  TicketAttachments: {
    fields: fieldsOf({
      number: 'id ticketID parentID fileSize publish',
      text: 'title fullPath attachmentType contentType',
      flag: '',
      time: 'attachDate',
    }),
  },
  ...Object.fromEntries(
    HOOKED.flatMap((name) => [
      [`${name}Webhooks`, webhooks],
      [`${name}WebhookFields`, webhookFields],
      [`${name}WebhookExcludedResources`, excludedResources],
    ]),
  ),
}

const choice = (value: number, label: string, rest: Row = {}): Row => ({
  value: String(value),
  label,
  isDefaultValue: false,
  sortOrder: value,
  parentValue: '',
  isActive: true,
  isSystem: false,
  ...rest,
})
const picklist = (name: string, picklistValues: Row[]): Row => ({
  name,
  dataType: 'integer',
  isQueryable: true,
  isPickList: true,
  picklistValues,
})

/** The last is listed, and refused. */
const WEBHOOK_PICKLISTS = [
  picklist('fieldID', [choice(2, 'Title'), choice(7, 'Status'), choice(9, 'Creator')]),
]

/** The answers of `entityInformation/fields`, apart from fields without choices. */
export const PICKLISTS: Readonly<Record<string, readonly Row[]>> = {
  Companies: [
    picklist('companyType', [choice(1, 'Customer'), choice(3, 'Prospect')]),
    picklist('classification', [choice(10, 'Delinquent')]),
    picklist('territoryID', [choice(11, 'North', { isActive: false })]),
    { name: 'companyName', dataType: 'string', isPickList: false, picklistValues: null },
    // Some choices are no numbers.
    picklist('invoiceMethod', [{ ...choice(1, 'By mail'), value: 'MAIL' }]),
  ],
  Tickets: [
    picklist('status', [
      choice(5, 'Closed', { sortOrder: 1, isSystem: true }),
      choice(8, 'In progress', { sortOrder: 3 }),
      choice(1, 'New', { sortOrder: 2, isSystem: true }),
      choice(9, 'Old', { isActive: false }),
    ]),
    picklist('priority', [choice(4, 'P1'), choice(1, 'P2', { isDefaultValue: true }), choice(3, 'P3')]),
    picklist('queueID', [choice(29683378, 'Service desk'), choice(8, 'Desk')]),
    picklist('ticketType', [choice(1, 'Request'), choice(2, 'Incident')]),
    picklist('issueType', [choice(10, 'Printing'), choice(11, 'Network')]),
    picklist('subIssueType', [
      choice(136, 'Paper', { parentValue: '10' }),
      // Recorded: numbers and null too.
      { ...choice(137, 'Switch'), value: 137, parentValue: null },
    ]),
  ],
  TicketNotes: [
    picklist('noteType', [choice(13, 'Workflow', { isSystem: true }), choice(1, 'Task summary')]),
    picklist('publish', [choice(1, 'All Autotask Users'), choice(2, 'Internal')]),
  ],
  ...Object.fromEntries(HOOKED.map((name) => [`${name}WebhookFields`, WEBHOOK_PICKLISTS])),
}

/** The values that a field can have; null: any. */
export const choicesOf = (entity: string, field: string): readonly number[] | null => {
  const list = PICKLISTS[entity]?.find(({ name }) => name === field)?.picklistValues
  return Array.isArray(list) ? list.map(({ value }) => Number(value)) : null
}
