import { expect, it } from 'vitest'
import { SCOPES } from '../../../src/access/policies/scopes.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { world } from '../../setup/world.ts'

describeApi('API keys', (api) => {
  it('are counted by day and operation', async () => {
    const msp = await world()
    const key_id = msp.key.id
    const owned = { tenant_id: msp.tenant_id, environment: msp.environment, key_id }
    await msp.database.prisma.apiKeyUsage.createMany({
      data: [
        { ...owned, day: new Date('2026-03-01'), operation: 'settings', requests: 4, errors: 1 },
        { ...owned, day: new Date('2026-03-01'), operation: 'agents', requests: 2, errors: 0 },
        { ...owned, day: new Date('2026-03-03'), operation: 'agents', requests: 7, errors: 7 },
        { ...owned, day: new Date('2026-03-04'), operation: 'agents', requests: 9, errors: 0 },
      ],
    })
    const args = { key_id, from: '2026-03-01T12:00:00Z', to: '2026-03-04' }
    const { data } = await api.call(msp.admin, 'api_key_usage', args)
    expect(data.days).toEqual([
      { day: '2026-03-01', requests: 6, errors: 1, by_operation: { agents: 2, settings: 4 } },
      { day: '2026-03-02', requests: 0, errors: 0, by_operation: {} },
      { day: '2026-03-03', requests: 7, errors: 7, by_operation: { agents: 7 } },
    ])
    expect((await api.call(msp.admin, 'api_key_usage', { key_id })).data.days).toHaveLength(31)
  })

  it('are counted over at most 90 days', async () => {
    const msp = await world()
    const usage = (from: string, to: string) =>
      api.call(msp.admin, 'api_key_usage', { key_id: msp.key.id, from, to })
    expect((await usage('2026-01-01', '2026-04-01')).data.days).toHaveLength(90)
    const large = await usage('2026-01-01', '2026-04-01T00:00:00.001Z')
    expect(outcome(large)).toEqual([400, 'window_too_large'])
    expect(large.error?.details).toMatchObject({ max_seconds: 7_776_000, from: '2026-01-01T00:00:00.000Z' })
    const first = await api.call(msp.admin, 'api_key_usage', { key_id: msp.key.id, to: '0001-01-03' })
    expect(first.data.days.map(({ day }: { day: string }) => day)).toEqual(['0001-01-01', '0001-01-02'])
    expect(outcome(await usage('2026-04-01', '2026-04-01'))).toEqual([400, 'invalid_window'])
    expect(outcome(await usage('2026-02-30', '2026-04-01'))).toEqual([422, 'request_validation_failed'])
  })

  it('have scopes that say what they allow', async () => {
    const msp = await world()
    const { data, headers } = await api.call(msp.admin, 'api_key_scopes')
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
    expect(data.map(({ name }: { name: string }) => name)).toEqual(SCOPES)
    expect(data.find(({ name }: { name: string }) => name === 'settings:write')).toEqual({
      name: 'settings:write',
      description: 'Change the settings and the company filters.',
      operations: ['replace_company_filters', 'remove_unmatched_companies', 'update_settings'],
      presets: ['FULL'],
    })
  })
})
