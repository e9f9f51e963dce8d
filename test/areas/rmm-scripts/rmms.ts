/** RMMs with one script and two devices, behind the service with the adapters of real systems. */
import { expect, onTestFinished } from 'vitest'
import { REFRESH_TOKEN, SETTINGS, startNinjaOne } from '../../doubles/ninjaone/server.ts'
import type { Api } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addLinks } from '../../setup/companies.ts'
import { connect } from '../../setup/local-systems.ts'
import { addLocalDevices, addLocalScripts } from '../../setup/rmm-scripts.ts'
import type { Msp } from '../../setup/world.ts'

export const SCRIPT_NAME = 'Disk report'
export const WRITTEN = 'C: has 12 GB.'
/** Seconds that a run takes. */
const TAKES_SECONDS = 30

/** Of the companies `psa_a` and `psa_b`. */
export const DEVICES = { a: '1', b: '2' }

/** A RMM, as people and devices change it. */
interface PlayedRmm {
  /** The exit code of a run that succeeds. */
  exit_code: number | null
  /** The device of each start, the first one first. */
  starts(): Promise<string[]>
  /** Ends the runs under way. */
  endRuns(): Promise<void>
  changeScript(): Promise<void>
  removeScript(): Promise<void>
  switchDevice(online: boolean): Promise<void>
}

/** Makes the RMM, and connects the tenant, whose companies are there. */
export type MakeRmm = (api: Api, msp: Msp) => Promise<PlayedRmm>

async function localRmm(_api: Api, msp: Msp): Promise<PlayedRmm> {
  const { prisma } = msp.database
  const own = { tenant_id: msp.tenant_id, environment: msp.environment }
  await connect(msp, ['ninjaone'])
  await addLocalDevices(msp, [
    { device_id: DEVICES.a, psa_company_id: 'psa_a', name: 'PC-1' },
    { device_id: DEVICES.b, psa_company_id: 'psa_b', name: 'PC-2' },
  ])
  const drive = { name: 'drive', type: 'CHOICE', required: false, choices: ['C', 'D'], secret: false }
  await addLocalScripts(msp, [
    {
      script_id: '7',
      name: SCRIPT_NAME,
      parameters: [{ ...drive, default: 'C' }],
      body: 'Get-Volume',
      stdout: WRITTEN,
      takes_seconds: TAKES_SECONDS,
    },
  ])
  return {
    exit_code: 0,
    async starts() {
      const runs = await prisma.localRmmScriptRun.findMany({ where: own, orderBy: { started_at: 'asc' } })
      return runs.map(({ device_id }) => device_id)
    },
    endRuns: async () => clock.advance((TAKES_SECONDS + 1) * 1000),
    async changeScript() {
      await prisma.localRmmScript.updateMany({ where: own, data: { body: 'Format-Volume' } })
    },
    async removeScript() {
      await prisma.localRmmScript.deleteMany({ where: own })
    },
    async switchDevice(is_online) {
      await prisma.localRmmDevice.updateMany({
        where: { ...own, device_id: DEVICES.a },
        data: { is_online },
      })
    },
  }
}

const device = (id: number, organizationId: number) => ({
  id,
  organizationId,
  nodeClass: 'WINDOWS_WORKSTATION',
  displayName: `PC-${id}`,
  offline: false,
})

const script = () => ({
  id: 7,
  name: SCRIPT_NAME,
  language: 'powershell',
  updatedOn: 1_790_000_000,
  scriptVariables: [{ name: 'drive', type: 'DROPDOWN', defaultValue: 'C', valueList: ['C', 'D'] }],
})

/** A double of NinjaOne that the tenant has connected, by default with the refresh token of a user. */
export async function connectedNinjaOne(
  api: Api,
  msp: Msp,
  more: object = { refresh_token: REFRESH_TOKEN },
  options: Parameters<typeof startNinjaOne>[0] = {},
) {
  const double = await startNinjaOne(options)
  onTestFinished(async () => {
    await double.close()
    expect(double.violations).toEqual([])
  })
  double.rows.devices.push(device(1, 71), device(2, 72))
  double.rows.scripts.push(script())
  const link = { system: 'NINJAONE', link_state: 'MANUAL', match_method: 'MANUAL', confidence: 1 } as const
  await addLinks(msp, [
    { ...link, external_id: '71', psa_company_id: 'psa_a' },
    { ...link, external_id: '72', psa_company_id: 'psa_b' },
  ])
  const input = { ninjaone: { ...SETTINGS, ...more, site: double.url } }
  const { status, error } = await api.call(msp.owner, 'connect_integration', { name: 'ninjaone', input })
  if (status !== 200) throw new Error(`It was not connected: ${JSON.stringify(error)}`)
  return double
}

async function ninjaOne(api: Api, msp: Msp): Promise<PlayedRmm> {
  const double = await connectedNinjaOne(api, msp)
  const { runs, rows } = double
  return {
    exit_code: null,
    starts: async () => runs.starts.map(({ device_id }) => String(device_id)),
    async endRuns() {
      for (const { uid } of runs.underWay()) runs.end(uid, { message: WRITTEN })
      clock.advance((TAKES_SECONDS + 1) * 1000)
    },
    changeScript: async () => void Object.assign(rows.scripts[0] ?? {}, { updatedOn: 1_790_000_001 }),
    removeScript: async () => void rows.scripts.pop(),
    switchDevice: async (online) => void Object.assign(rows.devices[0] ?? {}, { offline: !online }),
  }
}

export const RMMS: readonly { rmm: string; make: MakeRmm }[] = [
  { rmm: 'the local RMM', make: localRmm },
  { rmm: 'NinjaOne', make: ninjaOne },
]
