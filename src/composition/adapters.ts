/** The adapters of the systems that tenants connect. */
import { companyLinks } from '../areas/company-links/index.ts'
import { autotaskPsa } from '../connectors/autotask/adapter.ts'
import { bounded } from '../connectors/bounded-adapter.ts'
import type { Adapters } from '../connectors/connectors.ts'
import { connectwisePsa } from '../connectors/connectwise/adapter.ts'
import { haloPsa } from '../connectors/halo/adapter.ts'
import type { VendorClient } from '../connectors/http/client.ts'
import { ninjaOneRmm } from '../connectors/ninjaone/adapter.ts'
import { PSA } from '../connectors/psa.ts'
import { RMM } from '../connectors/rmm.ts'

/** Each within the bounds of its port. */
export const adaptersOf = (client: VendorClient): Adapters => ({
  psa: [
    bounded(connectwisePsa(client), PSA),
    bounded(autotaskPsa(client), PSA),
    bounded(haloPsa(client), PSA),
  ],
  rmm: [bounded(ninjaOneRmm(client, companyLinks), RMM)],
  documents: [],
})
