import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { world } from '../../setup/world.ts'
import { created } from './keys.ts'

describeApi('API keys', (api) => {
  it('are managed by OWNER and ADMIN in the dashboard, never by a key', async () => {
    const msp = await world()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    const calls: [string, Record<string, unknown>][] = [
      ['api_keys', {}],
      ['api_key_scopes', {}],
      ['api_key', { key_id: msp.key.id }],
      ['api_key_usage', { key_id: msp.key.id }],
      ['create_api_key', { input: { name: 'x', scopes: ['agents:read'] } }],
      ['update_api_key', { key_id: msp.key.id, input: {} }],
      ['rotate_api_key', { key_id: msp.key.id }],
      ['revoke_api_key', { key_id: msp.key.id }],
    ]
    for (const [operation, args] of calls) {
      for (const caller of [msp.key, acting]) {
        expect(outcome(await api.call(caller, operation, args))).toEqual([403, 'dashboard_jwt_required'])
      }
      for (const caller of [msp.user, msp.viewer]) {
        expect(outcome(await api.call(caller, operation, args))).toEqual([403, 'forbidden'])
      }
    }
  })

  it('leave one activity row for each thing that is done to them', async () => {
    const msp = await world()
    const old = await created(api, msp)
    await api.call(msp.admin, 'update_api_key', { key_id: old.id, input: { name: 'Renamed' } })
    const { data: rotated } = await api.call(msp.admin, 'rotate_api_key', { key_id: old.id })
    await api.call(msp.admin, 'revoke_api_key', { key_id: rotated.id, input: { reason: 'Done' } })
    const rows = await activitiesOf(msp)
    expect(rows).toMatchObject([
      {
        action: 'api_key.created',
        targets: [{ type: 'api_key', id: old.id }],
        after: { scopes: ['settings:read'] },
      },
      { action: 'api_key.updated', before: { name: 'Nightly sync' }, after: { name: 'Renamed' } },
      {
        action: 'api_key.rotated',
        targets: [{ id: old.id }, { id: rotated.id, name: 'Renamed' }],
        before: { sunset_at: null },
        after: { replaced_by_key_id: rotated.id },
      },
      { action: 'api_key.revoked', before: { revoked_at: null }, after: { revoke_reason: 'Done' } },
    ])
    expect(rows.every(({ actor_id }) => actor_id === msp.admin.id)).toBe(true)
    const snapshots = rows.map(({ before, after }) => JSON.stringify({ before, after }))
    expect(snapshots.filter((snapshot) => /tenant_id|environment/.test(snapshot))).toEqual([])
  })
})
