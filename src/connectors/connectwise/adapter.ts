/** The adapter of the port to a PSA for ConnectWise PSA. Sources as in `api.ts`. */
import { z } from 'zod'
import type { Adapter } from '../adapter.ts'
import type { VendorClient } from '../http/client.ts'
import { PortUnavailable } from '../port.ts'
import type { Psa } from '../psa.ts'
import { apiOf } from './api.ts'
import { changesOf } from './changes.ts'
import { companiesOf } from './companies.ts'
import { directoryOf } from './directory.ts'
import { peopleOf } from './people.ts'
import { requests_for_tickets, ticketsOf } from './tickets.ts'
import { webhooksOf } from './webhooks.ts'
import { writesOf } from './writes.ts'

/** The information about the system, which is always there. [OA] */
const INFO = z.object({ version: z.string().regex(/^v?[\d.]{1,20}$/) })

const REFUSED = {
  ok: false,
  // On the cloud wrong credentials can be answered with 404. [DG]
  message: 'ConnectWise PSA does not accept the company, the client id or the keys, or they may not read it.',
}

export const connectwisePsa = (client: VendorClient): Adapter<Psa, 'CONNECTWISE_PSA'> => ({
  system: 'CONNECTWISE_PSA',
  unsupported: new Set(['returnTimeEntry'] as const),
  requests_for_tickets,
  open(connection, { now, is_first_try = false }) {
    const api = apiOf(client, connection)
    return {
      ...changesOf(api),
      ...companiesOf(api),
      ...directoryOf(api),
      ...peopleOf(api),
      ...ticketsOf(api, now),
      ...writesOf(api, now, is_first_try),
    }
  },
  webhooks: webhooksOf(client),
  async test(connection) {
    try {
      const info = await apiOf(client, connection).get(INFO, '/system/info')
      return info
        ? { ok: true, message: `ConnectWise PSA, version ${info.version.replace('v', '')}.` }
        : REFUSED
    } catch (error) {
      if (error instanceof PortUnavailable && error.kind === 'CREDENTIALS') return REFUSED
      throw error
    }
  },
})
