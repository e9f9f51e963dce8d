import type { IntegrationSync } from '../../../src/db/generated/client/client.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { ownedBy } from '../../setup/suites/owned.ts'
import { instant, isEqual, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { performSyncs, showConnected } from '../../setup/syncs.ts'
import { installQueues } from '../agents/runnable.ts'

const integration_syncs: ListSampler<IntegrationSync> = {
  required: { name: 'hudu' },
  async add({ database: { prisma }, tenant_id, environment }, numbers) {
    await prisma.integrationSync.createMany({
      data: numbers.map((n) => ({
        tenant_id,
        environment,
        id: `syn_${n}`,
        name: n % 5 === 4 ? 'pax8' : 'hudu',
        is_full: n % 2 === 0,
        stages: [],
        status: n % 3 === 0 ? 'FAILED' : 'SUCCEEDED',
        created_at: instant(n),
        updated_at: instant(n),
      })),
    })
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.integrationSync.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.integrationSync.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: {
    name: isEqual('name', ['hudu', 'pax8']),
    status: isEqual('status', [['FAILED'], ['FAILED', 'SUCCEEDED'], ['CANCELLED']]),
  },
  steady: 'a system is synced a few times a day, one sync after the other',
}

export const SUITES: AreaSuites = {
  who_may: {
    integration_syncs: { scope: 'integrations:read' },
    integration_sync: { scope: 'integrations:read' },
    sync_integration: { scope: 'integrations:write' },
    cancel_integration_sync: { scope: 'integrations:write' },
    put_integration_customers: { scope: 'integrations:write', admins: true },
    integration_sync_updates: { scope: 'integrations:read' },
  },
  examples: {
    reads: {
      integration_syncs: { name: 'halo-psa', page_size },
      integration_sync: { name: 'halo-psa', sync_id: from('integration_syncs', 'id') },
    },
    writes: {
      sync_integration: { name: 'halo-psa', input: { is_full: true } },
      put_integration_customers: {
        name: 'sophos-central',
        input: {
          customers: [
            { external_id: 'b7c1', name: 'Brightwater Dental', domains: ['brightwater.example'] },
            { external_id: 'd2f8', name: 'Anglia Crop Sciences', asset_names: ['ACS-LT-014', 'ACS-SRV-01'] },
          ],
        },
      },
      cancel_integration_sync: { name: 'halo-psa', sync_id: from('sync_integration', 'id') },
    },
  },
  async own_rows(msp, { id, mark }) {
    const sync_id = `syn_${id}`
    await msp.database.prisma.integrationSync.create({
      data: {
        ...ownedBy(msp),
        id: sync_id,
        name: 'hudu',
        is_full: true,
        requested_by_name: mark,
        stages: [],
      },
    })
    return { sync_id }
  },
  change_followed: ({ database: { prisma }, tenant_id }) =>
    prisma.integrationSync.updateMany({ where: { tenant_id }, data: { revision: { increment: 1 } } }),
  lists: { integration_syncs },
  events: {
    async 'integration.sync_finished'({ msp, call }) {
      await installQueues()
      await showConnected(msp, 'halo-psa')
      await call('sync_integration', { name: 'halo-psa', input: { is_full: true } })
      await performSyncs(msp)
    },
  },
  channel_writes: {
    sync_integration: 'runs at once',
    cancel_integration_sync: 'runs at once',
    put_integration_customers: 'runs at once',
  },
  fetched_again: {
    sync_integration: ['integration', 'integration_syncs'],
    cancel_integration_sync: ['integration'],
    put_integration_customers: ['integration', 'integration_syncs'],
  },
  error_codes: {
    404: 'integration_sync_not_found',
    409: 'integration_not_syncable sync_already_running sync_not_cancellable',
  },
  foreign_tables: {
    integration_connection: 'the connection shows its latest sync, in the transaction that changes the sync',
    tenant_user: 'every user of the tenant is told of its syncs',
  },
}
