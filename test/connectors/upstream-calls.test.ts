/** The calls of ports, as they are stored and as the figures of the API have them. */
import { afterEach, describe, expect, it } from 'vitest'
import { createUpstreamCalls } from '../../src/connectors/upstream-calls.ts'
import { connect } from '../setup/agent-bodies.ts'
import { apis } from '../setup/api.ts'
import { clock, startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { type Msp, world } from '../setup/world.ts'

const [api] = apis
if (!api) throw new Error('There is no API')

afterEach(() => clock.reset())

const callOf = ({ tenant_id, environment }: Msp, upstream: string, ok = true) => ({
  tenant_id,
  environment,
  upstream,
  ok,
  wait_seconds: 0.5,
  at: new Date(clock.now().getTime() - 1000),
})

const stored = ({ database, tenant_id }: Msp) =>
  database.prisma.upstreamCall.findMany({
    where: { tenant_id },
    orderBy: [{ system: 'asc' }, { ok: 'desc' }],
  })

describe('calls of ports', () => {
  it('are those of the product of the kind that the tenant has connected, in the figures of the API too', async () => {
    const [msp, other] = [await world(), await world()]
    for (const name of ['syncro', 'halo-psa', 'ninjaone']) await connect(msp, name)
    const { tenant_id: id } = msp
    await msp.database.prisma.tenant.update({ where: { id }, data: { psa_type: 'SYNCRO' } })
    const { record, flush } = createUpstreamCalls((await testDatabase()).sql)
    for (const call of [callOf(msp, 'PSA'), callOf(msp, 'PSA', false), callOf(msp, 'RMM')]) record(call)
    record(callOf(other, 'RMM'))
    record(callOf(other, 'PSA'))
    expect(await stored(msp)).toEqual([])
    await flush()
    await flush()
    expect((await stored(msp)).map(({ system, ok }) => [system, ok])).toEqual([
      ['NINJAONE', true],
      ...[true, false].map((ok) => ['SYNCRO', ok]),
    ])
    expect((await stored(other)).map(({ system }) => system)).toEqual(['PSA', 'RMM'])
    const health = await api.call(msp.key, 'integration_health')
    expect(health.data).toMatchObject([
      { name: 'halo-psa', calls: 0 },
      { name: 'ninjaone', calls: 1, failures: 0 },
      { name: 'syncro', calls: 2, failures: 1, p95_wait_seconds: 0.5 },
    ])
    const psa_api = async (caller: Msp) => (await api.call(caller.key, 'callback_funnel')).data.psa_api
    expect(await psa_api(msp)).toMatchObject({ calls: 2, failures: 1, p95_wait_seconds: 0.5 })
    expect(await psa_api(other)).toMatchObject({ calls: 1, failures: 0 })
  })

  it('are kept if they could not be stored, and stored later', async () => {
    const msp = await world()
    const { sql } = await testDatabase()
    let is_down = true
    const { record, flush } = createUpstreamCalls({
      rows: (query, values) => (is_down ? Promise.reject(new Error('down')) : sql.rows(query, values)),
    })
    record(callOf(msp, 'PSA'))
    await expect(flush()).rejects.toThrow('down')
    record(callOf(msp, 'PSA'))
    is_down = false
    await flush()
    expect(await stored(msp)).toHaveLength(2)
  })

  it('of a process are stored when it ends', async () => {
    const msp = await world()
    await addPsaTickets(msp, [{ ticket_id: '1' }])
    const { app } = await startApp(msp.database)
    const viewer = { tenant_id: msp.tenant_id, environment: msp.environment }
    const psa = app.services.connectors.psa({
      viewer,
      services: app.services,
      transaction: null,
      now: clock.now(),
      db_time: { start() {}, stop() {} } as never,
    })
    expect(await psa.ticket('1')).toMatchObject({ ticket_id: '1' })
    expect(await stored(msp)).toEqual([])
    await app.close(0)
    expect(await stored(msp)).toMatchObject([{ system: 'PSA', ok: true }])
  })
})
