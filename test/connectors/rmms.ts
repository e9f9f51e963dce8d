/** The RMMs that adapters reach, each with the same things in it: two devices that are online, one that is not, and scripts. */
import { localRmm } from '../../src/connectors/local/rmm.ts'
import type { Rmm } from '../../src/connectors/rmm.ts'
import { clock } from '../setup/app.ts'
import { equippedMsp } from '../setup/local-systems.ts'
import { portContext } from '../setup/psa.ts'
import { days } from '../setup/world.ts'
import { alert, device, ORGANISATIONS, setUp, uid, WITH_USER } from './ninjaone/fixture.ts'

export interface RmmFixture {
  port: Rmm
  /** The number of writes that were made. */
  made: () => Promise<number>
  /** The RMM's ids. d1 and d3, which is offline, are of the company a, d2 is of b. */
  ids: Readonly<Record<'d1' | 'd2' | 'd3' | 's1' | 's2' | 'al1' | 'al2' | 'al3', string>>
  /** Devices of the company a. */
  addDevices: (count: number) => Promise<void>
  /** Changes the script s1. */
  changeScript: () => Promise<void>
  /** The port once every run has ended. */
  ended: () => Promise<Rmm>
}

async function local(): Promise<RmmFixture> {
  const msp = await equippedMsp()
  const { tenant_id, environment, database } = msp
  const own = { tenant_id, environment, psa_company_id: 'psa_a' }
  const { localRmmDevice, localRmmScript, localWrite } = database.prisma
  await localRmmDevice.create({
    data: { ...own, device_id: 'd3', name: 'GAMMA-03', platform: 'LINUX', is_online: false },
  })
  await localRmmScript.updateMany({ where: { tenant_id }, data: { takes_seconds: 60 } })
  const context = portContext(msp)
  return {
    port: localRmm(context),
    made: () => localWrite.count({ where: { tenant_id } }),
    ids: { d1: 'd1', d2: 'd2', d3: 'd3', s1: 's1', s2: 's2', al1: 'al1', al2: 'al2', al3: 'al3' },
    addDevices: async (count) => {
      const data = Array.from({ length: count }, (_, index) => ({
        ...own,
        device_id: `e${String(index).padStart(4, '0')}`,
        name: `More ${index}`,
        platform: 'WINDOWS' as const,
      }))
      await localRmmDevice.createMany({ data })
    },
    changeScript: async () =>
      void (await localRmmScript.updateMany({
        where: { tenant_id, script_id: 's1' },
        data: { body: 'other' },
      })),
    ended: async () => localRmm({ ...context, now: new Date(context.now.getTime() + 3_600_000) }),
  }
}

const seconds = (ago: number): number => (clock.now().getTime() - days(ago)) / 1000

async function ninjaOne(): Promise<RmmFixture> {
  const { double, rmm: port } = await setUp({}, WITH_USER)
  const { a, b } = ORGANISATIONS
  double.rows.devices.push(
    device(1, a, {
      displayName: 'ALPHA-01',
      lastLoggedInUser: 'ada',
      lastContact: seconds(0.1),
      system: { serialNumber: 'SN-77' },
      volumes: [{ driveLetter: 'C:', freeSpace: 5_000_000_000 }],
    }),
    device(2, b, { displayName: 'beta-mac', nodeClass: 'MAC' }),
    device(3, a, { displayName: 'GAMMA-03', nodeClass: 'LINUX_SERVER', offline: true }),
  )
  double.rows.patches.push(...Array.from({ length: 3 }, () => ({ deviceId: 1, status: 'PENDING' })))
  double.rows.software.set(1, [{ name: 'Editor', version: '1.2' }])
  double.rows.alerts.push(
    alert(1, 1, { message: 'Disk full', createTime: seconds(2) }),
    alert(2, 2, { message: 'Disk fan', createTime: seconds(1) }),
  )
  const of_al3 = { seriesUid: uid(3), deviceId: 1, message: 'Disk gone', severity: 'CRITICAL' }
  double.runs.append({ ...of_al3, statusCode: 'TRIGGERED', activityTime: seconds(3) })
  double.runs.append({ ...of_al3, statusCode: 'RESET', activityTime: seconds(2.5) })
  for (const { uid: seriesUid } of double.rows.alerts)
    double.runs.append({
      seriesUid,
      deviceId: seriesUid === uid(1) ? 1 : 2,
      statusCode: 'TRIGGERED',
      activityTime: seconds(2),
    })
  const script = { active: true, language: 'powershell', operatingSystems: ['WINDOWS'] }
  double.rows.scripts.push(
    { ...script, id: 7, name: 'Clean up', description: 'Cleans', updatedOn: 1_790_000_000.5 },
    { ...script, id: 8, name: 'Wipe' },
  )
  const { runs } = double
  return {
    port,
    made: async () => runs.starts.length,
    ids: { d1: '1', d2: '2', d3: '3', s1: '7', s2: '8', al1: uid(1), al2: uid(2), al3: uid(3) },
    addDevices: async (count) => {
      for (let index = 0; index < count; index++) double.rows.devices.push(device(100 + index, a))
    },
    changeScript: async () =>
      void Object.assign(double.rows.scripts[0] ?? {}, { updatedOn: 1_790_000_001.5 }),
    ended: async () => {
      for (const { uid: run } of runs.starts) runs.end(run, { message: 'Cleaned ALPHA-01' })
      return port
    },
  }
}

export const RMMS: readonly [name: string, setUp: () => Promise<RmmFixture>][] = [
  ['local', local],
  ['NinjaOne', ninjaOne],
]
