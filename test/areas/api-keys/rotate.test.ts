import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { graphql } from '../../setup/graphql.ts'
import { days, world } from '../../setup/world.ts'
import { callerWith, created, HOUR, insertKeys } from './keys.ts'

describeApi('API keys', (api) => {
  it('are rotated: the replacement is the same but for its secret, and both work for 24 hours', async () => {
    const msp = await world()
    const old = await created(api, msp, {
      expires_in_days: 90,
      description: 'Same',
      allow_acting_user_header: true,
      acting_user_id: msp.admin.id,
      allowed_cidrs: ['127.0.0.0/8'],
    })
    const { data: rotated } = await api.call(msp.owner, 'rotate_api_key', { key_id: old.id })
    expect(Object.keys(rotated).sort()).toEqual(['created_at', 'expires_at', 'id', 'key', 'name'])
    expect(Date.parse(rotated.expires_at) - Date.parse(rotated.created_at)).toBe(days(90))
    const { data: before } = await api.call(msp.admin, 'api_key', { key_id: old.id })
    const { data: after } = await api.call(msp.admin, 'api_key', { key_id: rotated.id })
    expect(before).toMatchObject({ status: 'SUNSETTING', replaced_by_key_id: rotated.id })
    expect(Date.parse(before.sunset_at) - Date.parse(rotated.created_at)).toBe(24 * HOUR)
    const { name, description, scopes, acting_user_id, allow_acting_user_header, allowed_cidrs } = before
    expect(after).toMatchObject({
      name,
      description,
      scopes,
      acting_user_id,
      allow_acting_user_header,
      allowed_cidrs,
      status: 'ACTIVE',
      rotated_from_key_id: old.id,
      created_by_name: 'Owner',
    })
    clock.advance(23 * HOUR)
    expect((await api.call(callerWith(old), 'settings')).status).toBe(200)
    clock.advance(HOUR)
    expect(outcome(await api.call(callerWith(old), 'settings'))).toEqual([401, 'credentials_expired'])
    expect((await api.call(callerWith(rotated), 'settings')).status).toBe(200)
    expect((await api.call(msp.admin, 'api_key', { key_id: old.id })).data.status).toBe('EXPIRED')
  })

  it('sunset no later than they expire', async () => {
    const msp = await world()
    const soon = new Date(clock.now().getTime() + HOUR)
    const [key_id = ''] = await insertKeys(msp, 1, { expires_at: soon })
    await api.call(msp.admin, 'rotate_api_key', { key_id })
    const { data } = await api.call(msp.admin, 'api_key', { key_id })
    expect(data).toMatchObject({ status: 'SUNSETTING', sunset_at: soon.toISOString() })
  })

  it('do not hold their name while they sunset, and their replacement does', async () => {
    const msp = await world()
    const old = await created(api, msp)
    const { data: rotated } = await api.call(msp.admin, 'rotate_api_key', { key_id: old.id })
    const input = { name: 'Nightly sync', scopes: ['settings:read'] }
    const taken = await api.call(msp.admin, 'create_api_key', { input })
    expect(taken.error?.details).toMatchObject({ api_key_id: rotated.id })
    await api.call(msp.admin, 'revoke_api_key', { key_id: rotated.id })
    expect((await api.call(msp.admin, 'create_api_key', { input })).status).toBe(200)
    const rename = { key_id: old.id, input: { name: 'Nightly sync' } }
    expect((await api.call(msp.admin, 'update_api_key', rename)).status).toBe(200)
  })

  it('are rotated once', async () => {
    const msp = await world()
    const old = await created(api, msp)
    const first = await api.call(msp.admin, 'rotate_api_key', { key_id: old.id })
    const again = await api.call(msp.admin, 'rotate_api_key', { key_id: old.id })
    expect(outcome(again)).toEqual([409, 'api_key_already_rotated'])
    expect(again.error?.details).toMatchObject({ status: 'SUNSETTING', replaced_by_key_id: first.data.id })
    expect((await api.call(msp.admin, 'rotate_api_key', { key_id: first.data.id })).status).toBe(200)
  })

  it.runIf(process.env.DATABASE_URL)('rotated twenty times at once get one replacement', async () => {
    const msp = await world()
    const { id: key_id } = await created(api, msp)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.call(msp.admin, 'rotate_api_key', { key_id })),
    )
    const codes = answers.map(({ error }) => error?.code ?? 'rotated').sort()
    expect(codes).toEqual([...Array(19).fill('api_key_already_rotated'), 'rotated'])
    const where = { tenant_id: msp.tenant_id, rotated_from_key_id: key_id }
    expect(await msp.database.prisma.apiKey.count({ where })).toBe(1)
  })

  it('that have expired or been revoked are neither rotated nor changed', async () => {
    const msp = await world()
    const [expired = ''] = await insertKeys(msp, 1, { expires_at: clock.now() })
    const [revoked = ''] = await insertKeys(msp, 1, { revoked_at: clock.now() })
    const [sunset = ''] = await insertKeys(msp, 1, { sunset_at: clock.now() })
    for (const [key_id, status] of [
      [expired, 'EXPIRED'],
      [revoked, 'REVOKED'],
      [sunset, 'EXPIRED'],
    ]) {
      const rotated = await api.call(msp.admin, 'rotate_api_key', { key_id })
      const changed = await api.call(msp.admin, 'update_api_key', { key_id, input: { name: 'Late' } })
      expect([outcome(rotated), outcome(changed)]).toEqual(Array(2).fill([409, 'api_key_not_active']))
      expect(rotated.error?.details).toMatchObject({ status })
    }
  })
})

it('the rotation of an API key answers GraphQL clients with the old key as it is from then on', async () => {
  const msp = await world()
  const [key_id = ''] = await insertKeys(msp, 1)
  const { data } = await graphql(
    msp.admin,
    `mutation { rotate_api_key(key_id: "${key_id}") { id rotated_from { id status replaced_by_key_id revision } } }`,
  )
  const { id, rotated_from } = data.rotate_api_key
  expect(rotated_from).toEqual({ id: key_id, status: 'SUNSETTING', replaced_by_key_id: id, revision: 2 })
})
