/** The promises of the port to an RMM, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import { localRmm } from '../../src/connectors/local/rmm.ts'
import { RMM, type RmmListedDevice, type ScriptOrder } from '../../src/connectors/rmm.ts'
import { equippedMsp } from '../setup/local-systems.ts'
import { describeWrites, expectRefusals } from '../setup/port-writes.ts'
import { portContext } from '../setup/psa.ts'
import { RMMS, type RmmFixture } from './rmms.ts'

const ALL = { words: '', psa_company_id: null, limit: 50 }

const order = (device_id: string, script_id: string, more: Partial<ScriptOrder> = {}): ScriptOrder => ({
  device_id,
  script_id,
  parameters: {},
  secret_parameters: [],
  run_as_user: false,
  ...more,
})

/** The devices of every page. */
async function everyDevice({ port }: RmmFixture, psa_company_id: string | null) {
  const pages: (readonly RmmListedDevice[])[] = []
  for (let after: string | null = null; pages.length < 10; ) {
    const { rows, next }: Awaited<ReturnType<typeof port.devicePage>> = await port.devicePage({
      psa_company_id,
      after,
    })
    pages.push(rows)
    if (next === null) return pages
    after = next
  }
  throw new Error('There is no last page')
}

describe.each(RMMS)('the RMM %s', (_name, setUp) => {
  it('has every call of the port', async () => {
    expect(Object.keys((await setUp()).port).sort()).toEqual(Object.keys(RMM.calls).sort())
  })

  it('has devices, by name, user or serial number', async () => {
    const { port, ids } = await setUp()
    const found = async (search: object) =>
      (await port.searchDevices({ ...ALL, ...search })).map(({ device_id }) => device_id)
    expect(await found({})).toEqual([ids.d1, ids.d2, ids.d3])
    expect(await found({ words: 'sn-77 ADA' })).toEqual([ids.d1])
    expect(await found({ psa_company_id: 'psa_b' })).toEqual([ids.d2])
    expect(await found({ limit: 1 })).toEqual([ids.d1])
    expect(await port.device(ids.d1)).toMatchObject({
      name: 'ALPHA-01',
      platform: 'WINDOWS',
      last_user: 'ada',
      free_disk_bytes: 5_000_000_000,
      missing_patches: 3,
      last_seen_at: expect.any(Date),
    })
    expect(await port.softwareOf(ids.d1)).toEqual([{ name: 'Editor', version: '1.2' }])
    for (const nothing of [port.device('x'), port.softwareOf('x'), port.alert('x'), port.listedDevice('x')])
      expect(await nothing).toBeNull()
  })

  it('has pages of devices, with each device once, and reads one as it is in the list', async () => {
    const rmm = await setUp()
    const { port, ids } = rmm
    const first = await port.devicePage({ psa_company_id: null, after: null })
    expect(first.rows).toEqual([
      {
        device_id: ids.d1,
        name: 'ALPHA-01',
        psa_company_id: 'psa_a',
        platform: 'WINDOWS',
        online: true,
        last_seen_at: expect.any(Date),
        last_user: 'ada',
      },
      expect.objectContaining({
        device_id: ids.d2,
        psa_company_id: 'psa_b',
        platform: 'MACOS',
        online: true,
      }),
      expect.objectContaining({
        device_id: ids.d3,
        psa_company_id: 'psa_a',
        platform: 'LINUX',
        online: false,
      }),
    ])
    for (const row of first.rows) expect(await port.listedDevice(row.device_id)).toEqual(row)
    await rmm.addDevices(450)
    const pages = await everyDevice(rmm, null)
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(200)
    expect(new Set(pages.flat().map(({ device_id }) => device_id)).size).toBe(453)
    expect(pages.flat()).toHaveLength(453)
    expect((await everyDevice(rmm, 'psa_b')).flat().map(({ device_id }) => device_id)).toEqual([ids.d2])
    expect((await everyDevice(rmm, 'psa_none')).flat()).toEqual([])
  })

  it('has alerts, and finds those that have not cleared, the newest first', async () => {
    const { port, ids } = await setUp()
    const found = async (search: object) =>
      (await port.searchAlerts({ ...ALL, ...search })).map(({ alert_id }) => alert_id)
    expect(await found({ words: 'DISK' })).toEqual([ids.al2, ids.al1])
    expect(await found({ psa_company_id: 'psa_a' })).toEqual([ids.al1])
    expect(await port.alert(ids.al1)).toMatchObject({ device_id: ids.d1, cleared_at: null })
    expect(await port.alert(ids.al3)).toMatchObject({ severity: 'CRITICAL', cleared_at: expect.any(Date) })
  })

  it('has scripts, whose hash is another one after a change alone', async () => {
    const { port, ids, changeScript } = await setUp()
    const { rows, next } = await port.scriptPage(null)
    expect(next).toBeNull()
    expect(rows.map(({ script_id, name }) => [script_id, name])).toEqual([
      [ids.s1, 'Clean up'],
      [ids.s2, 'Wipe'],
    ])
    expect(rows[0]).toMatchObject({
      shell: 'POWERSHELL',
      platforms: ['WINDOWS'],
      default_timeout_seconds: 90,
    })
    expect(rows[0]?.body_sha256).toMatch(/^[\da-f]{64}$/)
    expect(await port.script(ids.s1)).toEqual(rows[0])
    await changeScript()
    expect((await port.script(ids.s1))?.body_sha256).not.toBe(rows[0]?.body_sha256)
    expect(await port.script(ids.s2)).toEqual(rows[1])
    for (const id of ['x', '77', '']) expect(await port.script(id)).toBeNull()
  })

  it('runs a script on a device, and tells its output once it has ended', async () => {
    const { port, ids, ended } = await setUp()
    const { d1: device_id, s1: script_id } = ids
    const mark = await port.markBeforeStart(device_id, script_id)
    const start = { device_id, script_id, mark, idempotency_key: 'k' }
    expect(await port.startedRun(start)).toBe('NONE')
    await port.startScript(order(device_id, script_id), 'k')
    const run = await port.startedRun(start)
    if (typeof run === 'string') throw new Error(run)
    expect(run).toEqual({ run_id: expect.any(String), end: null })
    expect(await port.scriptRun(device_id, run.run_id)).toEqual(run)
    const later = await ended()
    const end = { succeeded: true, stdout: 'Cleaned ALPHA-01' }
    expect(await later.scriptRun(device_id, run.run_id)).toMatchObject({ run_id: run.run_id, end })
    expect(await later.startedRun(start)).toMatchObject({ run_id: run.run_id, end })
    expect(await later.startedRun({ ...start, device_id: ids.d2, idempotency_key: 'other' })).toBe('NONE')
    for (const id of ['x', '00000000-0000-4000-8000-00000000dead'])
      expect(await port.scriptRun(device_id, id)).toBeNull()
  })

  it('starts no script that is gone, and none on a device that is gone', async () => {
    const { port, ids, made } = await setUp()
    for (const [device_id, script_id, reason] of [
      ['99', ids.s1, 'DEVICE_NOT_FOUND'],
      ['x', ids.s1, 'DEVICE_NOT_FOUND'],
      [ids.d1, '99', 'SCRIPT_NOT_FOUND'],
      [ids.d1, 'x', 'SCRIPT_NOT_FOUND'],
    ] as const)
      await expect(port.startScript(order(device_id, script_id), 'k')).rejects.toMatchObject({ reason })
    expect(await made()).toBe(0)
  })
})

const [, setUpLocal] = RMMS[0] ?? []
if (!setUpLocal) throw new Error('There is no local RMM')

describe('a write to the local RMM', () => {
  describeWrites(
    RMM,
    {
      restartDevice: (port, key) => port.restartDevice('d1', key),
      startScript: (port, key) => port.startScript(order('d1', 's1', { parameters: { a: 'b' } }), key),
      closeAlert: (port, key) => port.closeAlert('al1', key),
    },
    setUpLocal,
  )

  it('is refused for what there is not, and writes nothing', async () => {
    await expectRefusals(await setUpLocal(), [
      ['DEVICE_NOT_FOUND', (port, key) => port.restartDevice('x', key)],
      ['DEVICE_NOT_FOUND', (port, key) => port.startScript(order('x', 's1'), key)],
      ['SCRIPT_NOT_FOUND', (port, key) => port.startScript(order('d1', 'x'), key)],
      ['ALERT_NOT_FOUND', (port, key) => port.closeAlert('x', key)],
    ])
  })
})

describe('the local RMM', () => {
  it('closes an alert, and changes none that has cleared', async () => {
    const { port } = await setUpLocal()
    expect((await port.closeAlert('al1', 'k1')).cleared_at).toBeInstanceOf(Date)
    expect((await port.searchAlerts({ ...ALL, words: 'disk' })).map(({ alert_id }) => alert_id)).toEqual([
      'al2',
    ])
    const cleared = await port.alert('al3')
    expect(await port.closeAlert('al3', 'k2')).toEqual(cleared)
  })

  it('builds some scripts anew at each read of the list, so that their hash is another one', async () => {
    const msp = await equippedMsp()
    const where = { tenant_id: msp.tenant_id, script_id: 's2' }
    const data = { body: 'Build {build}', is_rebuilt: true }
    await msp.database.prisma.localRmmScript.updateMany({ where, data })
    const port = localRmm(portContext(msp))
    const read = async () => (await port.scriptPage(null)).rows.map(({ body_sha256 }) => body_sha256)
    const [one, other] = [await read(), await read()]
    expect([other[0] === one[0], other[1] === one[1]]).toEqual([true, false])
    expect((await port.script('s2'))?.body_sha256).toBe(other[1])
  })

  it('keeps no value of a secret parameter', async () => {
    const msp = await equippedMsp()
    const parameters = { path: 'C:\\', password: 'hunter2-of-all' }
    const secret_parameters = ['password']
    const port = localRmm(portContext(msp))
    await port.startScript(order('d1', 's1', { parameters, secret_parameters }), 'k')
    const where = { tenant_id: msp.tenant_id }
    const runs = await msp.database.prisma.localRmmScriptRun.findMany({ where })
    expect(runs.map((run) => run.parameters)).toEqual([{ path: 'C:\\' }])
  })

  it('tells the exit code and both streams, and no end on a device that is offline', async () => {
    const msp = await equippedMsp()
    const { localRmmScript, localRmmDevice } = msp.database.prisma
    const where = { tenant_id: msp.tenant_id, script_id: 's2' }
    await localRmmScript.updateMany({ where, data: { exit_code: 3, stdout: 'of {device}', stderr: 'no' } })
    const off = { tenant_id: msp.tenant_id, device_id: 'd2' }
    await localRmmDevice.updateMany({ where: off, data: { is_online: false } })
    const port = localRmm(portContext(msp))
    const run = async (device_id: string) => {
      await port.startScript(order(device_id, 's2'), device_id)
      return await port.startedRun({ device_id, script_id: 's2', mark: '', idempotency_key: device_id })
    }
    const end = { succeeded: false, exit_code: 3, stdout: 'of ALPHA-01', stderr: 'no' }
    expect(await run('d1')).toMatchObject({ end })
    expect(await run('d2')).toMatchObject({ end: null })
  })
})
