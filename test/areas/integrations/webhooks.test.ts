/** The webhooks of connected systems: registered and removed by jobs, as connections come and go. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { deleteOldRemovals, renewWebhooksHourly } from '../../../src/areas/integrations/jobs.ts'
import { type Api, apisAt } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { connectDouble, connectedApp, performDue, useConnectedApp } from '../../setup/connected.ts'
import { connectwisePsaDouble } from '../../setup/psa-doubles/connectwise.ts'
import { days, type Msp, world } from '../../setup/world.ts'

const running = useConnectedApp()

const NAME = 'connectwise-psa'
const TYPES = 5

const removalsOf = ({ tenant_id, database }: Msp) =>
  database.prisma.webhookRemoval.count({ where: { tenant_id } })

describe.each(apisAt(async () => running.base))('webhooks, through $name,', (api: Api) => {
  async function connected() {
    const msp = await world(running.database)
    const double = await connectDouble(running, api, msp, connectwisePsaDouble)
    const connect = (input: object) => api.call(msp.owner, 'connect_integration', { name: NAME, input })
    const shown = async () => (await api.call(msp.owner, 'integration_connection', { name: NAME })).data
    const health = async () => {
      const { data } = await api.call(msp.owner, 'integration', { name: NAME })
      return [data.health, data.health_message]
    }
    const work = () => performDue(running.app.services, msp)
    return { msp, double, connect, shown, health, work }
  }

  it('are registered by connecting, and removed by disconnecting, which keeps no credentials', async () => {
    const { msp, double, shown, work } = await connected()
    const [url = ''] = double.webhooks()
    expect(double.webhooks()).toEqual(Array(TYPES).fill(url))
    const { connection_id } = await msp.database.prisma.systemConnection.findFirstOrThrow({
      where: { tenant_id: msp.tenant_id },
    })
    expect(url).toMatch(
      new RegExp(`^https://automation.example/ingest/psa/${connection_id}\\?secret=[0-9A-Za-z]{43}&id=$`),
    )
    expect(await shown()).toMatchObject({ webhooks_registered_at: expect.any(String) })
    await api.call(msp.owner, 'disconnect_integration', { name: NAME })
    expect([await removalsOf(msp), double.webhooks().length]).toEqual([1, TYPES])
    expect(await shown()).toMatchObject({ connected: false, webhooks_registered_at: null })
    await work()
    expect([await removalsOf(msp), double.webhooks()]).toEqual([0, []])
  })

  it('are registered once more with other credentials, and at another address if the connection leads elsewhere', async () => {
    const { msp, double, connect, work } = await connected()
    const before = double.webhooks()
    await connect({ connectwise_psa: { private_key: 'private1', public_key: 'public2' } })
    await connect({ connectwise_psa: { public_key: 'public1' } })
    await work()
    expect(double.webhooks()).toEqual(before)
    const other = await connectwisePsaDouble()
    onTestFinished(async () => void (await other.close()))
    expect((await connect(other.draft)).status).toBe(200)
    await work()
    expect(double.webhooks()).toEqual([])
    expect(other.webhooks()).toHaveLength(TYPES)
    expect(other.webhooks()[0]).not.toBe(before[0])
    expect(await removalsOf(msp)).toBe(0)
  })

  it('that the system does not take are tried again, and show in the health of the integration', async () => {
    const msp = await world(running.database)
    const double = await connectwisePsaDouble()
    onTestFinished(async () => void (await double.close()))
    double.failing(1)
    await api.call(msp.owner, 'connect_integration', { name: NAME, input: double.draft })
    const work = () => performDue(running.app.services, msp)
    await expect(work()).rejects.toThrow('did not take')
    const health = async () => {
      const { data } = await api.call(msp.owner, 'integration', { name: NAME })
      return [data.health, data.health_message]
    }
    expect(await health()).toEqual(['DEGRADED', expect.stringContaining('tried again')])
    double.failing(0)
    clock.advance(11 * 60_000)
    onTestFinished(() => clock.reset())
    const renew = async () => {
      const { services } = running.app
      const request = { id: 'renew', ip: null, user_agent: null }
      await renewWebhooksHourly.handler({ services, now: clock.now(), request } as never, {})
      await work()
    }
    await renew()
    expect(double.webhooks()).toHaveLength(TYPES)
    expect(await health()).toEqual(['HEALTHY', null])
    const asked = double.requests.length
    await renew()
    expect(double.requests).toHaveLength(asked)
    clock.advance(days(1))
    await renew()
    expect(double.requests.length).toBeGreaterThan(asked)
  })

  it('of a connection that was given up are left after a day, whatever the system does', async () => {
    const { msp, double, work } = await connected()
    double.failing(1)
    await api.call(msp.owner, 'disconnect_integration', { name: NAME })
    await expect(work()).rejects.toThrow('did not remove')
    expect(await removalsOf(msp)).toBe(1)
    const { services } = running.app
    const { signal } = new AbortController()
    const now = new Date(clock.now().getTime() + days(1.1))
    await deleteOldRemovals.handler({ services, now, signal } as never, {})
    expect(await removalsOf(msp)).toBe(0)
  })

  it('are not registered while the service has no address that the system could call', async () => {
    const local = await connectedApp(running.database, { PUBLIC_URL: '' })
    onTestFinished(() => local.app.close(0))
    const own = apisAt(async () => local.base).find(({ name }) => name === api.name) as Api
    const msp = await world(running.database)
    const double = await connectDouble(local, own, msp, connectwisePsaDouble)
    expect(double.requests).toEqual([])
  })
})
