/** The local PSA: an adapter of the port that keeps everything in the service's own database. */
import type { Psa, PsaConnector, PsaContext } from '../psa.ts'
import { companiesOf } from './companies.ts'
import { peopleOf } from './people.ts'
import { ticketsOf } from './tickets.ts'
import { writesOf } from './writes.ts'

const connect = (ctx: PsaContext): Psa => ({
  ...companiesOf(ctx),
  ...peopleOf(ctx),
  ...ticketsOf(ctx),
  ...writesOf(ctx),
})

export const localPsa: PsaConnector = Object.assign(connect, { joins_transactions: true as const })
