/** The service desk of the demo: the double of ConnectWise PSA, in which people write tickets, and which tells of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startConnectwise } from '../connectwise/server.ts'
import type { Row } from '../vendor.ts'

const COMPANY = { id: 2, name: 'Acme Dental' }
const BOARD = { id: 1, name: 'Service desk' }

interface DeskTicket {
  id: number
  title: string
  status: string
  notes: string[]
}

interface Sent {
  at: Date
  event: string
  /** The status of the answer; null: there was none. */
  status: number | null
}

const stamp = (): string => `${new Date().toISOString().slice(0, 19)}Z`

export async function startDesk() {
  const double = await startConnectwise({ now: () => new Date() })
  const _info = { dateEntered: stamp(), lastUpdated: stamp() }
  double.add('/company/companies', [
    {
      ...COMPANY,
      _info,
      deletedFlag: false,
      status: { id: 1, name: 'Active' },
      website: 'acme-dental.example',
    },
  ])
  const sent: Sent[] = []
  let last_ticket = 1000
  const hooks = (): Row[] => double.rowsOf('/system/callbacks').filter(({ type }) => type === 'ticket')

  async function tell(ticket_id: number): Promise<void> {
    const { raw, headers } = double.callback({
      MessageId: crypto.randomUUID(),
      Action: 'added',
      Type: 'ticket',
      ID: ticket_id,
    })
    for (const { url } of hooks()) {
      const request = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: new Uint8Array(raw),
      }
      const answer = await fetch(`${String(url)}${ticket_id}&action=added`, request).catch(() => null)
      sent.push({ at: new Date(), event: `ticket ${ticket_id} added`, status: answer?.status ?? null })
    }
  }

  return {
    url: double.url,
    /** Resolves once the service has registered its webhooks. */
    async isWatched(signal: AbortSignal): Promise<void> {
      while (hooks().length === 0) await sleep(100, undefined, { signal })
    },
    /** A person writes a ticket. Its webhook is sent beside. */
    write(title: string): number {
      const id = ++last_ticket
      const now = { dateEntered: stamp(), lastUpdated: stamp() }
      double.add('/service/tickets', [
        {
          id,
          summary: title,
          board: BOARD,
          status: { id: 101, name: 'New' },
          company: COMPANY,
          closedFlag: false,
          _info: now,
        },
      ])
      void tell(id)
      return id
    },
    tickets: (): DeskTicket[] =>
      double
        .rowsOf('/service/tickets')
        .map(({ id, summary, status }) => ({
          id: Number(id),
          title: String(summary),
          status: String((status as Row).name),
          notes: double.rowsOf(`/service/tickets/${String(id)}/notes`).map(({ text }) => String(text)),
        }))
        .reverse(),
    /** The events that were sent, and the requests that came, the latest first. */
    log: () => ({ sent: sent.toReversed(), requests: double.requests.toReversed().slice(0, 30) }),
    close: double.close,
  }
}

export type Desk = Awaited<ReturnType<typeof startDesk>>
