/** Devices of NinjaOne and their software. Sources as in `api.ts`. */
import { z } from 'zod'
import { amount, count, flag, maybe, reference, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import type { Rmm, RmmDevice, RmmListedDevice } from '../rmm.ts'
import { byName, hasWords, wordsOf } from '../words.ts'
import { type Api, instant } from './api.ts'
import { OF_ORGANISATION, type Organisations } from './organisations.ts'

/** [OA: Device, AgentDevice, ComputerSystem, Volume] */
const VOLUME = z.object({ name: text, driveLetter: text, freeSpace: amount })

type VolumeRow = z.infer<typeof VOLUME>

const DEVICE = OF_ORGANISATION.extend({
  id: count,
  nodeClass: text,
  displayName: text,
  systemName: text,
  dnsName: text,
  offline: flag,
  lastContact: amount,
  lastLoggedInUser: text,
  system: maybe(z.object({ serialNumber: text, biosSerialNumber: text })),
  volumes: maybe(z.array(VOLUME)),
})

type DeviceRow = z.infer<typeof DEVICE>

/** [OA: OSPatchReport] */
const PATCH = z.object({ deviceId: reference, status: text })

const SOFTWARE = z.object({ name: text, version: text })

/** By the first word of the class; others are devices of the network, phones and hosts of machines. [OA] */
const PLATFORMS: Readonly<Record<string, RmmDevice['platform']>> = {
  WINDOWS: 'WINDOWS',
  MAC: 'MACOS',
  LINUX: 'LINUX',
}

/** Patches that nobody wants, or that are there. Unverified: the names of the statuses. */
const NOT_MISSING = new Set(['REJECTED', 'INSTALLED'])

/** The most that a tool tells. */
const MAX_PATCHES = 10_000

const platformOf = ({ nodeClass }: DeviceRow): RmmDevice['platform'] =>
  PLATFORMS[nodeClass?.split('_')[0] ?? ''] ?? 'OTHER'

const nameOf = ({ displayName, systemName, dnsName, id }: DeviceRow): string =>
  displayName || systemName || dnsName || String(id)

/** The volume of the operating system, if its name says so or if it is the only one. Unverified: names beside Windows. */
function freeSystemSpace(volumes: readonly VolumeRow[]): number | null {
  const system = volumes.find(
    ({ name, driveLetter }) => /^c:?\\?$/i.test(driveLetter || name || '') || name === '/',
  )
  const volume = system ?? (volumes.length === 1 ? volumes[0] : undefined)
  return volume?.freeSpace ?? null
}

const listed = (row: DeviceRow, company: string | undefined): RmmListedDevice => ({
  device_id: String(row.id),
  name: nameOf(row),
  psa_company_id: company ?? null,
  platform: platformOf(row),
  online: row.offline !== true,
  last_seen_at: instant(row.lastContact),
  last_user: row.lastLoggedInUser || null,
})

const textsOf = (row: DeviceRow) => [
  nameOf(row),
  row.systemName,
  row.lastLoggedInUser,
  row.system?.serialNumber,
  row.system?.biosSerialNumber,
]

/** The row of a device; null if there is none. */
export const deviceRow = async (api: Api, device_id: string): Promise<DeviceRow | null> => {
  const id = idOf(device_id)
  return id === null ? null : await api.get(DEVICE, `/device/${id}`)
}

export function devicesOf(
  api: Api,
  organisations: Organisations,
): Pick<Rmm, 'searchDevices' | 'device' | 'softwareOf' | 'devicePage' | 'listedDevice'> {
  async function withPatches(found: readonly (readonly [DeviceRow, string])[]): Promise<RmmDevice[]> {
    const patches = await api.report(
      PATCH,
      'os-patches',
      found.map(([{ id }]) => id),
    )
    const missing = new Map<number, number>()
    for (const { deviceId, status } of patches)
      if (deviceId && !NOT_MISSING.has(status ?? '')) missing.set(deviceId, (missing.get(deviceId) ?? 0) + 1)
    return found.map(([row, psa_company_id]) => ({
      device_id: String(row.id),
      psa_company_id,
      name: nameOf(row),
      platform: platformOf(row),
      last_user: row.lastLoggedInUser || null,
      free_disk_bytes: freeSystemSpace(row.volumes ?? []),
      missing_patches: Math.min(missing.get(row.id) ?? 0, MAX_PATCHES),
      last_seen_at: instant(row.lastContact),
    }))
  }

  /** The device with its company; null if it has none. */
  async function owned(device_id: string): Promise<readonly [DeviceRow, string] | null> {
    const row = await deviceRow(api, device_id)
    const company = row && (await organisations.companyOf([row]))(row)
    return company ? [row, company] : null
  }

  return {
    // The vendor's own search has no organisation, and does not say in which fields it looks.
    async searchDevices({ words, psa_company_id, limit }) {
      const scope = await organisations.scopeOf(psa_company_id)
      if (!scope) return []
      const wanted = wordsOf(words)
      const rows = await api.all(DEVICE, '/devices-detailed', scope.query)
      const matched = rows.filter((row) => hasWords(wanted, textsOf(row)))
      const companyOf = await scope.companyOf(matched)
      const found = matched
        .flatMap((row) => {
          const company = companyOf(row)
          return company === undefined ? [] : [{ name: nameOf(row), row, company }]
        })
        .sort(byName)
      return await withPatches(found.slice(0, limit).map(({ row, company }) => [row, company] as const))
    },
    async device(device_id) {
      const found = await owned(device_id)
      return found && ((await withPatches([found]))[0] ?? null)
    },
    async softwareOf(device_id) {
      const found = await owned(device_id)
      if (!found) return null
      const rows = await api.list(SOFTWARE, `/device/${found[0].id}/software`)
      return rows.map(({ name, version }) => ({ name: name ?? '', version: version ?? '' })).sort(byName)
    },
    async devicePage({ psa_company_id, after }) {
      const scope = await organisations.scopeOf(psa_company_id)
      const last = after === null ? 0 : idOf(after)
      if (!scope || last === null) return { rows: [], next: null }
      const page = await api.page(DEVICE, '/devices-detailed', scope.query, last)
      const companyOf = await scope.companyOf(page.rows)
      const rows = page.rows
        .map((row) => listed(row, companyOf(row)))
        .filter((device) => psa_company_id === null || device.psa_company_id === psa_company_id)
      return { rows, next: page.next === null ? null : String(page.next) }
    },
    async listedDevice(device_id) {
      const row = await deviceRow(api, device_id)
      return row && listed(row, (await organisations.companyOf([row]))(row))
    },
  }
}
