import fc from 'fast-check'
import { encryptSecrets, placeOf } from '../../../src/areas/integrations/credentials.ts'
import { type IntegrationCategory, REGISTRY } from '../../../src/areas/integrations/registry.ts'
import { setRequestStatus } from '../../../src/areas/integrations/review.ts'
import { runRecorded } from '../../../src/commands/tenant/recorded.ts'
import type { IntegrationRequest } from '../../../src/db/generated/client/client.ts'
import { createSecretBox } from '../../../src/lib/secret-box.ts'
import { clock, ENCRYPTION_KEY } from '../../setup/app.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { instant, isEqual, isIn, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { some } from '../../setup/suites/sent-back.ts'
import { showConnected } from '../../setup/syncs.ts'

interface Status {
  id: string
  label: string
  category: IntegrationCategory
  connected: boolean
}

const integrations: ListSampler<Status> = {
  async add({ database: { prisma }, tenant_id, environment }, numbers) {
    const some = REGISTRY.filter((_, index) => numbers.includes(index))
    await prisma.integrationConnection.createMany({
      data: some.map(({ name }, index) => ({
        tenant_id,
        environment,
        name,
        connected: index % 3 !== 0,
        updated_at: instant(0),
      })),
    })
  },
  async rows({ database: { prisma }, tenant_id }) {
    const connections = await prisma.integrationConnection.findMany({ where: { tenant_id } })
    const connected = new Set(connections.filter((one) => one.connected).map(({ name }) => name))
    return REGISTRY.map(({ name, label, category }) => ({
      id: name,
      label,
      category,
      connected: connected.has(name),
    }))
  },
  id: 'id',
  orders: { '': [{ value: ({ label }) => label.toLowerCase() }, { value: ({ id }) => id }] },
  filters: {
    category: isEqual('category', ['PSA', 'SECURITY']),
    connected: isEqual('connected', [true, false]),
    search: isIn(({ label }) => [label], ['CONNECT', 'a', '%']),
  },
  bounded: { rows: 60, because: 'they are the service’s own, in memory, with whether each is connected' },
  steady: 'its rows are the service’s own',
}

const integration_requests: ListSampler<IntegrationRequest> = {
  async add({ database: { prisma }, tenant_id, environment }, numbers) {
    await prisma.integrationRequest.createMany({
      data: numbers.map((n) => ({
        tenant_id,
        environment,
        id: `irq_${n}`,
        vendor_name: `Vendor ${n}`,
        use_case: 'Tickets',
        requested_by_name: 'Ada',
        created_at: instant(n),
        status: n % 3 === 0 ? 'PLANNED' : 'RECEIVED',
        access: n % 2 === 0 ? 'READ_WRITE' : 'READ_ONLY',
      })),
    })
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.integrationRequest.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.integrationRequest.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: {
    status: isEqual('status', [['PLANNED'], ['PLANNED', 'RECEIVED'], ['DECLINED']]),
    access: isEqual('access', ['READ_ONLY', 'READ_WRITE']),
  },
  steady: 'a tenant may make a few a day',
}

export const SUITES: AreaSuites = {
  who_may: {
    integrations: { scope: 'integrations:read' },
    integration: { scope: 'integrations:read' },
    chat_app_status: { scope: 'integrations:read' },
    integration_requests: { scope: 'integrations:read' },
    integration_request: { scope: 'integrations:read' },
    request_integration: { scope: 'integrations:write' },
    connection_schemas: 'any caller',
    integration_connection: 'dashboard admins',
    connect_integration: 'dashboard admins',
    disconnect_integration: 'dashboard admins',
    test_integration: 'dashboard admins',
  },
  examples: {
    reads: {
      integrations: { connected: true, page_size },
      integration: { name: 'ninjaone' },
      integration_connection: { name: 'connectwise-psa' },
      connection_schemas: {},
      chat_app_status: {},
      integration_requests: { page_size },
      integration_request: { request_id: from('integration_requests', 'id') },
    },
    writes: {
      request_integration: {
        input: {
          vendor_name: 'Acme Backup',
          use_case: 'Read the results of last night’s backups before a ticket is answered.',
          docs_url: 'https://docs.acme-backup.example/api',
          access: 'READ_ONLY',
          can_share_test_key: true,
        },
      },
      connect_integration: {
        name: 'connectwise-psa',
        input: {
          connectwise_psa: {
            site: 'https://api-eu.myconnectwise.net',
            company: 'harbourline',
            client_id: 'd3c5b2a1-0000-4000-8000-000000000000',
            public_key: 'the-public-key',
            private_key: 'the-private-key',
          },
        },
      },
      test_integration: { name: 'connectwise-psa' },
      disconnect_integration: { name: 'connectwise-psa' },
    },
  },
  async own_rows({ database: { prisma }, tenant_id, environment }, { id, mark }) {
    const request_id = `irq_${id}`
    const now = clock.now()
    const tenancy = { tenant_id, environment }
    const updated = { ...tenancy, updated_at: now }
    await prisma.integrationRequest.create({
      data: {
        ...tenancy,
        created_at: now,
        id: request_id,
        vendor_name: mark,
        use_case: mark,
        requested_by_name: mark,
      },
    })
    await prisma.integrationConnection.upsert({
      where: { tenant_id_environment_name: { ...tenancy, name: 'hudu' } },
      create: { ...updated, name: 'hudu', connected: true, health_message: mark },
      update: { health_message: mark },
    })
    const place = { ...tenancy, name: 'connectwise-psa' }
    const secret_box = createSecretBox([ENCRYPTION_KEY])
    const filled = {
      settings: { site: 'https://psa.example', company: mark, client_id: 'c' },
      secret_names: ['public_key', 'private_key'],
      secrets: encryptSecrets(secret_box, place, { public_key: 'p', private_key: 'q' }),
      ingest_secret: secret_box.encrypt('i', placeOf(place, 'ingest_secret')),
      updated_by_name: mark,
    }
    await prisma.systemConnection.upsert({
      where: { tenant_id_environment_name: place },
      create: { ...updated, ...place, connection_id: `con_${mark}`, ...filled },
      update: filled,
    })
    await prisma.chatAppWorkspace.upsert({
      where: { tenant_id_environment: tenancy },
      create: {
        ...tenancy,
        team_id: mark,
        team_name: mark,
        installer_email: `${mark}@example.test`,
        installed_at: now,
      },
      update: { team_name: mark },
    })
    return { request_id }
  },
  shown_by: { connection_schemas: 'nothing' },
  lists: { integrations, integration_requests },
  events: {
    async 'integration.disconnected'({ msp, call }) {
      await showConnected(msp, 'halo-psa')
      await call('disconnect_integration', { name: 'halo-psa' })
    },
    async 'integration.healthy'({ msp }) {
      await showConnected(msp, 'halo-psa')
      const { integrationConnection } = msp.database.prisma
      const where = { tenant_id: msp.tenant_id }
      await integrationConnection.updateMany({ where, data: { health: 'DOWN' } })
      await integrationConnection.updateMany({ where, data: { health: 'HEALTHY' } })
    },
    async 'integration.request_updated'({ msp, call }) {
      const input = { vendor_name: 'Zeta RMM', use_case: 'Read devices' }
      const { id } = await call('request_integration', { input })
      const { database, environment, tenant_id } = msp
      const place = { database, environment, key_peppers: [''] as const }
      await runRecorded(place, tenant_id, (ctx) => setRequestStatus(ctx, id, 'PLANNED'))
    },
  },
  channel_writes: {
    request_integration: 'runs at once',
    connect_integration: 'is refused',
    disconnect_integration: 'is refused',
    test_integration: 'is refused',
  },
  fetched_again: {
    request_integration: ['integration_requests'],
    connect_integration: ['company_filters', 'integration', 'tenant'],
    disconnect_integration: ['integration', 'tenant'],
  },
  sent_back: {
    connect_integration: {
      read: 'integration_connection',
      args: () => ({ name: 'connectwise-psa' }),
      bodies: () =>
        some({ connectwise_psa: some({ company: fc.constantFrom('a', 'b-1') }) })
          .filter((body) => 'connectwise_psa' in body)
          .map((body) => ({ ...body, poll_interval_seconds: 0 })),
    },
  },
  error_codes: {
    404: 'unknown_integration integration_request_not_found',
    409: 'integration_not_connectable integration_not_connected integration_exists',
  },
  foreign_tables: {
    tenant: 'the type of PSA is set in the transaction that connects it; the tenant imports the integrations',
  },
  single_rows: {
    'integrations.connection_of_events': 'the tenant of an event is not known before it is read',
  },
}
