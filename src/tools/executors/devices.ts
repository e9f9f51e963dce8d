/** Devices and alerts in the RMM. */
import type { RmmAlert, RmmDevice } from '../../connectors/rmm.ts'
import { requireFound } from '../failure.ts'
import { type Search, searchOf } from '../search.ts'
import { inRmm, type Ports, type ToolResult } from '../tool-context.ts'

interface OfDevice {
  device_id: string
}

interface OfAlert {
  alert_id: string
}

async function summariesOf({ psa }: Ports, devices: readonly RmmDevice[]): Promise<ToolResult[]> {
  const names = await psa.companyNames(devices.map(({ psa_company_id }) => psa_company_id))
  return devices.map(({ device_id, name, platform, last_seen_at }, index) => ({
    device_id,
    name,
    platform,
    company: names[index] ?? null,
    last_seen_at: last_seen_at?.toISOString() ?? null,
  }))
}

const alertOf = ({ alert_id, device_id, severity, text, raised_at, cleared_at }: RmmAlert): ToolResult => ({
  alert_id,
  device_id,
  severity,
  text,
  raised_at: raised_at.toISOString(),
  cleared_at: cleared_at?.toISOString() ?? null,
})

export const DEVICE_EXECUTORS = {
  'device.search': inRmm(async (rmm, search: Search, _call, ports) => ({
    results: await summariesOf(ports, await rmm.searchDevices(searchOf(search))),
  })),
  'device.read': inRmm(async (rmm, { device_id }: OfDevice, _call, ports) => {
    const device = requireFound(await rmm.device(device_id), 'device_not_found')
    const { last_user, free_disk_bytes, missing_patches } = device
    const [summary] = await summariesOf(ports, [device])
    return { ...summary, last_user, free_disk_bytes, missing_patches }
  }),
  'device.list_software': inRmm(async (rmm, { device_id }: OfDevice) => ({
    software: requireFound(await rmm.softwareOf(device_id), 'device_not_found'),
  })),
  'device.restart': inRmm(async (rmm, args: OfDevice, { key }) => {
    const { device_id } = await rmm.restartDevice(args.device_id, key)
    return { device_id }
  }),
  'alert.read': inRmm(async (rmm, { alert_id }: OfAlert) =>
    alertOf(requireFound(await rmm.alert(alert_id), 'alert_not_found')),
  ),
  'alert.search': inRmm(async (rmm, search: Search) => ({
    results: (await rmm.searchAlerts(searchOf(search))).map(alertOf),
  })),
  'alert.close': inRmm(async (rmm, args: OfAlert, { key }) => {
    const { alert_id } = await rmm.closeAlert(args.alert_id, key)
    return { alert_id }
  }),
}
