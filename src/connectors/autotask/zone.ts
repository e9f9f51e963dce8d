/** The zone of a user: the host that keeps the tenant's database. Sources as in `api.ts`. */
import { z } from 'zod'
import { isSafeAddress } from '../../lib/networks.ts'
import type { OpenedConnection } from '../adapter.ts'
import type { VendorClient } from '../http/client.ts'
import { VendorFailure } from '../http/failure.ts'
import { fitting } from '../http/forms.ts'
import { ownAddress } from '../http/owner.ts'
import { createKept } from '../kept.ts'
import { isRefusal } from './refusals.ts'

export interface Zone {
  /** Without a slash at its end. */
  api: string
  /** The address at which people use the PSA; null if it tells none. */
  web: string | null
}

const HOUR_MS = 3_600_000

/** Any zone tells every user's. [HP, DA] */
const ANY_ZONE = 'https://webservices.autotask.net'

const ZONE = z.object({ url: z.string().max(2000), webUrl: z.string().max(2000).nullish() })

/** null: the zone is not the vendor's own. */
function apiAt(text: string, site: URL): string | null {
  const url = ownAddress(text, site)
  // Some answers have double slashes. [PS]
  return url && url.origin + url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '')
}

function webAt(text: string | null | undefined): string | null {
  const url = text ? URL.parse(text) : null
  return url && isSafeAddress(url.href) ? url.origin : null
}

export type Connection = OpenedConnection<'AUTOTASK_PSA'>

/** What is kept of a connection is kept by this name: with another user it leads to another database. */
export const nameOf = ({ connection_id, settings: { site = ANY_ZONE, username } }: Connection): string =>
  `${connection_id} ${site} ${username}`

export function createZones(client: VendorClient) {
  const kept = createKept<Zone>(HOUR_MS)

  async function ask(connection: Connection): Promise<Zone> {
    const { site = ANY_ZONE, username } = connection.settings
    const caller = { ...connection, system: 'AUTOTASK_PSA' }
    const vendor = client.site(caller, site, { isRefusal })
    const path = '/atservicesrest/v1.0/zoneInformation'
    // Without credentials. A user that no zone knows is answered with 500. [HP, DA]
    const answer = await vendor.read({ path, query: { user: username } })
    if (!answer.is_ok) throw new VendorFailure('AUTOTASK_PSA does not know the user', { kind: 'CREDENTIALS' })
    const { url, webUrl } = fitting(caller.system, path, ZONE, answer.body)
    const api = apiAt(url, new URL(site))
    if (api === null) throw client.refused(caller, url, 'named a zone that is not its own')
    return { api, web: webAt(webUrl) }
  }

  return {
    of: (connection: Connection): Promise<Zone> => kept.get(nameOf(connection), () => ask(connection)),
    /** A tenant can move to another zone: it is asked for again. */
    forget: (connection: Connection): void => kept.forget(nameOf(connection)),
  }
}
