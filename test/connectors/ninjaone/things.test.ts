/** What is found of the companies that organisations of NinjaOne are mapped to, and nothing else. */
import { describe, expect, it } from 'vitest'
import { ALL, alert, device, ORGANISATIONS, setUp, uid } from './fixture.ts'

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
