/** The adapter of the port to an RMM for NinjaOne. Sources as in `api.ts`. */
import type { Adapter } from '../adapter.ts'
import type { VendorClient } from '../http/client.ts'
import { NAMED } from '../http/forms.ts'
import { createTokens } from '../http/tokens.ts'
import type { CompanyLinks } from '../links.ts'
import { PortRefusal, PortUnavailable } from '../port.ts'
import type { Rmm } from '../rmm.ts'
import { alertsOf } from './alerts.ts'
import { apiOf } from './api.ts'
import { devicesOf } from './devices.ts'
import { organisationsOf } from './organisations.ts'

const REFUSED = {
  ok: false,
  message: 'NinjaOne does not accept the client id or the client secret, or the client may not monitor.',
}

async function refuse(): Promise<never> {
  throw new PortRefusal('NOT_SUPPORTED')
}

export function ninjaOneRmm(client: VendorClient, links: CompanyLinks): Adapter<Rmm, 'NINJAONE'> {
  const tokens = createTokens()
  return {
    system: 'NINJAONE',
    // No request of these takes a key or answers with an id: whether one was made cannot be known. [OA]
    unsupported: new Set(['restartDevice', 'runScript', 'closeAlert'] as const),
    open(connection, ctx) {
      const api = apiOf(client, connection, tokens)
      const organisations = organisationsOf(links, ctx)
      return {
        ...devicesOf(api, organisations),
        ...alertsOf(api, organisations),
        restartDevice: refuse,
        runScript: refuse,
        closeAlert: refuse,
        outcomeOf: async () => 'NOT_MADE',
      }
    },
    async test(connection) {
      try {
        await apiOf(client, connection, tokens).list(NAMED, '/organizations', { pageSize: 1 })
        return { ok: true, message: 'NinjaOne lists its organizations.' }
      } catch (error) {
        if (error instanceof PortUnavailable && error.kind === 'CREDENTIALS') return REFUSED
        throw error
      }
    },
  }
}
