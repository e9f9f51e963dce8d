/** Autotask PSA as its tests meet it: the adapter and its double. */
import { expect, onTestFinished } from 'vitest'
import { noExchange } from '../../../src/areas/integrations/connection/exchange.ts'
import { autotaskPsa } from '../../../src/connectors/autotask/adapter.ts'
import { createVendorClient } from '../../../src/connectors/http/client.ts'
import type { PortContext } from '../../../src/connectors/port.ts'
import type { Row } from '../../doubles/autotask/query.ts'
import { SETTINGS, startAutotask } from '../../doubles/autotask/server.ts'

export const NOW = new Date('2026-11-01T12:00:00Z')
const DAY_MS = 86_400_000

export async function serve(settings: Partial<typeof SETTINGS & { site: string }> = {}) {
  const double = await startAutotask({ now: () => NOW })
  const client = createVendorClient({ allow_private_addresses: true, pause_ms: 1, read_ms: 2000 })
  onTestFinished(async () => {
    await client.close()
    await double.close()
    expect(double.violations).toEqual([])
  })
  const connection = {
    connection_id: 'c1',
    exchange: noExchange,
    tenant_id: 't1',
    environment: 'test',
    settings: { site: double.url, ...SETTINGS, ...settings },
  }
  const adapter = autotaskPsa(client)
  const psa = adapter.open(connection, { now: NOW } as PortContext)
  /** The requests since the zone was asked for. */
  const requests = () => double.requests.filter((request) => !request.includes('zoneInformation'))
  const { webhooks } = adapter
  if (!webhooks) throw new Error('The adapter has no webhooks')
  return { double, psa, requests, connection, webhooks, test: () => adapter.test(connection) }
}

export type Served = Awaited<ReturnType<typeof serve>>

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
export const company = (id: number): Row => ({ id, companyName: `Company ${id}`, isActive: true })
export const ticket = (id: number, rest: Row = {}): Row => ({
  id,
  title: `Ticket ${id}`,
  ticketNumber: `T${id}`,
  companyID: 1,
  status: 1,
  queueID: 8,
  priority: 1,
  createDate: new Date(NOW.getTime() - (10_000 - id) * DAY_MS).toISOString(),
  lastActivityDate: NOW.toISOString(),
  ...rest,
})
export const draft = { psa_company_id: '1', contact_id: null, title: 'New', description: 'x', board: null }
