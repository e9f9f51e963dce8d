/** A service desk: people write tickets in the double of a PSA, which tells the service of the tickets and of notes on them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PsaDouble, SentRequest } from '../setup/psa-doubles/double.ts'

/** The address by which the service knows itself. Events go to `base` in its place. */
export const PUBLIC_URL = 'https://automation.example'

/** The status of an answer; null: there was none in time. */
type Status = number | null

interface Delivery {
  timeout_ms: number
  /** The pauses before each further attempt. */
  pauses_ms: readonly number[]
  isTriedAgain: (status: Status) => boolean
}

const AGAIN = new Set<Status>([404, 409, 419, 429])

/** The way in which each PSA sends events. An event whose attempts all fail is lost. */
const DELIVERIES: Readonly<Record<string, Delivery>> = {
  // [DG] PSA-Callbacks
  'connectwise-psa': {
    timeout_ms: 5000,
    pauses_ms: [2000, 4000],
    isTriedAgain: (status) => AGAIN.has(status),
  },
  // [HP] Webhooks_Error_Handling: 5 attempts in about 2 minutes. The pauses are unverified.
  'autotask-psa': {
    timeout_ms: 10_000,
    pauses_ms: [10_000, 20_000, 30_000, 60_000],
    isTriedAgain: (status) => status === null || status >= 300,
  },
  // Unverified: there is no second attempt, and the time-out.
  'halo-psa': { timeout_ms: 10_000, pauses_ms: [], isTriedAgain: () => false },
}

export interface SentEvent {
  event_id: string
  ticket_id: string
  statuses: Status[]
  /** The milliseconds of the last answer. */
  ms: number
}

const idOf = (letter: string, id: string): string => `${letter}${id.padStart(5, '0').slice(-5)}`

interface DeskOptions {
  /** True: the PSA does not get the answer of this attempt. */
  isLost?: () => boolean
}

export function openDesk(double: PsaDouble, base: string, { isLost = () => false }: DeskOptions = {}) {
  const delivery = DELIVERIES[double.name]
  if (!delivery) throw new Error(`The deliveries of ${double.name} are unknown`)
  const { timeout_ms, pauses_ms, isTriedAgain } = delivery
  const tickets: string[] = []
  const events: SentEvent[] = []
  /** The instants at which tickets got their first notes. */
  const noted_at = new Map<string, number>()
  let under_way = 0

  async function attempt({ url, headers, body }: SentRequest): Promise<Status> {
    const request = { method: 'POST', headers, body: new Uint8Array(body) }
    try {
      const address = url.replace(PUBLIC_URL, base)
      const answer = await fetch(address, { ...request, signal: AbortSignal.timeout(timeout_ms) })
      await answer.arrayBuffer()
      return answer.status
    } catch {
      return null
    }
  }

  async function send(event: SentEvent, sent: SentRequest): Promise<void> {
    for (const pause_ms of [0, ...pauses_ms]) {
      await sleep(pause_ms)
      const started = performance.now()
      const status = await attempt(sent)
      event.statuses.push(status)
      event.ms = performance.now() - started
      if (!isTriedAgain(isLost() ? null : status)) return
    }
  }

  async function tell(event_id: string, ticket_id: string, requests: readonly SentRequest[]): Promise<void> {
    under_way++
    for (const sent of requests) {
      const event = { event_id, ticket_id, statuses: [], ms: 0 }
      events.push(event)
      await send(event, sent)
    }
    under_way--
  }

  double.vendor.served.after = (request, answer) => {
    const note = double.noteIn(request, answer)
    if (!note) return
    if (!noted_at.has(note.ticket_id)) noted_at.set(note.ticket_id, Date.now())
    const event_id = idOf('n', note.note_id)
    void tell(event_id, note.ticket_id, double.sendNote({ ...note, event_id }))
  }

  return {
    double,
    tickets,
    events,
    noted_at,
    /** No event is under way. */
    isIdle: (): boolean => under_way === 0,
    /** A person writes a ticket. Resolves once its event was answered. */
    async write(): Promise<string> {
      const ticket_id = double.addTicket(`Ticket ${tickets.length + 1}`)
      tickets.push(ticket_id)
      const event_id = idOf('t', ticket_id)
      await tell(event_id, ticket_id, double.send({ ticket_id, action: 'ADDED', event_id }))
      return ticket_id
    },
  }
}

export type Desk = ReturnType<typeof openDesk>
