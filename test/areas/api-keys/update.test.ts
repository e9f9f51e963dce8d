import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { world } from '../../setup/world.ts'
import { callerWith, created } from './keys.ts'

describeApi('API keys', (api) => {
  it('change only in the fields that are given', async () => {
    const msp = await world()
    const { id: key_id } = await created(api, msp, { description: 'Old', allowed_cidrs: ['10.0.0.0/8'] })
    const change = (input: object) => api.call(msp.admin, 'update_api_key', { key_id, input })
    expect((await change({ name: 'New name' })).data).toMatchObject({ name: 'New name', description: 'Old' })
    expect((await change({ description: null })).data).toMatchObject({ name: 'New name', description: null })
    expect((await change({ description: '' })).data.description).toBeNull()
    expect((await change({ scopes: ['agents:read', 'agents:read'] })).data.scopes).toEqual(['agents:read'])
    expect((await change({ allowed_cidrs: [] })).data.allowed_cidrs).toEqual([])
    expect((await change({})).data).toMatchObject({ name: 'New name', scopes: ['agents:read'] })
  })

  it.each([
    ['name', 'null', { name: null }],
    ['name', 'length', { name: ' ' }],
    ['scopes', 'length', { scopes: [] }],
    ['scopes', 'null', { scopes: null }],
    ['scopes.0', 'enum', { scopes: ['agents:fly'] }],
    ['allowed_cidrs.0', 'format', { allowed_cidrs: ['10.0.0.0/40'] }],
    ['allowed_cidrs', 'null', { allowed_cidrs: null }],
  ])('are not changed to a %s that is wrong by its %s: 422', async (field, code, input) => {
    const msp = await world()
    const { status, error } = await api.call(msp.admin, 'update_api_key', { key_id: msp.key.id, input })
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it('keep their own name when they are changed, and take no other key’s', async () => {
    const msp = await world()
    const [first, second] = [await created(api, msp), await created(api, msp, { name: 'Second' })]
    const rename = (key_id: string, name: string) =>
      api.call(msp.admin, 'update_api_key', { key_id, input: { name } })
    expect((await rename(first.id, 'Nightly sync')).status).toBe(200)
    expect(outcome(await rename(second.id, 'Nightly sync'))).toEqual([409, 'api_key_name_taken'])
  })

  it('can do less from the next request after a change on', async () => {
    const msp = await world()
    const key = await created(api, msp)
    expect((await api.call(callerWith(key), 'settings')).status).toBe(200)
    const input = { scopes: ['agents:read'] }
    await api.call(msp.admin, 'update_api_key', { key_id: key.id, input })
    expect(outcome(await api.call(callerWith(key), 'settings'))).toEqual([403, 'insufficient_scope'])
  })

  it('refuse an outdated If-Match', async () => {
    const msp = await world()
    const { id: key_id } = await created(api, msp)
    const { etag } = await api.call(msp.admin, 'api_key', { key_id })
    const changed = await api.call(
      msp.admin,
      'update_api_key',
      { key_id, input: { name: 'Newer' } },
      { 'if-match': etag ?? '' },
    )
    expect(changed.status).toBe(200)
    for (const [operation, args] of [
      ['update_api_key', { key_id, input: {} }],
      ['rotate_api_key', { key_id }],
      ['revoke_api_key', { key_id }],
    ] as const) {
      const late = await api.call(msp.admin, operation, args, { 'if-match': etag ?? '' })
      expect(outcome(late)).toEqual([409, 'version_conflict'])
      expect(late.error?.details.current_etag).toBe(changed.etag)
    }
  })
})
