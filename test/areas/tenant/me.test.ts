import { expect, it } from 'vitest'
import { ROLE_SCOPES, SCOPES } from '../../../src/access/policies/scopes.ts'
import { describeApi } from '../../setup/api.ts'
import { clock, startApp } from '../../setup/app.ts'
import { days, world } from '../../setup/world.ts'

describeApi('me', (api) => {
  it('is the user with what their role allows', async () => {
    const msp = await world()
    const { data } = await api.call(msp.user, 'me')
    expect(data).toMatchObject({
      principal_type: 'USER',
      id: msp.user.id,
      name: 'User',
      role: 'USER',
      acting_user_id: null,
      tenant_id: msp.tenant_id,
      environment: 'test',
      expires_at: '2100-01-01T00:00:00.000Z',
    })
    expect(data.scopes).toEqual([...ROLE_SCOPES.USER].sort())
    expect(data.limits.map(({ name }: { name: string }) => name)).toEqual([
      'dashboard_user',
      'dashboard_user_writes',
      'tenant',
      'graphql_points',
      'run_now',
      'verify_audit_log',
      'integration_requests',
    ])
  })

  it('is the key, with no role in nobody’s name', async () => {
    const msp = await world()
    const expires_at = new Date(clock.now().getTime() + days(9))
    const key = await msp.newKey({ scopes: ['settings:read', 'agents:run'], expires_at })
    const { data } = await api.call(key, 'me')
    expect(data).toMatchObject({
      principal_type: 'API_KEY',
      id: key.id,
      role: null,
      scopes: ['agents:run', 'settings:read'],
      acting_user_id: null,
      expires_at: expires_at.toISOString(),
    })
    expect(data.limits.map(({ name }: { name: string }) => name)).toEqual([
      'service_key',
      'service_key_burst',
      'service_key_writes',
      'tenant',
      'graphql_points',
      'run_now',
      'verify_audit_log',
      'integration_requests',
    ])
  })

  it('is the key with the role and no more than the scopes of its acting user', async () => {
    const msp = await world()
    const key = await msp.newKey({ acting_user_id: msp.viewer.id, allow_acting_user_header: true })
    const fixed = await api.call(key, 'me')
    expect(fixed.data).toMatchObject({ role: 'VIEWER', acting_user_id: msp.viewer.id, name: key.id })
    expect(fixed.data.scopes).toEqual([...ROLE_SCOPES.VIEWER].sort())
    const named = await api.call(key, 'me', {}, { 'x-acting-user': msp.admin.id })
    expect(named.data).toMatchObject({ role: 'ADMIN', acting_user_id: msp.admin.id })
    expect(named.data.scopes).toEqual([...SCOPES].sort())
  })

  it('says how much of every limit is left, and when it is whole again', async () => {
    const msp = await world()
    await api.call(msp.key, 'me')
    clock.freeze()
    const now = clock.now().getTime()
    const { data } = await api.call(msp.key, 'me')
    for (const { name, limit, window_seconds, remaining, reset_at } of data.limits) {
      if (name === 'integration_requests') continue
      const usual = name === 'service_key_burst' ? [100_000, 1] : [1_000_000, 60]
      expect([limit, window_seconds]).toEqual(usual)
      expect(remaining).toBeLessThanOrEqual(limit)
      expect(Date.parse(reset_at)).toBeGreaterThanOrEqual(now)
      expect(Date.parse(reset_at)).toBeLessThanOrEqual(now + 60_000)
    }
  })

  it('says how many integrations the tenant may still ask for, and when it may ask for all again', async () => {
    const msp = await world()
    const standing = async () => (await api.call(msp.viewer, 'me')).data.limits.at(-1)
    const limit = { name: 'integration_requests', limit: 5, window_seconds: 604_800 }
    expect(await standing()).toMatchObject({ ...limit, remaining: 5 })
    const input = { vendor_name: 'Acme Backup', use_case: 'Read the results.' }
    const { data } = await api.call(msp.admin, 'request_integration', { input })
    const { remaining, reset_at } = await standing()
    expect(remaining).toBe(4)
    const leaves = Date.parse(data.created_at) + days(7)
    expect(Math.abs(Date.parse(reset_at) - leaves)).toBeLessThanOrEqual(1000)
  })
})

it('the limit that is left is the one that was not used', async () => {
  const msp = await world()
  // Nothing comes back between a request's own token and its answer.
  const still = { elapsed: () => 0 }
  const limits = { LIMITS: 'service_key=100,service_key_writes=5' }
  const { app, base } = await startApp(msp.database, limits, undefined, still)
  try {
    const me = async () => {
      const headers = { authorization: `Bearer ${msp.key.token}` }
      const answer = await fetch(`${base}/public-api/tenant/me`, { headers })
      const { data } = await answer.json()
      return Object.fromEntries(data.limits.map((limit: { name: string }) => [limit.name, limit]))
    }
    await me()
    const { service_key, service_key_writes } = await me()
    expect(service_key).toMatchObject({ limit: 100, window_seconds: 60 })
    expect([98, 99]).toContain(service_key.remaining)
    expect(service_key_writes).toMatchObject({ limit: 5, remaining: 5 })
  } finally {
    await app.close(0)
  }
})
