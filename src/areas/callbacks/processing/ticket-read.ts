/** Tickets as they were read, of which areas above are told. */
import type { PsaTicket } from '../../../connectors/psa.ts'
import type { JobContext } from '../../../jobs/job.ts'
import { extensionPoint } from '../../../lib/extension-point.ts'

interface TicketRead {
  ticket: PsaTicket
  /** True if the ticket is new. */
  is_created: boolean
}

/** Told of every changed ticket, in the transaction that ends the processing of its callback. */
export const TICKET_READ = extensionPoint<(ctx: JobContext, read: TicketRead) => Promise<void>>(
  'the tickets that were read',
)
