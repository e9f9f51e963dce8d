/** What the double of HaloPSA keeps, and how writes change it. */
import { Refusal, type Row } from '../vendor.ts'

const CLOSED = 9
/** A time that stands for none. */
const NEVER = '1900-01-01T00:00:00'

export const isClosed = ({ status_id }: Row): boolean => status_id === CLOSED

const dataset = (): Record<string, Row[]> => ({
  '/Client': [],
  '/Site': [],
  '/Users': [],
  '/Agent': [{ id: 1, name: 'Unassigned' }],
  '/Status': [
    { id: CLOSED, name: 'Closed', type: 0, sequence: 9 },
    { id: 1, name: 'New', type: 0, sequence: 1 },
    { id: 2, name: 'In progress', type: 0, sequence: 2 },
    { id: 30, name: 'In stock', type: 1, sequence: 1 },
  ],
  '/Priority': [
    ...['P1', 'P2', 'P3'].map((name, at) => ({ id: `guid-${at}`, slaid: 1, priorityid: at + 1, name })),
    { id: 'guid-9', slaid: 2, priorityid: 1, name: 'Urgent' },
  ],
  '/Team': [
    { id: 1, name: 'Service desk' },
    { id: 2, name: 'Desk' },
  ],
  '/TicketType': [
    { id: 3, name: 'Service request' },
    { id: 4, name: 'Incident' },
  ],
  '/ClientContract': [],
  '/Tickets': [],
  '/Actions': [],
  '/Attachment': [],
  '/Webhook': [],
  '/Notification': [],
})

export function createStore(now: () => Date) {
  const rows = dataset()
  let made = 100_000
  const stamp = (date = now()): string => date.toISOString().slice(0, 23)
  const of = (path: string): Row[] => rows[path] ?? []
  const find = (path: string, id: unknown): Row => {
    const row = of(path).find((one) => one.id === id)
    if (!row) throw new Refusal(400, `${path} ${String(id)}`)
    return row
  }

  function saveTicket({ id, ...fields }: Row): Row {
    for (const [field, path] of [
      ['client_id', '/Client'],
      ['user_id', '/Users'],
      ['agent_id', '/Agent'],
      ['status_id', '/Status'],
      ['tickettype_id', '/TicketType'],
      ['team_id', '/Team'],
    ] as const)
      if (fields[field] !== undefined) find(path, fields[field])
    const row = id === undefined ? newTicket(fields) : find('/Tickets', id)
    const was_closed = isClosed(row)
    Object.assign(row, fields, { last_update: stamp() })
    if (isClosed(row) !== was_closed) row.dateclosed = isClosed(row) ? stamp() : NEVER
    if (id === undefined) of('/Tickets').push(row)
    // The answer to a POST names it otherwise.
    const { last_update: lastupdate, ...rest } = row
    return { ...rest, lastupdate }
  }

  const newTicket = ({ client_id }: Row): Row => ({
    id: made++,
    status_id: 1,
    sla_id: 1,
    priority_id: 3,
    tickettype_id: 3,
    team: 'Service desk',
    agent_id: 1,
    user_id: Number(client_id) * 1000,
    dateoccurred: stamp(),
    dateclosed: NEVER,
  })

  function saveAction({ id, ...fields }: Row): Row {
    const ticket = find('/Tickets', fields.ticket_id)
    const own = of('/Actions').filter(({ ticket_id }) => ticket_id === ticket.id)
    if (fields.who_agentid !== undefined) find('/Agent', fields.who_agentid)
    if (fields.sendemail && !fields.emailto) throw new Refusal(400, 'emailto')
    const known = id === undefined ? undefined : own.find((one) => one.id === id)
    if (id !== undefined && !known) throw new Refusal(400, `action ${String(id)}`)
    const row: Row = known ?? {
      // Actions are counted within their ticket.
      id: own.length + 1,
      who: 'API agent',
      who_agentid: 5,
      actiondatecreated: stamp(),
      datetime: stamp(),
    }
    Object.assign(row, fields)
    if (fields.action_contract_id !== undefined)
      row.action_contract_ref = find('/ClientContract', fields.action_contract_id).ref
    if (!known) of('/Actions').push(row)
    ticket.last_update = stamp()
    return { id: row.id, ticket_id: row.ticket_id }
  }

  return {
    of,
    stamp,
    /** Saves a thing, which is new if it has no id. Answers with what the vendor answers. */
    save(path: string, fields: Row): unknown {
      if (path === '/Tickets') return saveTicket(fields)
      // The answer is an array, or the thing.
      if (path === '/Actions') return [saveAction(fields)]
      const row = { ...fields, id: path === '/Webhook' ? `guid-${made++}` : made++ }
      of(path).push(row)
      return row
    },
    removeWebhook(id: string): void {
      rows['/Webhook'] = of('/Webhook').filter((row) => row.id !== id)
      rows['/Notification'] = of('/Notification').filter(({ webhook_id }) => webhook_id !== id)
    },
  }
}

export type Store = ReturnType<typeof createStore>
