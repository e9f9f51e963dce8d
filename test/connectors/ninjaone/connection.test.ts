import { describe, expect, it, onTestFinished } from 'vitest'
import { unsupportedWith } from '../../../src/connectors/adapter.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { RMM } from '../../../src/connectors/rmm.ts'
import { executeTool } from '../../../src/tools/execute.ts'
import { toolNamed } from '../../../src/tools/registry.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { installQueues } from '../../areas/agents/runnable.ts'
import { REFRESH_TOKEN, SETTINGS, startNinjaOne } from '../../doubles/ninjaone/server.ts'
import { apisAt } from '../../setup/api.ts'
import { addCompanies } from '../../setup/companies.ts'
import { connectedApp, performDue } from '../../setup/connected.ts'
import { testDatabase } from '../../setup/database.ts'
import { toolContext } from '../../setup/tool-calls.ts'
import { world } from '../../setup/world.ts'
import { device, ORGANISATIONS, setUp, WITH_USER } from './fixture.ts'

describe('a connection to NinjaOne', () => {
  it('has every call of the port', async () => {
    const { rmm, adapter } = await setUp()
    expect(Object.keys(rmm).sort()).toEqual(Object.keys(RMM.calls).sort())
    for (const name of ['restartDevice', 'closeAlert'] as const) {
      expect(adapter.unsupported.has(name)).toBe(true)
      await expect(rmm[name]('1', 'k')).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    }
  })

  it('starts scripts if it has a refresh token', async () => {
    const { adapter } = await setUp()
    const unsupported = (...names: string[]) => [...unsupportedWith(adapter, names)].sort()
    expect(unsupported('client_secret')).toEqual(['closeAlert', 'restartDevice', 'startScript'])
    expect(unsupported('client_secret', 'refresh_token')).toEqual(['closeAlert', 'restartDevice'])
  })

  it('is tested by a call', async () => {
    const { adapter, connection } = await setUp()
    expect(await adapter.test(connection)).toMatchObject({ ok: true })
  })

  it('is tested with the refresh token too', async () => {
    const { adapter, connection, double } = await setUp({ rotates: true }, WITH_USER)
    expect(await adapter.test(connection)).toMatchObject({ ok: true })
    expect([await adapter.test(connection), double.refreshed()]).toMatchObject([{ ok: true }, 2])
    double.revokeUser()
    const { ok, message } = await adapter.test(connection)
    expect([ok, message]).toEqual([false, expect.stringContaining('refresh token')])
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
    ['TOO_MANY', { kind: 'LIMIT', retry_after_seconds: 30 }],
    ['ERROR', { kind: 'OUTAGE' }],
    ['MALFORMED', { kind: 'UNKNOWN_FORM' }],
    ['NO_ANSWER', { kind: 'OUTAGE' }],
  ] as const)('is unavailable after %s, and says no secret', async (fault, expected) => {
    const { double, rmm } = await setUp()
    await rmm.device('7')
    double.faults.push(fault, fault, fault)
    const error = await rmm.device('7').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PortUnavailable)
    expect(error).toMatchObject(expected)
    expect(JSON.stringify([String(error), (error as Error).stack])).not.toMatch(/token-|secret-1/)
  })
})

it('a tenant connects NinjaOne, feeds its organizations, and an agent finds the devices of its company alone', async () => {
  await installQueues()
  const running = await connectedApp(await testDatabase())
  onTestFinished(() => running.app.close(0))
  const double = await startNinjaOne()
  onTestFinished(async () => void (await double.close()))
  double.rows.devices.push(device(1, 71), device(2, 72), device(3, 73))
  for (const api of apisAt(async () => running.base)) {
    const msp = await world()
    const input = { ninjaone: { ...SETTINGS, site: double.url } }
    const connected = await api.call(msp.owner, 'connect_integration', { name: 'ninjaone', input })
    expect(connected.data).toMatchObject({ connected: true, ninjaone: { secrets_set: ['client_secret'] } })
    const tested = await api.call(msp.owner, 'test_integration', { name: 'ninjaone' })
    expect(tested.data).toMatchObject({ ok: true })
    const status = await api.call(msp.viewer, 'integration', { name: 'ninjaone' })
    expect(status.data.capabilities).toEqual(['COMPANIES', 'DEVICES', 'SCRIPTS', 'ALERTS'])
    const { data } = await api.call(msp.owner, 'tool_schemas', {})
    const available = (wanted: string) => data.find(({ name }: { name: string }) => name === wanted).available
    for (const tool of ['device.search', 'device.list_software', 'alert.read'])
      expect(available(tool)).toBe(true)
    for (const tool of ['device.restart', 'device.run_script', 'alert.close'])
      expect(available(tool)).toBe(false)
    const with_user = { ninjaone: { refresh_token: REFRESH_TOKEN } }
    const changed = await api.call(msp.owner, 'connect_integration', { name: 'ninjaone', input: with_user })
    expect(changed.data.ninjaone.secrets_set).toEqual(['client_secret', 'refresh_token'])
    const tools = await api.call(msp.owner, 'tool_schemas', {})
    const run_script = tools.data.find(({ name }: { name: string }) => name === 'device.run_script')
    expect(run_script.available).toBe(true)
    await addCompanies(msp, [
      { id: 'a', name: 'Alpha Dental' },
      { id: 'b', name: 'Borealis Freight' },
    ])
    const customers = [
      { external_id: '71', name: 'Alpha Dental' },
      { external_id: '72', name: 'Borealis Freight' },
      { external_id: '73', name: 'Nobody we know' },
    ]
    const fed = { name: 'ninjaone', input: { customers } }
    expect((await api.call(msp.owner, 'put_integration_customers', fed)).status).toBe(200)
    await performDue(running.app.services, msp)
    const { connectors } = running.app.services
    const ctx = { ...toolContext(msp), services: { database: msp.database, connectors } }
    const found = async (psa_company_id: string) => {
      const reach = { psa_company_id, entity: null, contact_id: null }
      const run = { agent_id: 1, agent_name: 'A', execution_id: null, entity_id: null, reach }
      const calling = { ...run, audience: 'TECHNICIANS' as const, skills: [] }
      const tool = toolNamed('device.search') as Tool
      const answer = await executeTool(ctx, calling, tool, { query: 'pc' }, 'k')
      return (answer.results as { name: string }[]).map(({ name }) => name)
    }
    expect(await found('psa_a')).toEqual(['PC-0001'])
    expect(await found('psa_b')).toEqual(['PC-0002'])
  }
  expect(double.violations).toEqual([])
})
