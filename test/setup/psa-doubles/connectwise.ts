import { SETTINGS, startConnectwise } from '../../doubles/connectwise/server.ts'
import { clock } from '../clock.ts'
import { type PsaDouble, takeOut } from './double.ts'

const ACTIONS = { ADDED: 'added', UPDATED: 'updated' }

const stamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

/** `sign` makes the body and the headers of any callback. `requests` are all that came; `rowsOf` are the rows that it has. */
export async function connectwisePsaDouble(settings = SETTINGS) {
  const double = await startConnectwise({ now: () => clock.now(), settings })
  double.add('/company/companies', [{ id: 2, name: 'Acme', deletedFlag: false }])
  const rowOf = (ticket_id: string) => {
    const row = double.rowsOf('/service/tickets').find(({ id }) => String(id) === ticket_id)
    if (!row) throw new Error(`There is no ticket ${ticket_id}`)
    return row
  }
  const hooks = () => double.rowsOf('/system/callbacks')
  let last = 1000
  const psa: PsaDouble = {
    name: 'connectwise-psa',
    draft: { connectwise_psa: { ...settings, site: double.url } },
    addTicket(summary) {
      const id = ++last
      double.add('/service/tickets', [
        {
          id,
          summary,
          board: { id: 1, name: 'Service desk' },
          status: { id: 101, name: 'New' },
          company: { id: 2, name: 'Acme' },
          closedFlag: false,
          _info: { dateEntered: stamp(clock.now()), lastUpdated: stamp(clock.now()) },
        },
      ])
      return String(id)
    },
    changeTicket(ticket_id, summary) {
      const row = rowOf(ticket_id)
      const info = row._info as { lastUpdated: string }
      const later = new Date(Math.max(Date.parse(info.lastUpdated) + 1000, clock.now().getTime()))
      Object.assign(row, { summary, _info: { ...info, lastUpdated: stamp(later) } })
    },
    reply(ticket_id, text) {
      const contact = { id: 33, name: 'Kim' }
      double.addNote(rowOf(ticket_id), { text, detailDescriptionFlag: true, contact })
      psa.changeTicket(ticket_id, String(rowOf(ticket_id).summary))
    },
    hideTicket: (ticket_id) => takeOut(double.rowsOf('/service/tickets'), rowOf(ticket_id)),
    notesOf: (ticket_id) =>
      double.rowsOf(`/service/tickets/${ticket_id}/notes`).map(({ text }) => String(text)),
    send({ ticket_id, action, event_id }) {
      const { raw, headers } = double.callback({
        MessageId: event_id,
        Action: ACTIONS[action],
        Type: 'ticket',
        ID: Number(ticket_id),
        Entity: JSON.stringify(rowOf(ticket_id)),
      })
      // The PSA appends the id of the record and the action to the address.
      return hooks()
        .filter(({ type }) => type === 'ticket')
        .map(({ url }) => ({
          url: `${String(url)}${ticket_id}&action=${ACTIONS[action]}`,
          headers: { ...headers, 'content-type': 'application/json' },
          body: raw,
        }))
    },
    noteIn({ method, url }, { status, body }) {
      const [, ticket_id] = /\/service\/tickets\/(\d+)\/notes$/.exec(url.pathname) ?? []
      return method === 'POST' && status < 300 && ticket_id
        ? { ticket_id, note_id: String((body as { id: number }).id) }
        : null
    },
    sendNote: ({ ticket_id, event_id }) => psa.send({ ticket_id, event_id, action: 'UPDATED' }),
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
  return { ...psa, sign: double.callback, add: double.add, rowsOf: double.rowsOf }
}
