/** The adapters of the systems that tenants connect. */
import { companyLinks } from '../areas/company-links/index.ts'
import { autotaskPsa } from '../connectors/autotask/adapter.ts'
import type { Adapters } from '../connectors/connectors.ts'
import { connectwisePsa } from '../connectors/connectwise/adapter.ts'
import { haloPsa } from '../connectors/halo/adapter.ts'
import type { VendorClient } from '../connectors/http/client.ts'
import { ninjaOneRmm } from '../connectors/ninjaone/adapter.ts'

export const adaptersOf = (client: VendorClient): Adapters => ({
  psa: [connectwisePsa(client), autotaskPsa(client), haloPsa(client)],
  rmm: [ninjaOneRmm(client, companyLinks)],
  documents: [],
})
