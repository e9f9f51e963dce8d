/** The adapter of the port to a PSA for HaloPSA. Sources as in `api.ts`. */
import type { Adapter } from '../adapter.ts'
import type { VendorClient } from '../http/client.ts'
import { NAMED } from '../http/forms.ts'
import { createTokens } from '../http/tokens.ts'
import { createKept } from '../kept.ts'
import { PortUnavailable } from '../port.ts'
import type { Psa } from '../psa.ts'
import { actionsOf } from './actions.ts'
import { apiOf } from './api.ts'
import { changesOf } from './changes.ts'
import { companiesOf } from './companies.ts'
import { directoryOf } from './directory.ts'
import { peopleOf } from './people.ts'
import { ticketsOf } from './tickets.ts'
import { webhooksOf } from './webhooks.ts'
import { writesOf } from './writes.ts'

const REFUSED = {
  ok: false,
  message:
    'HaloPSA does not accept the tenant, the client id or the client secret, or its agent may not read it.',
}

/** Choices change rarely, and hosted systems take 300 requests in five minutes. [HA] */
const CHOICES_MS = 300_000

export function haloPsa(client: VendorClient): Adapter<Psa, 'HALO_PSA'> {
  const memory = { tokens: createTokens(), choices: createKept<unknown>(CHOICES_MS) }
  return {
    system: 'HALO_PSA',
    unsupported: new Set(['mergeTicket', 'returnTimeEntry', 'timeEntryChangePage'] as const),
    requests_for_tickets: (count) => 2 * count,
    open(connection, { now, is_first_try = false }) {
      const api = apiOf(client, connection, memory)
      return {
        ...actionsOf(api, now),
        ...changesOf(api),
        ...companiesOf(api),
        ...directoryOf(api, now),
        ...peopleOf(api),
        ...ticketsOf(api, now),
        ...writesOf(api, now, is_first_try),
      }
    },
    webhooks: webhooksOf((connection) => apiOf(client, connection, memory)),
    async test(connection) {
      try {
        const agent = await apiOf(client, connection, memory).get(NAMED, '/Agent/me')
        if (!agent) return REFUSED
        // What an application cannot see is empty, not refused: without statuses nothing works. [HA, KB]
        const statuses = await apiOf(client, connection, memory).list(NAMED, '/Status', { type: 'ticket' })
        if (statuses.length === 0) return REFUSED
        return { ok: true, message: `HaloPSA, as the agent ${agent.name ?? agent.id}.` }
      } catch (error) {
        if (error instanceof PortUnavailable && error.kind === 'CREDENTIALS') return REFUSED
        throw error
      }
    },
  }
}
