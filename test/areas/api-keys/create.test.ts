import { expect, it } from 'vitest'
import { SCOPES } from '../../../src/access/policies/scopes.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { days, world } from '../../setup/world.ts'
import { callerWith, created, insertKeys } from './keys.ts'

describeApi('API keys', (api) => {
  it('are made with a secret that works at once, for 365 days unless said otherwise', async () => {
    const msp = await world()
    const before = clock.now().getTime()
    const key = await created(api, msp)
    expect(key).toMatchObject({ name: 'Nightly sync', scopes: ['settings:read'], status: 'ACTIVE' })
    expect(key.key).toMatch(/^svc_sk_test_[0-9A-Za-z]{46}$/)
    expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).toBe(days(365))
    expect(Date.parse(key.created_at)).toBeGreaterThanOrEqual(before)
    expect((await api.call(callerWith(key), 'settings')).status).toBe(200)
  })

  it('are made and revoked with null if nothing is to be said', async () => {
    const msp = await world()
    const input = { name: 'Sync', scopes: ['settings:read'], description: null, acting_user_id: null }
    const { data } = await api.call(msp.admin, 'create_api_key', { input })
    const key_id = data.id
    const revoked = await api.call(msp.admin, 'revoke_api_key', { key_id, input: { reason: null } })
    const none = { description: null, acting_user_id: null, revoke_reason: null }
    expect(revoked.data).toMatchObject({ ...none, status: 'REVOKED' })
  })

  it.each([
    ['name', 'length', { name: '' }],
    ['name', 'length', { name: 'x'.repeat(81) }],
    ['name', 'null', { name: null }],
    ['name', 'required', { name: undefined }],
    ['description', 'length', { description: 'x'.repeat(256) }],
    ['scopes', 'required', { scopes: undefined }],
    ['scopes', 'length', { scopes: [] }],
    ['scopes.1', 'enum', { scopes: ['settings:read', 'agents:fly'] }],
    ['scopes.0', 'enum', { scopes: ['READ_ONLY'] }],
    ['expires_in_days', 'range', { expires_in_days: 0 }],
    ['expires_in_days', 'range', { expires_in_days: 366 }],
    ['expires_in_days', 'type', { expires_in_days: 1.5 }],
    ['expires_in_days', 'null', { expires_in_days: null }],
    ['allowed_cidrs.1', 'format', { allowed_cidrs: ['10.0.0.0/8', '10.0.0.1'] }],
    ['allowed_cidrs', 'length', { allowed_cidrs: Array(51).fill('10.0.0.0/8') }],
    ['allow_acting_user_header', 'type', { allow_acting_user_header: 'yes' }],
  ])('are not made with a %s that is wrong by its %s: 422', async (field, code, change) => {
    const msp = await world()
    const input = { name: 'Sync', scopes: ['settings:read'], ...change }
    const { status, error } = await api.call(msp.admin, 'create_api_key', { input })
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it.each([
    ['a name of one character', { name: 'x' }],
    ['a name of 80 characters', { name: 'é'.repeat(80) }],
    ['a description of 255 characters', { description: 'x'.repeat(255) }],
    ['a life of one day', { expires_in_days: 1 }],
    ['a life of 365 days', { expires_in_days: 365 }],
    ['every scope, twice', { scopes: [...SCOPES, ...SCOPES] }],
    ['50 networks', { allowed_cidrs: Array(50).fill('10.0.0.0/8') }],
  ])('are made with %s', async (_what, change) => {
    const msp = await world()
    const input = { name: 'Sync', scopes: ['settings:read'], ...change }
    expect((await api.call(msp.admin, 'create_api_key', { input })).status).toBe(200)
  })

  it('name every wrong scope and network at once, and write nothing', async () => {
    const msp = await world()
    const input = { name: 'Sync', scopes: ['a', 'settings:read', 'b'], allowed_cidrs: ['c'] }
    const { error } = await api.call(msp.admin, 'create_api_key', { input })
    const fields = error?.details.field_errors?.map(({ field }) => field)
    expect(fields).toEqual(['scopes.0', 'scopes.2', 'allowed_cidrs.0'])
    expect((await api.call(msp.admin, 'api_keys')).data).toHaveLength(1)
  })

  it('act only for users of the tenant', async () => {
    const [msp, other] = [await world(), await world()]
    for (const acting_user_id of [other.user.id, 'nobody', '']) {
      const input = { name: 'Sync', scopes: ['settings:read'], acting_user_id }
      const answer = await api.call(msp.admin, 'create_api_key', { input })
      expect(outcome(answer)).toEqual([403, 'acting_user_not_allowed'])
    }
  })

  it('do not let anybody do more than the acting user may', async () => {
    const msp = await world()
    const key = await created(api, msp, { scopes: ['settings:write'], acting_user_id: msp.user.id })
    const answer = await api.call(callerWith(key), 'update_settings', { input: {} })
    expect(outcome(answer)).toEqual([403, 'forbidden'])
  })

  it('have a name of their own among the ACTIVE ones', async () => {
    const msp = await world()
    const first = await created(api, msp)
    const input = { name: ' Nightly sync ', scopes: ['settings:read'] }
    const taken = await api.call(msp.admin, 'create_api_key', { input })
    expect(outcome(taken)).toEqual([409, 'api_key_name_taken'])
    expect(taken.error?.details).toMatchObject({ api_key_id: first.id })
    await api.call(msp.admin, 'revoke_api_key', { key_id: first.id })
    expect((await api.call(msp.admin, 'create_api_key', { input })).status).toBe(200)
  })

  it('free their name when they expire', async () => {
    const msp = await world()
    await created(api, msp, { expires_in_days: 1 })
    clock.advance(days(1))
    expect((await created(api, msp)).status).toBe('ACTIVE')
  })

  it('may have the names of another tenant’s keys', async () => {
    const [msp, other] = [await world(), await world()]
    await created(api, msp)
    expect((await created(api, other)).status).toBe('ACTIVE')
  })

  it('are at most 50 ACTIVE ones in an environment', async () => {
    const msp = await world()
    await insertKeys(msp, 49)
    const input = { name: 'One more', scopes: ['settings:read'] }
    const full = await api.call(msp.admin, 'create_api_key', { input })
    expect(outcome(full)).toEqual([409, 'api_key_limit_reached'])
    const rotated = await api.call(msp.admin, 'rotate_api_key', { key_id: msp.key.id })
    expect(rotated.status).toBe(200)
    expect(outcome(await api.call(msp.admin, 'create_api_key', { input }))).toEqual([
      409,
      'api_key_limit_reached',
    ])
    await api.call(msp.admin, 'revoke_api_key', { key_id: rotated.data.id })
    expect((await api.call(msp.admin, 'create_api_key', { input })).status).toBe(200)
  })

  it.runIf(process.env.DATABASE_URL)('of one name, made at once, are one', async () => {
    const msp = await world()
    const input = { name: 'Race', scopes: ['settings:read'] }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.call(msp.admin, 'create_api_key', { input })),
    )
    const codes = answers.map(({ error }) => error?.code ?? 'made').sort()
    expect(codes).toEqual([...Array(7).fill('api_key_name_taken'), 'made'])
  })

  it.runIf(process.env.DATABASE_URL)('made at once are never more than 50', async () => {
    const msp = await world()
    await insertKeys(msp, 46)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        api.call(msp.admin, 'create_api_key', {
          input: { name: `Race ${index}`, scopes: ['settings:read'] },
        }),
      ),
    )
    const codes = answers.map(({ error }) => error?.code ?? 'made').sort()
    expect(codes).toEqual([...Array(5).fill('api_key_limit_reached'), ...Array(3).fill('made')])
  })

  it('show their secret once: the same request again tells only which key it made', async () => {
    const msp = await world()
    const input = { name: 'Once', scopes: ['settings:read'] }
    const headers = { 'idempotency-key': 'create-once' }
    const first = await api.call(msp.admin, 'create_api_key', { input }, headers)
    const again = await api.call(msp.admin, 'create_api_key', { input }, headers)
    expect(outcome(again)).toEqual([409, 'secret_already_issued'])
    expect(again.error?.details).toMatchObject({ api_key_id: first.data.id })
    const { id: key_id } = first.data
    const rotate = { 'idempotency-key': 'rotate-once' }
    const rotated = await api.call(msp.admin, 'rotate_api_key', { key_id }, rotate)
    const rotatedAgain = await api.call(msp.admin, 'rotate_api_key', { key_id }, rotate)
    expect(outcome(rotatedAgain)).toEqual([409, 'secret_already_issued'])
    expect(rotatedAgain.error?.details).toMatchObject({ api_key_id: rotated.data.id })
  })

  it('leave no trace of their secret in anything that is stored', async () => {
    const msp = await world()
    const headers = { 'idempotency-key': 'no-trace' }
    const input = { name: 'Once', scopes: ['settings:read'] }
    const { data } = await api.call(msp.admin, 'create_api_key', { input }, headers)
    const rotated = await api.call(msp.admin, 'rotate_api_key', { key_id: data.id }, headers)
    const { prisma, tenant_id } = { ...msp.database, ...msp }
    const where = { tenant_id }
    const stored = JSON.stringify([
      await prisma.activityEntry.findMany({ where }),
      await prisma.idempotencyRecord.findMany({ where }),
      await prisma.apiKey.findMany({ where }),
    ])
    for (const { key } of [data, rotated.data]) {
      expect(stored).not.toContain(key)
      expect(stored).not.toContain(key.slice('svc_sk_test_'.length + 6))
    }
  })

  it.runIf(api.name === 'rest')('say where a new one is', async () => {
    const msp = await world()
    const input = { name: 'Found', scopes: ['settings:read'] }
    const { data, headers } = await api.call(msp.admin, 'create_api_key', { input })
    expect(headers.get('location')).toBe(`/public-api/api-keys/${data.id}`)
  })
})
