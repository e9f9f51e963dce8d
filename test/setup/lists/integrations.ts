import { type IntegrationCategory, REGISTRY } from '../../../src/areas/integrations/registry.ts'
import type { IntegrationRequest, IntegrationSync } from '../../../src/db/generated/client/client.ts'
import { instant, isEqual, isIn, type ListSampler, newestFirst } from './sampler.ts'

interface Status {
  id: string
  label: string
  category: IntegrationCategory
  connected: boolean
}

export const integrations: ListSampler<Status> = {
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
}

export const integration_requests: ListSampler<IntegrationRequest> = {
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
}

export const integration_syncs: ListSampler<IntegrationSync> = {
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
}
