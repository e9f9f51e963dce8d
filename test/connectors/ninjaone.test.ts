/** NinjaOne as an RMM: what is found of the companies that its organisations are mapped to, and nothing else. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { companyLinks } from '../../src/areas/company-links/index.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'
import { ninjaOneRmm } from '../../src/connectors/ninjaone/adapter.ts'
import { PortUnavailable } from '../../src/connectors/port.ts'
import { RMM } from '../../src/connectors/rmm.ts'
import { SETTINGS, startNinjaOne } from '../doubles/ninjaone/server.ts'
import { apisAt } from '../setup/api.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { connectedApp } from '../setup/connected.ts'
import { testDatabase } from '../setup/database.ts'
import { portContext } from '../setup/psa.ts'
import { world } from '../setup/world.ts'

/** Of the companies a and b, and of organisations that are nobody's. */
const ORGANISATIONS = { a: 1, b: 2, also_a: 3, unsure: 4, unknown: 5 }

const device = (id: number, organizationId: number, more: object = {}) => ({
  id,
  organizationId,
  nodeClass: 'WINDOWS_WORKSTATION',
  displayName: `PC-${String(id).padStart(4, '0')}`,
  systemName: `SYS${id}`,
  deviceType: 'AGENT',
  ...more,
})

const uid = (id: number): string => `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`

const alert = (id: number, deviceId: number, more: object = {}) => ({
  uid: uid(id),
  deviceId,
  message: `Disk of ${deviceId} is full`,
  createTime: 1_790_000_000.25 + id,
  severity: 'MAJOR',
  ...more,
})

async function setUp(options: Parameters<typeof startNinjaOne>[0] = {}, wrong: object = {}) {
  const double = await startNinjaOne(options)
  const client = createVendorClient({ allow_private_addresses: true, pause_ms: 1, read_ms: 2000 })
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
    settings: { ...SETTINGS, ...wrong, site: double.url },
  }
  const rmm = adapter.open(connection, portContext(msp))
  const other = adapter.open(connection, portContext(await world()))
  return { double, adapter, connection, rmm, other }
}

const ALL = { words: '', psa_company_id: null, limit: 50 }

describe('a connection to NinjaOne', () => {
  it('has every call of the port', async () => {
    const { rmm, adapter } = await setUp()
    expect(Object.keys(rmm).sort()).toEqual(Object.keys(RMM.calls).sort())
    for (const name of ['restartDevice', 'runScript', 'closeAlert'] as const) {
      expect(adapter.unsupported.has(name)).toBe(true)
      await expect(rmm[name]('1', 'k', {}, 'k')).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    }
  })

  it('is tested by a call', async () => {
    const { adapter, connection } = await setUp()
    expect(await adapter.test(connection)).toMatchObject({ ok: true })
  })

  it.each([{ client_id: 'x' }, { client_secret: 'x' }])('is refused with %j', async (wrong) => {
    const { adapter, connection, rmm } = await setUp({}, wrong)
    expect(await adapter.test(connection)).toMatchObject({ ok: false })
    await expect(rmm.device('1')).rejects.toMatchObject({ kind: 'CREDENTIALS' })
  })

  it('has one token, which is renewed after a 401 by all calls together', async () => {
    const { double, rmm } = await setUp()
    double.rows.devices.push(device(7, ORGANISATIONS.a))
    const read = () => Promise.all(Array.from({ length: 10 }, () => rmm.device('7')))
    for (const issued of [1, 2]) {
      expect(new Set((await read()).map((found) => found?.name))).toEqual(new Set(['PC-0007']))
      expect(double.issued()).toBe(issued)
      double.expireTokens()
    }
  })

  it.each([
    ['TOO_MANY', { kind: 'OUTAGE', retry_after_seconds: 30 }],
    ['ERROR', { kind: 'OUTAGE' }],
    ['MALFORMED', { kind: 'OUTAGE' }],
    ['NO_ANSWER', { kind: 'OUTAGE' }],
  ] as const)('is unavailable after %s, and says no secret', async (fault, expected) => {
    const { double, rmm } = await setUp()
    await rmm.device('7')
    double.faults.push(fault)
    const error = await rmm.device('7').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PortUnavailable)
    expect(error).toMatchObject(expected)
    expect(JSON.stringify([String(error), (error as Error).stack])).not.toMatch(/token-|secret-1/)
  })
})

describe('devices of NinjaOne', () => {
  it('are read with their company, user, disk and patches', async () => {
    const { double, rmm } = await setUp()
    const volumes = [
      { name: 'D:', driveLetter: 'D:', freeSpace: 1 },
      { name: 'C:', driveLetter: 'C:', freeSpace: 5_000_000_000 },
    ]
    double.rows.devices.push(
      device(7, ORGANISATIONS.also_a, {
        lastLoggedInUser: 'ACME\\ada',
        lastContact: 1_790_000_000.5,
        volumes,
      }),
      device(8, ORGANISATIONS.b, { nodeClass: 'LINUX_SERVER', displayName: null, volumes: [volumes[0]] }),
      device(9, ORGANISATIONS.b, { nodeClass: 'NMS_SWITCH' }),
    )
    const statuses = ['PENDING', 'APPROVED', 'FAILED', 'REJECTED', 'INSTALLED']
    double.rows.patches.push(...statuses.map((status) => ({ deviceId: 7, status })), { deviceId: 9 })
    double.rows.software.set(7, [{ name: 'Zip', version: '2' }, { name: 'Editor' }])
    expect(await rmm.device('7')).toEqual({
      device_id: '7',
      psa_company_id: 'psa_a',
      name: 'PC-0007',
      platform: 'WINDOWS',
      last_user: 'ACME\\ada',
      free_disk_bytes: 5_000_000_000,
      missing_patches: 3,
      last_seen_at: new Date(1_790_000_000_500),
    })
    expect(await rmm.device('8')).toMatchObject({
      name: 'SYS8',
      platform: 'LINUX',
      last_user: null,
      free_disk_bytes: 1,
      last_seen_at: null,
    })
    expect(await rmm.device('9')).toMatchObject({
      platform: 'OTHER',
      free_disk_bytes: null,
      missing_patches: 1,
    })
    expect(await rmm.softwareOf('7')).toEqual([
      { name: 'Editor', version: '' },
      { name: 'Zip', version: '2' },
    ])
    for (const id of ['77', '0', 'x', '9999999999', '7/alerts'])
      expect([await rmm.device(id), await rmm.softwareOf(id)]).toEqual([null, null])
  })

  it('are found by name, user or serial number, within the company, by name', async () => {
    const { double, rmm } = await setUp()
    const { a, b, also_a } = ORGANISATIONS
    double.rows.devices.push(
      device(1, a, { displayName: 'zeta', lastLoggedInUser: 'ada', system: { serialNumber: 'SN-77' } }),
      device(2, b, { displayName: 'Beta', system: { biosSerialNumber: 'BIOS-5' } }),
      device(3, also_a, { displayName: 'alpha' }),
    )
    const found = async (search: object) =>
      (await rmm.searchDevices({ ...ALL, ...search })).map(({ device_id }) => device_id)
    expect(await found({})).toEqual(['3', '2', '1'])
    expect(await found({ words: 'sn-77 ADA' })).toEqual(['1'])
    expect(await found({ words: 'bios-5' })).toEqual(['2'])
    expect(await found({ psa_company_id: 'psa_a' })).toEqual(['3', '1'])
    expect(await found({ psa_company_id: 'psa_a', words: 'beta' })).toEqual([])
    expect(await found({ psa_company_id: 'psa_none' })).toEqual([])
    expect(await found({ limit: 1 })).toEqual(['3'])
  })

  it('are not found if their organisation is nobody’s, or if its link awaits confirmation', async () => {
    const { double, rmm, other } = await setUp()
    const { a, unsure, unknown } = ORGANISATIONS
    double.rows.devices.push(device(1, a), device(2, unsure), device(3, unknown))
    double.rows.alerts.push(alert(1, 1), alert(2, 2), alert(3, 3))
    double.rows.activities.push(
      ...[1, 2, 3].map((id) => ({
        seriesUid: uid(id),
        deviceId: id,
        statusCode: 'TRIGGERED',
        activityTime: 5,
      })),
    )
    expect((await rmm.searchDevices(ALL)).map(({ device_id }) => device_id)).toEqual(['1'])
    expect((await rmm.searchAlerts(ALL)).map(({ device_id }) => device_id)).toEqual(['1'])
    for (const id of [2, 3]) {
      expect(await rmm.device(String(id))).toBeNull()
      expect(await rmm.softwareOf(String(id))).toBeNull()
      expect(await rmm.alert(uid(id))).toBeNull()
    }
    // Links of one tenant are nobody's of another.
    expect(await other.searchDevices(ALL)).toEqual([])
    expect(await other.searchAlerts({ ...ALL, psa_company_id: 'psa_a' })).toEqual([])
    expect([await other.device('1'), await other.alert(uid(1))]).toEqual([null, null])
  })

  it('are read page by page, also if pages are shorter than was asked for', async () => {
    const { double, rmm } = await setUp({ max_page: 100 })
    for (let id = 1; id <= 250; id++) {
      double.rows.devices.push(device(id, ORGANISATIONS.a))
      double.rows.patches.push({ deviceId: 250, status: 'PENDING' })
    }
    const found = await rmm.searchDevices({ ...ALL, limit: 250 })
    expect(found).toHaveLength(250)
    expect(found.at(-1)).toMatchObject({ name: 'PC-0250', missing_patches: 250 })
    expect(double.requests.filter((request) => request.includes('/devices-detailed'))).toHaveLength(4)
  })
})

describe('alerts of NinjaOne', () => {
  it.each([true, false])(
    'are found, the newest first (with their devices: %s)',
    async (alerts_have_devices) => {
      const { double, rmm } = await setUp({ alerts_have_devices })
      const { a, b } = ORGANISATIONS
      double.rows.devices.push(device(1, a), device(2, b))
      double.rows.alerts.push(
        alert(1, 1, { severity: 'CRITICAL' }),
        alert(2, 2),
        alert(3, 1, { message: 'Fan', severity: 'NONE' }),
      )
      const found = async (search: object) =>
        (await rmm.searchAlerts({ ...ALL, ...search })).map(({ alert_id }) => alert_id)
      expect(await found({ words: 'DISK full' })).toEqual([uid(2), uid(1)])
      expect(await found({ psa_company_id: 'psa_a' })).toEqual([uid(3), uid(1)])
      expect(await found({ limit: 1 })).toEqual([uid(3)])
      const severities = (await rmm.searchAlerts(ALL)).map(({ severity }) => severity)
      expect(severities).toEqual(['INFO', 'WARNING', 'CRITICAL'])
    },
  )

  it('are read while they are open, and after they have cleared', async () => {
    const { double, rmm } = await setUp()
    double.rows.devices.push(device(1, ORGANISATIONS.a))
    double.rows.alerts.push(alert(1, 1))
    const activity = (id: number, statusCode: string, activityTime: number) => ({
      seriesUid: uid(id),
      deviceId: 1,
      statusCode,
      activityTime,
      severity: 'CRITICAL',
      message: 'Disk gone',
    })
    double.rows.activities.push(
      activity(1, 'TRIGGERED', 1_790_000_001),
      activity(2, 'TRIGGERED', 1_790_000_000),
      activity(2, 'RESET', 1_790_000_060),
      activity(3, 'STARTED', 1_790_000_000),
    )
    expect(await rmm.alert(uid(1))).toMatchObject({
      device_id: '1',
      severity: 'WARNING',
      text: 'Disk of 1 is full',
      raised_at: new Date(1_790_000_001_250),
      cleared_at: null,
    })
    expect(await rmm.alert(uid(2))).toEqual({
      alert_id: uid(2),
      device_id: '1',
      severity: 'CRITICAL',
      text: 'Disk gone',
      raised_at: new Date(1_790_000_000_000),
      cleared_at: new Date(1_790_000_060_000),
    })
    // A script has activities too, and is no alert.
    for (const id of [uid(3), uid(4), 'x', '']) expect(await rmm.alert(id)).toBeNull()
  })
})

it('a tenant connects NinjaOne, and its agents get the tools for what it can do', async () => {
  const running = await connectedApp(await testDatabase())
  onTestFinished(() => running.app.close(0))
  const double = await startNinjaOne()
  onTestFinished(async () => void (await double.close()))
  for (const api of apisAt(async () => running.base)) {
    const msp = await world()
    const input = { ninjaone: { ...SETTINGS, site: double.url } }
    const connected = await api.call(msp.owner, 'connect_integration', { name: 'ninjaone', input })
    expect(connected.data).toMatchObject({ connected: true, ninjaone: { secrets_set: ['client_secret'] } })
    const tested = await api.call(msp.owner, 'test_integration', { name: 'ninjaone' })
    expect(tested.data).toMatchObject({ ok: true })
    const { data } = await api.call(msp.owner, 'tool_schemas', {})
    const available = (wanted: string) => data.find(({ name }: { name: string }) => name === wanted).available
    for (const tool of ['device.search', 'device.list_software', 'alert.read'])
      expect(available(tool)).toBe(true)
    for (const tool of ['device.restart', 'device.run_script', 'alert.close'])
      expect(available(tool)).toBe(false)
  }
  expect(double.violations).toEqual([])
})
