import { API_USER } from '../../doubles/autotask/rules.ts'
import { SETTINGS, startAutotask } from '../../doubles/autotask/server.ts'
import { clock } from '../clock.ts'
import type { PsaDouble } from './double.ts'

const ACTIONS = { ADDED: 'Create', UPDATED: 'Update' } as const

/** The event is the webhook's guid with a number. */
const numberOf = (event_id: string): number =>
  Number.parseInt(Buffer.from(event_id).toString('hex').slice(-12), 16)

export async function autotaskPsaDouble(): Promise<PsaDouble> {
  const double = await startAutotask({ now: () => clock.now() })
  double.add('Companies', [{ id: 2, companyName: 'Acme', companyType: 1, isActive: true, webAddress: '' }])
  double.add('Resources', [
    { id: API_USER, firstName: 'API', lastName: 'User', userName: SETTINGS.username, isActive: true },
  ])
  const rowOf = (ticket_id: string) => {
    const row = double.rowsOf('Tickets').find(({ id }) => String(id) === ticket_id)
    if (!row) throw new Error(`There is no ticket ${ticket_id}`)
    return row
  }
  const hooks = () => double.rowsOf('TicketWebhooks')
  let last = 1000
  const psa: PsaDouble = {
    name: 'autotask-psa',
    draft: { autotask_psa: { ...SETTINGS, site: double.url } },
    addTicket(title) {
      const id = ++last
      const now = clock.now().toISOString()
      double.add('Tickets', [
        {
          id,
          ticketNumber: `T20261101.${id}`,
          title,
          companyID: 2,
          status: 1,
          priority: 1,
          queueID: 1,
          dueDateTime: now,
          createDate: now,
          lastActivityDate: now,
        },
      ])
      return String(id)
    },
    changeTicket(ticket_id, title) {
      const row = rowOf(ticket_id)
      const later = Math.max(Date.parse(String(row.lastActivityDate)) + 1000, clock.now().getTime())
      Object.assign(row, { title, lastActivityDate: new Date(later).toISOString() })
    },
    reply(ticket_id, description) {
      const createDateTime = clock.now().toISOString()
      const note = { id: 300_000 + ++last, ticketID: Number(ticket_id), publish: 1, createDateTime }
      double.add('TicketNotes', [{ ...note, title: 'Reply', description, createdByContactID: 33 }])
      psa.changeTicket(ticket_id, String(rowOf(ticket_id).title))
    },
    hideTicket(ticket_id) {
      const row = rowOf(ticket_id)
      double.remove('Tickets', Number(ticket_id))
      return () => double.add('Tickets', [row])
    },
    notesOf: (ticket_id) =>
      double
        .rowsOf('TicketNotes')
        .filter(({ ticketID }) => String(ticketID) === ticket_id)
        .map(({ description }) => String(description)),
    send({ ticket_id, action, event_id }) {
      const { raw, headers } = double.event('TicketWebhooks', {
        Action: ACTIONS[action],
        EntityType: 'Ticket',
        Id: Number(ticket_id),
        SequenceNumber: numberOf(event_id),
        Fields: { Title: rowOf(ticket_id).title },
      })
      return hooks().map(({ webhookUrl }) => ({ url: String(webhookUrl), headers, body: raw }))
    },
    noteIn({ method, url }, { status, body }) {
      const [, ticket_id] = /\/Tickets\/(\d+)\/Notes$/.exec(url.pathname) ?? []
      const note_id = String((body as { itemId?: number })?.itemId)
      return method === 'POST' && status < 300 && ticket_id ? { ticket_id, note_id } : null
    },
    sendNote({ ticket_id, note_id, event_id }) {
      const { raw, headers } = double.event('TicketNoteWebhooks', {
        Action: 'Create',
        EntityType: 'TicketNote',
        Id: Number(note_id),
        SequenceNumber: numberOf(event_id),
        Fields: { TicketID: Number(ticket_id) },
      })
      return double
        .rowsOf('TicketNoteWebhooks')
        .filter(({ id }) => !double.excludes('TicketNoteWebhooks', id, API_USER))
        .map(({ webhookUrl }) => ({ url: String(webhookUrl), headers, body: raw }))
    },
    webhooks: () => hooks().map(({ webhookUrl }) => String(webhookUrl)),
    failing(share) {
      double.chance.fault = () => (Math.random() < share ? 'LOST' : undefined)
    },
    faulty(fault) {
      double.busy.retry_after = '1'
      double.chance.fault = fault
    },
    play(hostility) {
      double.hostile.play = hostility
    },
    requests: double.requests,
    vendor: double,
    close: double.close,
  }
  return psa
}
