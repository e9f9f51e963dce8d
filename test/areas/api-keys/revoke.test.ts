import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { world } from '../../setup/world.ts'
import { callerWith, created, HOUR, insertKeys } from './keys.ts'

describeApi('API keys', (api) => {
  it('are refused from the next request after their revocation on', async () => {
    const msp = await world()
    const key = await created(api, msp)
    expect((await api.call(callerWith(key), 'settings')).status).toBe(200)
    const { data } = await api.call(msp.admin, 'revoke_api_key', {
      key_id: key.id,
      input: { reason: 'Leaked' },
    })
    expect(data).toMatchObject({ status: 'REVOKED', revoked_by_name: 'Admin', revoke_reason: 'Leaked' })
    expect(outcome(await api.call(callerWith(key), 'settings'))).toEqual([401, 'credentials_revoked'])
  })

  it.each([
    { acting_user_id: null },
    { acting_user_id: 'usr_x' },
    { allow_acting_user_header: false },
    { acting_user_id: 5, allow_acting_user_header: 'yes', name: 'Renamed' },
  ])('do not change whom they act for: %j', async (input) => {
    const msp = await world()
    const key_id = msp.key.id
    const answer = await api.call(msp.admin, 'update_api_key', { key_id, input })
    expect(outcome(answer)).toEqual([422, 'read_only_field'])
    const named = answer.error?.details.field_errors?.map(({ field, code }) => [field, code])
    const fields = Object.keys(input).filter((field) => field !== 'name')
    expect(named).toEqual(fields.map((field) => [field, 'read_only_field']))
    expect((await api.call(msp.admin, 'api_key', { key_id })).data).toMatchObject({
      name: key_id,
      revision: 1,
    })
  })

  it('keep their first revocation', async () => {
    const msp = await world()
    const { id: key_id } = await created(api, msp)
    const first = await api.call(msp.admin, 'revoke_api_key', { key_id })
    expect(first.data).toMatchObject({ status: 'REVOKED', revoke_reason: null })
    clock.advance(HOUR)
    const again = await api.call(msp.owner, 'revoke_api_key', { key_id, input: { reason: 'Again' } })
    expect([again.status, again.data]).toEqual([200, first.data])
  })

  it('are revoked while they sunset, and after they have expired', async () => {
    const msp = await world()
    const [sunsetting = ''] = await insertKeys(msp, 1, { sunset_at: new Date(clock.now().getTime() + HOUR) })
    const [expired = ''] = await insertKeys(msp, 1, { expires_at: clock.now() })
    for (const key_id of [sunsetting, expired]) {
      expect((await api.call(msp.admin, 'revoke_api_key', { key_id })).data.status).toBe('REVOKED')
    }
  })

  it('are not revoked for a reason that is too long', async () => {
    const msp = await world()
    const args = { key_id: msp.key.id, input: { reason: 'x'.repeat(256) } }
    expect(outcome(await api.call(msp.admin, 'revoke_api_key', args))).toEqual([
      422,
      'request_validation_failed',
    ])
    expect((await api.call(msp.key, 'settings')).status).toBe(200)
  })
})
