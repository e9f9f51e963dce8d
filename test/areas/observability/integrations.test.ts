import { expect, it } from 'vitest'
import { type Api, type Arguments, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCalls } from '../../setup/callbacks.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { at, DAY } from './rows.ts'

const health = (api: Api, caller: Caller, args: Arguments = {}) =>
  api.call(caller, 'integration_health', args)

const connect = ({ database, tenant_id, environment }: Msp, name: string, connected = true) =>
  database.prisma.integrationConnection.create({
    data: { tenant_id, environment, name, connected, updated_at: clock.now() },
  })

const NO_CALLS = { calls: 0, failures: 0, failure_pct: 0, p95_wait_seconds: 0, last_error_at: null }

describeApi('integration health', (api) => {
  it('counts the calls of the window to each integration, by name', async () => {
    const msp = await world()
    await addCalls(msp, [
      { system: 'HUDU', at: at('10T00:00:00'), wait_seconds: 2 },
      { system: 'HUDU', at: at('10T10:00:00'), wait_seconds: 30, ok: false },
      { system: 'HUDU', at: at('10T11:00:00'), wait_seconds: 1, ok: false },
      { system: 'HUDU', at: at('10T23:59:59.999'), wait_seconds: 0.5 },
      { system: 'HUDU', at: at('11T00:00:00'), ok: false },
      { system: 'HUDU', at: at('09T23:59:59.999'), ok: false },
      { system: 'AUVIK', at: at('10T10:00:00'), wait_seconds: 0.25 },
    ])
    clock.frozen_at = at('12T00:00:00')
    const { status, data, warnings } = await health(api, await msp.newKey(), DAY)
    expect([status, data, warnings]).toEqual([
      200,
      [
        { ...NO_CALLS, name: 'auvik', calls: 1, p95_wait_seconds: 0.25 },
        {
          name: 'hudu',
          calls: 4,
          failures: 2,
          failure_pct: 50,
          p95_wait_seconds: 30,
          last_error_at: '2026-06-10T11:00:00.000Z',
        },
      ],
      [],
    ])
  })

  it('lists connected integrations that were not called, and no others', async () => {
    const msp = await world()
    await connect(msp, 'ninjaone')
    await connect(msp, 'slack', false)
    expect((await health(api, msp.viewer)).data).toEqual([{ name: 'ninjaone', ...NO_CALLS }])
  })

  it.each([
    [{ since: '2026-06-10', until: '2026-06-10' }, 'invalid_window'],
    [{ since: '2026-06-01', until: '2026-06-09' }, 'window_too_large'],
  ])('of %j is refused with 400 %s', async (args, code) => {
    const msp = await world()
    const { status, error } = await health(api, msp.key, args)
    expect([status, error?.code, error?.details.max_seconds]).toEqual([400, code, 604_800])
  })

  it('is of one tenant and one environment, in one statement beside the credential', async () => {
    const [msp, other] = [await world(), await world()]
    for (const each of [msp, other, { ...msp, environment: 'elsewhere' }]) {
      await connect(each, each === msp ? 'hudu' : 'auvik')
      await addCalls(each, [{ system: 'HUDU', at: at('10T10:00:00') }])
    }
    const { data } = await health(api, msp.key, DAY)
    expect(data).toEqual([{ ...NO_CALLS, name: 'hudu', calls: 1, p95_wait_seconds: 0.5 }])
    expect(await countStatements(msp.database, () => health(api, msp.key, DAY))).toBe(2)
  })
})
