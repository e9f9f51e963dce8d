import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { world } from '../../setup/world.ts'

describeApi('the tenant', (api) => {
  it('is read by every caller', async () => {
    const msp = await world()
    const none = await msp.newKey({ scopes: [] })
    for (const caller of [msp.owner, msp.viewer, msp.key, none]) {
      const { data } = await api.call(caller, 'tenant')
      expect(data).toEqual({
        id: msp.tenant_id,
        name: 'Test MSP',
        environment: 'test',
        environments: ['test'],
        psa_type: null,
        psa_connected: false,
        data_residency: 'EU',
        timezone: null,
        created_at: expect.stringMatching(/Z$/),
        features: [],
      })
    }
    expect(outcome(await api.call(null, 'tenant'))).toEqual([401, 'unauthenticated'])
  })

  it('has the environments that it has settings in', async () => {
    const msp = await world()
    const { tenant_id } = msp
    for (const environment of ['staging', 'live']) {
      await msp.database.prisma.settings.create({
        data: { tenant_id, environment, human_friendly_client_name: 'x', updated_at: clock.now() },
      })
    }
    const { data } = await api.call(msp.viewer, 'tenant')
    expect([data.environment, data.environments]).toEqual(['test', ['live', 'staging', 'test']])
  })

  it('is connected when a PSA integration is, in this environment', async () => {
    const msp = await world()
    const connect = (name: string, environment: string, connected: boolean) =>
      msp.database.prisma.integrationConnection.create({
        data: { tenant_id: msp.tenant_id, environment, name, connected, updated_at: clock.now() },
      })
    const isConnected = async () => (await api.call(msp.viewer, 'tenant')).data.psa_connected
    await connect('ninjaone', 'test', true)
    await connect('halo-psa', 'live', true)
    await connect('halo-psa', 'test', false)
    expect(await isConnected()).toBe(false)
    await connect('autotask-psa', 'test', true)
    expect(await isConnected()).toBe(true)
  })
})
