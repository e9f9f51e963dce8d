/** What the vendor requires of writes, and what it makes of them. Whatever else is sent is refused. */
import { Refusal } from '../vendor.ts'
import { choicesOf, ENTITIES } from './entities.ts'
import type { Kind, Row } from './query.ts'
import type { Store } from './store.ts'

/** The resource of the API's user. */
export const API_USER = 4
const COMPLETE = 5
const MAX_LENGTHS: Readonly<Record<string, number>> = {
  title: 255,
  externalID: 50,
  name: 50,
  webhookUrl: 500,
  deactivationUrl: 500,
  secretKey: 64,
}
const JS_TYPES: Readonly<Record<Kind, string>> = {
  number: 'number',
  text: 'string',
  flag: 'boolean',
  time: 'string',
}
/** Fields of writes that no answer has. */
const HIDDEN_KINDS: Readonly<Record<string, Kind>> = {
  secretKey: 'text',
  sendThresholdExceededNotification: 'flag',
}

const refuse = (message: string): never => {
  throw new Refusal(500, message)
}

export function createRules(store: Store, now: () => Date) {
  const stamp = (): string => now().toISOString()
  const touch = (ticket: Row, at = stamp()): void => {
    ticket.lastActivityDate = at
  }
  const find = (entity: string, id: unknown): Row =>
    store.get(entity, Number(id)) ?? refuse(`${entity} ${String(id)} does not exist`)

  function checkValue(entity: string, name: string, value: unknown): void {
    const kind = ENTITIES[entity]?.fields[name] ?? HIDDEN_KINDS[name]
    if (kind === undefined) refuse(`${name} of ${entity}`)
    if (value === null) return
    if (typeof value !== JS_TYPES[kind as Kind]) refuse(`${name}: ${JSON.stringify(value)}`)
    if (kind === 'time' && Number.isNaN(Date.parse(String(value)))) refuse(`${name} is no time`)
    const most = entity === 'Tickets/Notes' && name === 'title' ? 250 : MAX_LENGTHS[name]
    if (most !== undefined && String(value).length > most) refuse(`${name} is too long`)
    const choices = choicesOf(entity.replace('Tickets/Notes', 'TicketNotes'), name)
    if (choices && !choices.includes(Number(value))) refuse(`${name} has no choice ${String(value)}`)
  }

  function checked(entity: string, body: unknown, takes: readonly string[], needs: readonly string[]): Row {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return refuse('no object')
    const row = body as Row
    for (const [name, value] of Object.entries(row)) {
      if (!takes.includes(name)) refuse(`${entity} does not take ${name}`)
      checkValue(entity, name, value)
    }
    for (const name of needs) if (row[name] == null) refuse(`${entity} needs ${name}`)
    return row
  }

  function checkRole(resource: unknown, role: unknown): void {
    const roles = store.rowsOf('ResourceServiceDeskRoles')
    if (
      !roles.some(
        ({ resourceID, roleID, isActive }) => resourceID === resource && roleID === role && isActive,
      )
    )
      refuse('the resource does not have the role')
  }

  function checkTicket(row: Row, before: Row | null): void {
    if (!before) find('Companies', row.companyID)
    const has_other = row.contactID != null && row.contactID !== before?.contactID
    if (has_other && find('Contacts', row.contactID).companyID !== row.companyID)
      refuse('the contact is of another company')
    if (row.queueID == null && row.assignedResourceID == null) refuse('a queue or a resource is needed')
    if ((row.assignedResourceID == null) !== (row.assignedResourceRoleID == null))
      refuse('a resource is assigned with a role')
    if (row.assignedResourceID != null) checkRole(row.assignedResourceID, row.assignedResourceRoleID)
    if (row.subIssueType === 136 && row.issueType !== 10) refuse('the sub-issue is of another issue')
    if (row.dueDateTime === null || row.title === null || row.status === null || row.priority === null)
      refuse('a field that is needed is empty')
  }

  function checkEntry(row: Row): void {
    const ticket = find('Tickets', row.ticketID)
    checkRole(row.resourceID, row.roleID)
    if (ticket.assignedResourceID === row.resourceID && ticket.assignedResourceRoleID !== row.roleID)
      refuse('the role is not that of the ticket')
    const [start, end] = [row.startDateTime, row.endDateTime].map((text) => Date.parse(String(text)))
    row.hoursWorked = Math.round(((end as number) - (start as number)) / 36_000) / 100
    if (!(Number(row.hoursWorked) > 0 && Number(row.hoursWorked) <= 24)) refuse('hoursWorked')
    if (row.contractID != null && find('Contracts', row.contractID).companyID !== ticket.companyID)
      refuse('the contract is of another company')
    touch(ticket)
  }

  /** What the vendor sets by itself. */
  function complete(entity: string, row: Row, before: Row | null): Row {
    if (entity === 'Tickets') {
      checkTicket(row, before)
      row.completedDate =
        row.status === COMPLETE ? (before?.status === COMPLETE ? before.completedDate : stamp()) : null
      if (!before) row.createDate = stamp()
      row.ticketNumber ??= `T${stamp().slice(0, 10).replaceAll('-', '')}.${store.rowsOf('Tickets').length}`
      touch(row)
    } else if (entity === 'TimeEntries') {
      checkEntry(row)
      row.createDateTime ??= stamp()
      row.lastModifiedDateTime = stamp()
    } else {
      if (before) return row
      const same = store
        .rowsOf(entity)
        .some(({ webhookUrl }) => webhookUrl !== undefined && webhookUrl === row.webhookUrl)
      if (same) refuse('there is such a webhook')
      row.webhookGUID = `guid-${entity}`
      row.isReady = false
    }
    return row
  }

  /** The rows of a webhook that name it. */
  function checkedPart(name: string, id: number, entity: string, body: unknown): Row {
    find(name, id)
    const { takes = [], needs = [] } = ENTITIES[entity]?.creates ?? {}
    const part = checked(entity, body, takes, needs)
    if (part.webhookID !== id) refuse('the body names another webhook')
    return part
  }

  return {
    touch,
    create(entity: string, body: unknown): number {
      const { takes = [], needs = [] } = ENTITIES[entity]?.creates ?? {}
      const row = checked(entity, body, takes, needs)
      return store.make(entity, complete(entity, { ...row }, null))
    },
    change(entity: string, body: unknown): number {
      const { id, ...fields } = (body ?? {}) as Row
      if (typeof id !== 'number') refuse('a change names its id in the body')
      const row = find(entity, id)
      const changes = checked(entity, fields, ENTITIES[entity]?.changes ?? [], [])
      const after = complete(entity, { ...row, ...changes }, row)
      Object.assign(row, after)
      return Number(id)
    },
    createNote(ticket_id: number, body: unknown): number {
      const ticket = find('Tickets', ticket_id)
      const { takes = [], needs = [] } = ENTITIES['Tickets/Notes']?.creates ?? {}
      const note = checked('Tickets/Notes', body, takes, needs)
      touch(ticket)
      return store.make('TicketNotes', {
        ...note,
        ticketID: ticket_id,
        creatorResourceID: API_USER,
        createDateTime: stamp(),
        lastActivityDate: stamp(),
      })
    },
    createWebhookField(name: string, id: number, body: unknown): number {
      const webhook = find(name, id)
      const entity = name.replace(/s$/, 'Fields')
      const field = checkedPart(name, id, entity, body)
      const same = store
        .rowsOf(entity)
        .some(({ webhookID, fieldID }) => webhookID === id && fieldID === field.fieldID)
      if (same) refuse('the webhook has the field')
      if (field.fieldID === 9)
        throw new Refusal(500, 'the field cannot be subscribed to', { is_expected: true })
      if (field.isSubscribedField) webhook.isReady = true
      return store.make(entity, field)
    },
    createExcludedResource(name: string, id: number, body: unknown): number {
      const entity = name.replace(/s$/, 'ExcludedResources')
      const excluded = checkedPart(name, id, entity, body)
      find('Resources', excluded.resourceID)
      const same = store
        .rowsOf(entity)
        .some(({ webhookID, resourceID }) => webhookID === id && resourceID === excluded.resourceID)
      if (same) refuse('the webhook excludes the resource')
      return store.make(entity, excluded)
    },
    /** True if the webhook tells nothing that the resource does. */
    excludes: (name: string, id: unknown, resource: number): boolean =>
      store
        .rowsOf(name.replace(/s$/, 'ExcludedResources'))
        .some(({ webhookID, resourceID }) => webhookID === id && resourceID === resource),
  }
}
