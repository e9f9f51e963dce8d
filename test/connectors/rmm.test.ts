/** The promises of the port to an RMM, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import { localRmm } from '../../src/connectors/local/rmm.ts'
import { RMM, type Rmm } from '../../src/connectors/rmm.ts'
import { equippedMsp } from '../setup/local-systems.ts'
import { describeWrites, expectRefusals } from '../setup/port-writes.ts'
import { portContext } from '../setup/psa.ts'

async function local() {
  const msp = await equippedMsp()
  const where = { tenant_id: msp.tenant_id }
  return { port: localRmm(portContext(msp)), made: () => msp.database.prisma.localWrite.count({ where }) }
}

const ADAPTERS: [name: string, setUp: () => Promise<{ port: Rmm; made: () => Promise<number> }>][] = [
  ['local', local],
]

const ALL = { words: '', psa_company_id: null, limit: 50 }

describe.each(ADAPTERS)('the RMM %s', (_name, setUp) => {
  it('has every call of the port', async () => {
    expect(Object.keys((await setUp()).port).sort()).toEqual(Object.keys(RMM.calls).sort())
  })

  it('has devices, by name, user or serial number', async () => {
    const { port } = await setUp()
    const found = async (search: object) =>
      (await port.searchDevices({ ...ALL, ...search })).map(({ device_id }) => device_id)
    expect(await found({})).toEqual(['d1', 'd2'])
    expect(await found({ words: 'sn-77 ADA' })).toEqual(['d1'])
    expect(await found({ psa_company_id: 'psa_b' })).toEqual(['d2'])
    expect(await found({ limit: 1 })).toEqual(['d1'])
    expect(await port.device('d1')).toMatchObject({
      name: 'ALPHA-01',
      platform: 'WINDOWS',
      last_user: 'ada',
      free_disk_bytes: 5_000_000_000,
      missing_patches: 3,
      last_seen_at: expect.any(Date),
    })
    expect(await port.softwareOf('d1')).toEqual([{ name: 'Editor', version: '1.2' }])
    for (const nothing of [port.device('x'), port.softwareOf('x'), port.alert('x')])
      expect(await nothing).toBeNull()
  })

  it('has alerts, and finds those that have not cleared, the newest first', async () => {
    const { port } = await setUp()
    const found = async (search: object) =>
      (await port.searchAlerts({ ...ALL, ...search })).map(({ alert_id }) => alert_id)
    expect(await found({ words: 'DISK' })).toEqual(['al2', 'al1'])
    expect(await found({ psa_company_id: 'psa_a' })).toEqual(['al1'])
    expect(await port.alert('al3')).toMatchObject({ severity: 'CRITICAL', cleared_at: expect.any(Date) })
    const closed = await port.closeAlert('al1', 'k1')
    expect(closed.cleared_at).toBeInstanceOf(Date)
    expect(await found({ words: 'disk' })).toEqual(['al2'])
    const cleared = await port.alert('al3')
    expect(await port.closeAlert('al3', 'k2')).toEqual(cleared)
  })

  it('runs scripts that are enabled, with their parameters', async () => {
    const { port } = await setUp()
    const run = await port.runScript('d1', 's1', { path: 'C:\\' }, 'k')
    expect(run).toEqual({ run_id: expect.any(String), exit_code: 0 })
  })
})

describe.each(ADAPTERS)('a write to the RMM %s', (_name, setUp) => {
  describeWrites(
    RMM,
    {
      restartDevice: (port, key) => port.restartDevice('d1', key),
      runScript: (port, key) => port.runScript('d1', 's1', { a: 'b' }, key),
      closeAlert: (port, key) => port.closeAlert('al1', key),
    },
    setUp,
  )

  it('is refused for what there is not, and writes nothing', async () => {
    await expectRefusals(await setUp(), [
      ['DEVICE_NOT_FOUND', (port, key) => port.restartDevice('x', key)],
      ['DEVICE_NOT_FOUND', (port, key) => port.runScript('x', 's1', {}, key)],
      ['SCRIPT_NOT_ENABLED', (port, key) => port.runScript('d1', 's2', {}, key)],
      ['SCRIPT_NOT_ENABLED', (port, key) => port.runScript('d1', 'x', {}, key)],
      ['ALERT_NOT_FOUND', (port, key) => port.closeAlert('x', key)],
    ])
  })
})
