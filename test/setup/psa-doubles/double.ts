/** A double of a PSA, as journeys of events use it. */
import type { Hostility } from '../../doubles/vendor.ts'

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

export interface PsaDouble {
  /** The name of the integration. */
  name: string
  /** The body that connects it. */
  draft: Record<string, Record<string, string>>
  /** Adds a ticket that a person made just now, of a company that the PSA has. Answers with its id. */
  addTicket(title: string): string
  /** A person changes the ticket, a while after it was changed last. */
  changeTicket(ticket_id: string, title: string): void
  /** The texts of the notes on the ticket, the first one first. */
  notesOf(ticket_id: string): string[]
  /** The requests with which it tells of the event: one for each webhook that is registered for tickets. */
  send(event: PsaEvent): SentRequest[]
  /** The addresses to which it sends events. */
  webhooks(): string[]
  /** Fails this share of the requests to it, of reads and of writes whose answer is lost. */
  failing(share: number): void
  /** Sets the answers from now on; null: those of the PSA. */
  play(hostility: Hostility | null): void
  close(): Promise<unknown>
}
