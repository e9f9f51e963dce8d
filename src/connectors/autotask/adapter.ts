/** The adapter of the port to a PSA for Autotask PSA. Sources as in `api.ts`. */
import type { Adapter } from '../adapter.ts'
import type { VendorClient } from '../http/client.ts'
import { PortUnavailable } from '../port.ts'
import type { Psa } from '../psa.ts'
import { apiOf, createShared } from './api.ts'
import { changesOf } from './changes.ts'
import { companiesOf } from './companies.ts'
import { directoryOf } from './directory.ts'
import { peopleOf } from './people.ts'
import { requestsForIds } from './query.ts'
import { ticketsOf } from './tickets.ts'
import { webhooksOf } from './webhooks.ts'
import { UNSUPPORTED, writesOf } from './writes.ts'

const REFUSED = {
  ok: false,
  message:
    'Autotask PSA does not accept the user name, the secret or the integration code, or they may not read it.',
}

export function autotaskPsa(client: VendorClient): Adapter<Psa, 'AUTOTASK_PSA'> {
  const shared = createShared(client)
  return {
    system: 'AUTOTASK_PSA',
    unsupported: new Set(UNSUPPORTED),
    requests_for_tickets: (count) => 2 * requestsForIds(count),
    open(connection, { now, is_first_try = false }) {
      const api = apiOf(shared, connection)
      return {
        ...companiesOf(api),
        ...directoryOf(api),
        ...peopleOf(api),
        ...ticketsOf(api, now),
        ...changesOf(api),
        ...writesOf(api, now, is_first_try),
      }
    },
    webhooks: webhooksOf(shared),
    async test(connection) {
      try {
        const api = apiOf(shared, connection)
        // People who test a connection have just changed it, or are told that the PSA has moved.
        shared.zones.forget(connection)
        await api.first('Companies', [], 1)
        const usage = await api.usage()
        const hour = usage && `: ${usage.used} of ${usage.allowed} requests of this hour are used`
        return { ok: true, message: `Autotask PSA${hour ?? ''}.` }
      } catch (error) {
        if (error instanceof PortUnavailable && error.kind === 'CREDENTIALS') return REFUSED
        throw error
      }
    },
  }
}
