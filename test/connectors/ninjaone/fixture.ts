/** The double of NinjaOne, with a tenant whose company links name its organisations. */
import { expect, onTestFinished } from 'vitest'
import { companyLinks } from '../../../src/areas/company-links/index.ts'
import type { Exchanged } from '../../../src/connectors/adapter.ts'
import { createVendorClient } from '../../../src/connectors/http/client.ts'
import { ninjaOneRmm } from '../../../src/connectors/ninjaone/adapter.ts'
import { REFRESH_TOKEN, SETTINGS, startNinjaOne } from '../../doubles/ninjaone/server.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { portContext } from '../../setup/psa.ts'
import { world } from '../../setup/world.ts'

/** Of the companies a and b, and of organisations that are nobody's. */
export const ORGANISATIONS = { a: 1, b: 2, also_a: 3, unsure: 4, unknown: 5 }

export const device = (id: number, organizationId: number, more: object = {}) => ({
  id,
  organizationId,
  nodeClass: 'WINDOWS_WORKSTATION',
  displayName: `PC-${String(id).padStart(4, '0')}`,
  systemName: `SYS${id}`,
  deviceType: 'AGENT',
  ...more,
})

export const uid = (id: number): string => `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`

export const alert = (id: number, deviceId: number, more: object = {}) => ({
  uid: uid(id),
  deviceId,
  message: `Disk of ${deviceId} is full`,
  createTime: 1_790_000_000.25 + id,
  severity: 'MAJOR',
  ...more,
})

/** An exchange of the one secret that the vendor may replace, which is kept nowhere. */
function exchanging(secret: string) {
  let stored = secret
  return async <Result>(
    _name: string,
    use: (value: string) => Promise<Exchanged<Result>>,
  ): Promise<Result> => {
    const { result, replaced_by } = await use(stored)
    stored = replaced_by ?? stored
    return result
  }
}

/** The settings with which scripts can be started. */
export const WITH_USER = { refresh_token: REFRESH_TOKEN }

export async function setUp(options: Parameters<typeof startNinjaOne>[0] = {}, more: object = {}) {
  const double = await startNinjaOne(options)
  const client = createVendorClient({
    allow_private_addresses: true,
    pause_ms: 1,
    read_ms: 2000,
    write_ms: 2000,
  })
  onTestFinished(async () => {
    await client.close()
    await double.close()
    expect(double.violations).toEqual([])
  })
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
  const confirmed = {
    system: 'NINJAONE',
    link_state: 'MANUAL',
    match_method: 'MANUAL',
    confidence: 1,
  } as const
  const { a, b, also_a, unsure } = ORGANISATIONS
  await addLinks(msp, [
    { ...confirmed, external_id: String(a), psa_company_id: 'psa_a' },
    { ...confirmed, external_id: String(b), psa_company_id: 'psa_b' },
    {
      ...confirmed,
      external_id: String(also_a),
      psa_company_id: 'psa_a',
      link_state: 'AUTO',
      confidence: 0.95,
    },
    { system: 'NINJAONE', external_id: String(unsure), psa_company_id: 'psa_a' },
  ])
  const adapter = ninjaOneRmm(client, companyLinks)
  const connection = {
    connection_id: 'c1',
    tenant_id: msp.tenant_id,
    environment: msp.environment,
    settings: { ...SETTINGS, ...more, site: double.url },
    exchange: exchanging(REFRESH_TOKEN),
  }
  const rmm = adapter.open(connection, portContext(msp))
  const other = adapter.open(connection, portContext(await world()))
  return { double, adapter, connection, rmm, other, msp }
}

export const ALL = { words: '', psa_company_id: null, limit: 50 }
