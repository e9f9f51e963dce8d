/** A double of a PSA, as journeys of events use it. */
import type { DoubleAnswer, DoubleRequest, Fault, Hostility, Row, Vendor } from '../../doubles/vendor.ts'

export interface SentRequest {
  /** The address as the PSA calls it. */
  url: string
  headers: Record<string, string>
  body: Buffer
}

export interface PsaEvent {
  ticket_id: string
  action: 'ADDED' | 'UPDATED'
  /** The same when the event is sent again. */
  event_id: string
}

interface WrittenNote {
  ticket_id: string
  note_id: string
}

/** Takes the row out of the rows. Call the answer to put it back. */
export function takeOut(rows: Row[], row: Row): () => void {
  rows.splice(rows.indexOf(row), 1)
  return () => void rows.push(row)
}

export interface PsaDouble {
  /** The name of the integration. */
  name: string
  /** The body that connects it. */
  draft: Record<string, Record<string, string>>
  /** Adds a ticket that a person made just now, of a company that the PSA has. Answers with its id. */
  addTicket(title: string): string
  /** A person changes the ticket, a while after it was changed last. */
  changeTicket(ticket_id: string, title: string): void
  /** Hides the ticket, which the PSA has and does not show yet. Call the answer to show it. */
  hideTicket(ticket_id: string): () => void
  /** A contact who is not the contact of the ticket writes on it, a while after it was changed last. */
  reply(ticket_id: string, text: string): void
  /** The texts of the notes on the ticket, the first one first. */
  notesOf(ticket_id: string): string[]
  /** The requests with which it tells of the event: one for each webhook that is registered for tickets. */
  send(event: PsaEvent): SentRequest[]
  /** The note that a request wrote; null: it wrote none. */
  noteIn(request: DoubleRequest, answer: DoubleAnswer): WrittenNote | null
  /** The requests with which it tells of the note, if it does. */
  sendNote(note: WrittenNote & { event_id: string }): SentRequest[]
  /** The addresses to which it sends events. */
  webhooks(): string[]
  /** Every request that came: its method, path and query. */
  requests: readonly string[]
  /** Fails this share of the requests to it, of reads and of writes whose answer is lost. */
  failing(share: number): void
  /** The fault of each request from now on; a system that is busy takes requests again after a second. */
  faulty(fault: () => Fault | undefined): void
  /** Sets the answers from now on; null: those of the PSA. */
  play(hostility: Hostility | null): void
  vendor: Vendor
  close(): Promise<unknown>
}
