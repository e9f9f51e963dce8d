/** The local PSA: an adapter of the port that keeps everything in the service's own database. */
import type { PortContext } from '../port.ts'
import type { Psa, PsaConnector } from '../psa.ts'
import { changesOf } from './changes.ts'
import { companiesOf } from './companies.ts'
import { directoryOf } from './directory.ts'
import { peopleOf } from './people.ts'
import { ticketWritesOf } from './ticket-writes.ts'
import { ticketsOf } from './tickets.ts'
import { writesOf } from './writes.ts'

const connect = (ctx: PortContext): Psa => ({
  ...changesOf(ctx),
  ...companiesOf(ctx),
  ...directoryOf(ctx),
  ...peopleOf(ctx),
  ...ticketsOf(ctx),
  ...writesOf(ctx),
  ...ticketWritesOf(ctx),
})

export const localPsa: PsaConnector = Object.assign(connect, { joins_transactions: true as const })
