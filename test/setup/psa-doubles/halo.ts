import { SETTINGS, startHalo } from '../../doubles/halo/server.ts'
import { clock } from '../clock.ts'
import { type PsaDouble, takeOut } from './double.ts'

/** The numbers and the names of the events. */
const EVENTS = { ADDED: [3, 'New Ticket Logged'], UPDATED: [19, 'Ticket Updated'] } as const

export async function haloPsaDouble(): Promise<PsaDouble> {
  const double = await startHalo({ now: () => clock.now() })
  double.add('/Client', [{ id: 2, name: 'Acme', inactive: false, toplevel_id: 0 }])
  const rowOf = (ticket_id: string) => {
    const row = double.rowsOf('/Tickets').find(({ id }) => String(id) === ticket_id)
    if (!row) throw new Error(`There is no ticket ${ticket_id}`)
    return row
  }
  const hooks = () => double.rowsOf('/Webhook')
  let last = 1000
  const psa: PsaDouble = {
    name: 'halo-psa',
    draft: { halo_psa: { ...SETTINGS, site: double.url } },
    addTicket(summary) {
      const id = ++last
      double.add('/Tickets', [
        {
          id,
          summary,
          details: '',
          status_id: 1,
          sla_id: 1,
          priority_id: 3,
          tickettype_id: 3,
          team: 'Service desk',
          client_id: 2,
          user_id: 0,
          agent_id: 1,
          dateoccurred: double.stamp(),
          dateclosed: '1900-01-01T00:00:00',
          last_update: double.stamp(),
        },
      ])
      return String(id)
    },
    changeTicket(ticket_id, summary) {
      const row = rowOf(ticket_id)
      const later = Math.max(Date.parse(`${String(row.last_update)}Z`) + 1000, clock.now().getTime())
      Object.assign(row, { summary, last_update: double.stamp(new Date(later)) })
    },
    reply(ticket_id, note) {
      const of_contact = { actionby_user_id: 33, who_agentid: 0, who: 'Kim', hiddenfromuser: false }
      const action = { id: 300_000 + ++last, ticket_id: Number(ticket_id), note, datetime: double.stamp() }
      double.add('/Actions', [{ ...action, ...of_contact }])
      psa.changeTicket(ticket_id, String(rowOf(ticket_id).summary))
    },
    hideTicket: (ticket_id) => takeOut(double.rowsOf('/Tickets'), rowOf(ticket_id)),
    notesOf: (ticket_id) =>
      double
        .rowsOf('/Actions')
        .filter((row) => String(row.ticket_id) === ticket_id)
        .map(({ note }) => String(note)),
    send({ ticket_id, action, event_id }) {
      const [eventno, event] = EVENTS[action]
      return double
        .rowsOf('/Notification')
        .filter((row) => row.eventno === eventno)
        .flatMap(({ webhook_id }) => hooks().filter(({ id }) => id === webhook_id))
        .map(({ id: webhook_id, url }) => ({
          url: String(url),
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(
            JSON.stringify({
              id: event_id,
              event,
              webhook_id,
              object_id: Number(ticket_id),
              ticket: rowOf(ticket_id),
            }),
          ),
        }))
    },
    noteIn({ method, url, text }, { status }) {
      if (method !== 'POST' || !url.pathname.endsWith('/Actions') || status >= 300) return null
      const [action] = JSON.parse(text) as { ticket_id: number }[]
      return { ticket_id: String(action?.ticket_id), note_id: '' }
    },
    // Notes of technicians have no event number that anybody publishes. [N8]
    sendNote: () => [],
    webhooks: () => hooks().map(({ url }) => String(url)),
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
