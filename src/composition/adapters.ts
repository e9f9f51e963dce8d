/** The adapters of the systems that tenants connect. */
import { autotaskPsa } from '../connectors/autotask/adapter.ts'
import type { Adapters } from '../connectors/connectors.ts'
import { connectwisePsa } from '../connectors/connectwise/adapter.ts'
import { haloPsa } from '../connectors/halo/adapter.ts'
import type { VendorClient } from '../connectors/http/client.ts'

export const adaptersOf = (client: VendorClient): Adapters => ({
  psa: [connectwisePsa(client), autotaskPsa(client), haloPsa(client)],
  rmm: [],
  documents: [],
})
