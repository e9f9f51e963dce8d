/** Syncs of a tenant's integrations, page by page, without a worker. */
import { READ_PAGE } from '../../src/areas/integration-syncs/declared.ts'
import type { PsaDirectoryCompany } from '../../src/connectors/psa.ts'
import type { Services } from '../../src/gateway/context.ts'
import { clock } from './app.ts'
import { performWaiting, withPsa } from './due.ts'
import type { Msp } from './world.ts'

type Call = (operation: string, args: { name: string; input?: never }) => Promise<unknown>

/** Shows the integration as connected. */
export const showConnected = ({ database, tenant_id, environment }: Msp, name: string) =>
  database.prisma.integrationConnection.create({
    data: { tenant_id, environment, name, connected: true, updated_at: clock.now() },
  })

/** Performs the pages of the tenant's syncs until none waits. */
export async function performSyncs(msp: Msp, services?: Services): Promise<void> {
  while ((await performWaiting(msp, READ_PAGE.name, services && { services })) > 0);
}

/** A company as the directory of a PSA has it. */
export const directoryCompany = (
  psa_company_id: string,
  changes: Partial<PsaDirectoryCompany> = {},
): PsaDirectoryCompany => ({
  psa_company_id,
  name: `Company ${psa_company_id}`,
  is_active: true,
  attributes: {},
  domains: [],
  ...changes,
})

/** Reads the whole PSA, which has these companies and nobody there. `name` is shown as connected. */
export async function syncCompanies(
  msp: Msp,
  call: Call,
  rows: readonly PsaDirectoryCompany[],
  name = 'connectwise-psa',
): Promise<void> {
  const services = await withPsa(() => ({
    companyPage: async () => ({ rows: [...rows], next: null }),
    contactPage: async () => ({ rows: [], next: null }),
  }))
  const input = { is_full: true, accept_missing: true } as never
  await call('sync_integration', { name, input })
  await performSyncs(msp, services)
}
