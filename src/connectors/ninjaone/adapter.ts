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
import { runsOf } from './runs.ts'
import { scriptsOf } from './scripts.ts'

const REFUSED = {
  ok: false,
  message: 'NinjaOne does not accept the client id or the client secret, or the client may not monitor.',
}

const USER_REFUSED = {
  ok: false,
  message: 'NinjaOne lists its organizations, and does not accept the refresh token.',
}

async function refuse(): Promise<never> {
  throw new PortRefusal('NOT_SUPPORTED')
}

export function ninjaOneRmm(client: VendorClient, links: CompanyLinks): Adapter<Rmm, 'NINJAONE'> {
  const tokens = createTokens()
  return {
    system: 'NINJAONE',
    // No request of these takes a key or answers with an id: whether one was made cannot be known. [OA]
    unsupported: new Set(['restartDevice', 'closeAlert'] as const),
    // A script starts in the name of a user alone. [IS]
    needed_secrets: { startScript: 'refresh_token' },
    open(connection, ctx) {
      const api = apiOf(client, connection, tokens)
      const organisations = organisationsOf(links, ctx)
      return {
        ...devicesOf(api, organisations),
        ...alertsOf(api, organisations),
        ...scriptsOf(api),
        ...runsOf(api, connection.settings.refresh_token !== undefined),
        restartDevice: refuse,
        closeAlert: refuse,
      }
    },
    async test(connection) {
      const api = apiOf(client, connection, tokens)
      let refusal = REFUSED
      try {
        await api.list(NAMED, '/organizations', { pageSize: 1 })
        if (connection.settings.refresh_token === undefined)
          return { ok: true, message: 'NinjaOne lists its organizations.' }
        refusal = USER_REFUSED
        await api.issueForUser()
        return { ok: true, message: 'NinjaOne lists its organizations, and accepts the refresh token.' }
      } catch (error) {
        if (error instanceof PortUnavailable && error.kind === 'CREDENTIALS') return refusal
        throw error
      }
    },
  }
}
