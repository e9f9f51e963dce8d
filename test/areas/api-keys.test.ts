import { expect, it } from 'vitest'
import { SCOPES } from '../../src/access/scopes.ts'
import { type Answer, type Api, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { countStatements } from '../setup/statements.ts'
import { days, type Msp, world } from '../setup/world.ts'

const HOUR = 3_600_000

/** A key made through the API; it has the secret of `data.key`. */
async function created(api: Api, msp: Msp, input: Record<string, unknown> = {}): Promise<Answer['data']> {
  const draft = { name: 'Nightly sync', scopes: ['settings:read'], ...input }
  const { data, error } = await api.call(msp.admin, 'create_api_key', { input: draft })
  if (error) throw new Error(error.message)
  return data
}

const callerWith = ({ id, key }: { id: string; key: string }) => ({ id, token: key })

const refused = ({ status, error }: Answer) => [status, error?.code]

/** Keys straight into the database, ACTIVE unless said otherwise. */
async function insertKeys(msp: Msp, count: number, changes: Record<string, unknown> = {}): Promise<string[]> {
  const keys = await Promise.all(Array.from({ length: count }, () => msp.newKey()))
  const ids = keys.map(({ id }) => id)
  await msp.database.prisma.apiKey.updateMany({
    where: { tenant_id: msp.tenant_id, id: { in: ids } },
    data: changes,
  })
  return ids
}

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

  it('are read without their secret', async () => {
    const msp = await world()
    const key = await created(api, msp, {
      description: 'For the night',
      expires_in_days: 90,
      acting_user_id: msp.user.id,
      allow_acting_user_header: true,
      allowed_cidrs: ['127.0.0.0/8', '::1/128', '127.0.0.0/8'],
      scopes: ['settings:write', 'settings:read', 'settings:write'],
    })
    const { data, etag } = await api.call(msp.owner, 'api_key', { key_id: key.id })
    expect(data).toEqual({
      id: key.id,
      name: 'Nightly sync',
      description: 'For the night',
      prefix: key.key.slice(0, 'svc_sk_test_'.length + 6),
      last_four: key.key.slice(-4),
      status: 'ACTIVE',
      scopes: ['settings:read', 'settings:write'],
      environment: 'test',
      acting_user_id: msp.user.id,
      allow_acting_user_header: true,
      allowed_cidrs: ['127.0.0.0/8', '::1/128'],
      created_at: key.created_at,
      created_by_name: 'Admin',
      expires_at: new Date(Date.parse(key.created_at) + days(90)).toISOString(),
      last_used_at: null,
      last_used_ip: null,
      sunset_at: null,
      replaced_by_key_id: null,
      rotated_from_key_id: null,
      revoked_at: null,
      revoked_by_name: null,
      revoke_reason: null,
      revision: 1,
    })
    expect(etag).not.toBeNull()
  })

  it('are made and revoked with null where nothing is to be said', async () => {
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
      expect(refused(answer)).toEqual([403, 'acting_user_not_allowed'])
    }
  })

  it('do not let anybody do more than the acting user may', async () => {
    const msp = await world()
    const key = await created(api, msp, { scopes: ['settings:write'], acting_user_id: msp.user.id })
    const answer = await api.call(callerWith(key), 'update_settings', { input: {} })
    expect(refused(answer)).toEqual([403, 'forbidden'])
  })

  it('have a name of their own among the ACTIVE ones', async () => {
    const msp = await world()
    const first = await created(api, msp)
    const input = { name: ' Nightly sync ', scopes: ['settings:read'] }
    const taken = await api.call(msp.admin, 'create_api_key', { input })
    expect(refused(taken)).toEqual([409, 'api_key_name_taken'])
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
    expect(refused(full)).toEqual([409, 'api_key_limit_reached'])
    const rotated = await api.call(msp.admin, 'rotate_api_key', { key_id: msp.key.id })
    expect(rotated.status).toBe(200)
    expect(refused(await api.call(msp.admin, 'create_api_key', { input }))).toEqual([
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
    expect(refused(again)).toEqual([409, 'secret_already_issued'])
    expect(again.error?.details).toMatchObject({ api_key_id: first.data.id })
    const { id: key_id } = first.data
    const rotate = { 'idempotency-key': 'rotate-once' }
    const rotated = await api.call(msp.admin, 'rotate_api_key', { key_id }, rotate)
    const rotatedAgain = await api.call(msp.admin, 'rotate_api_key', { key_id }, rotate)
    expect(refused(rotatedAgain)).toEqual([409, 'secret_already_issued'])
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
    expect(refused(await rename(second.id, 'Nightly sync'))).toEqual([409, 'api_key_name_taken'])
  })

  it('can do less from the next request after a change on', async () => {
    const msp = await world()
    const key = await created(api, msp)
    expect((await api.call(callerWith(key), 'settings')).status).toBe(200)
    const input = { scopes: ['agents:read'] }
    await api.call(msp.admin, 'update_api_key', { key_id: key.id, input })
    expect(refused(await api.call(callerWith(key), 'settings'))).toEqual([403, 'insufficient_scope'])
  })

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
      ...{ name, description, scopes, acting_user_id, allow_acting_user_header, allowed_cidrs },
      status: 'ACTIVE',
      rotated_from_key_id: old.id,
      created_by_name: 'Owner',
    })
    clock.advance(24 * HOUR - 5000)
    expect((await api.call(callerWith(old), 'settings')).status).toBe(200)
    clock.advance(5000)
    expect(refused(await api.call(callerWith(old), 'settings'))).toEqual([401, 'credentials_expired'])
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
    expect(refused(again)).toEqual([409, 'api_key_already_rotated'])
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
      expect([refused(rotated), refused(changed)]).toEqual(Array(2).fill([409, 'api_key_not_active']))
      expect(rotated.error?.details).toMatchObject({ status })
    }
  })

  it('are refused from the next request after their revocation on', async () => {
    const msp = await world()
    const key = await created(api, msp)
    expect((await api.call(callerWith(key), 'settings')).status).toBe(200)
    const { data } = await api.call(msp.admin, 'revoke_api_key', {
      key_id: key.id,
      input: { reason: 'Leaked' },
    })
    expect(data).toMatchObject({ status: 'REVOKED', revoked_by_name: 'Admin', revoke_reason: 'Leaked' })
    expect(refused(await api.call(callerWith(key), 'settings'))).toEqual([401, 'credentials_revoked'])
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
    expect(refused(answer)).toEqual([422, 'read_only_field'])
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
    expect(refused(await api.call(msp.admin, 'revoke_api_key', args))).toEqual([
      422,
      'request_validation_failed',
    ])
    expect((await api.call(msp.key, 'settings')).status).toBe(200)
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
      expect(refused(late)).toEqual([409, 'version_conflict'])
      expect(late.error?.details.current_etag).toBe(changed.etag)
    }
  })

  it('are listed the newest first, page by page, each once', async () => {
    const msp = await world()
    const ids: string[] = [msp.key.id]
    for (let count = 0; count < 4; count++) ids.unshift(...(await insertKeys(msp, 1)))
    const at = clock.now()
    const where = { tenant_id: msp.tenant_id, id: { in: ids.slice(0, 3) } }
    await msp.database.prisma.apiKey.updateMany({ where, data: { created_at: at } })
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const args = { page_size: 2, ...(cursor && { cursor }) }
      const { data, pagination } = await api.call(msp.admin, 'api_keys', args)
      seen.push(...data.map(({ id }: { id: string }) => id))
      cursor = pagination?.next_cursor
    } while (cursor)
    expect(seen).toHaveLength(5)
    expect(seen.slice(0, 3)).toEqual(ids.slice(0, 3).sort().reverse())
    expect(seen.slice(3)).toEqual(ids.slice(3))
  })

  it('cost one statement to list, however many there are', async () => {
    const msp = await world()
    await insertKeys(msp, 5)
    const count = await countStatements(msp.database, () => api.call(msp.admin, 'api_keys'))
    const authentication = 1
    expect(count).toBe(authentication + 1)
  })

  it('are found by state', async () => {
    const msp = await world()
    const later = new Date(clock.now().getTime() + HOUR)
    const byStatus = {
      ACTIVE: [msp.key.id],
      SUNSETTING: await insertKeys(msp, 1, { sunset_at: later }),
      EXPIRED: await insertKeys(msp, 1, { expires_at: clock.now() }),
      REVOKED: await insertKeys(msp, 1, { revoked_at: clock.now(), sunset_at: later }),
    }
    for (const [status, ids] of Object.entries(byStatus)) {
      const { data } = await api.call(msp.admin, 'api_keys', { status })
      expect(data.map(({ id }: { id: string }) => id)).toEqual(ids)
      expect(data[0].status).toBe(status)
    }
    const { data } = await api.call(msp.admin, 'api_keys', { status: ['REVOKED', 'ACTIVE'] })
    expect(new Set(data.map(({ id }: { id: string }) => id))).toEqual(
      new Set([...byStatus.REVOKED, ...byStatus.ACTIVE]),
    )
    const { status, error } = await api.call(msp.admin, 'api_keys', { status: 'LOST' })
    expect([status, error?.details.field_errors?.[0]?.field]).toEqual([422, 'status.0'])
  })

  it('are found by what is in their name or description, letter for letter but for case', async () => {
    const msp = await world()
    await created(api, msp, { name: '100% Backup_job' })
    await created(api, msp, { name: 'Other', description: 'Backs up C:\\data' })
    const found = async (search: string) => {
      const { data } = await api.call(msp.admin, 'api_keys', { search })
      return data.map(({ name }: { name: string }) => name)
    }
    expect(await found('100% backup')).toEqual(['100% Backup_job'])
    expect(await found('p_j')).toEqual(['100% Backup_job'])
    expect(await found('c:\\d')).toEqual(['Other'])
    expect(await found('%up')).toEqual([])
    expect(await found('_______')).toEqual([])
  })

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
    expect(refused(large)).toEqual([400, 'window_too_large'])
    expect(large.error?.details).toMatchObject({ max_seconds: 7_776_000, from: '2026-01-01T00:00:00.000Z' })
    expect(refused(await usage('2026-04-01', '2026-04-01'))).toEqual([400, 'invalid_window'])
    expect(refused(await usage('2026-02-30', '2026-04-01'))).toEqual([422, 'request_validation_failed'])
  })

  it('have scopes that say what they allow', async () => {
    const msp = await world()
    const { data, headers } = await api.call(msp.admin, 'api_key_scopes')
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
    expect(data.map(({ name }: { name: string }) => name)).toEqual(SCOPES)
    expect(data.find(({ name }: { name: string }) => name === 'settings:write')).toEqual({
      name: 'settings:write',
      description: 'Change the settings.',
      operations: ['update_settings'],
      presets: ['FULL'],
    })
  })

  it('are nothing to another tenant', async () => {
    const [msp, other] = [await world(), await world()]
    const key_id = msp.key.id
    for (const [operation, args] of [
      ['api_key', {}],
      ['api_key_usage', {}],
      ['update_api_key', { input: {} }],
      ['rotate_api_key', {}],
      ['revoke_api_key', {}],
    ] as const) {
      const answer = await api.call(other.owner, operation, { key_id, ...args })
      expect(refused(answer)).toEqual([404, 'api_key_not_found'])
    }
    const { data } = await api.call(other.owner, 'api_keys')
    expect(data.map(({ id }: { id: string }) => id)).toEqual([other.key.id])
    expect((await api.call(msp.key, 'settings')).status).toBe(200)
  })

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
        expect(refused(await api.call(caller, operation, args))).toEqual([403, 'dashboard_jwt_required'])
      }
      for (const caller of [msp.user, msp.viewer]) {
        expect(refused(await api.call(caller, operation, args))).toEqual([403, 'forbidden'])
      }
    }
  })

  it('leave one activity row for each thing that is done to them', async () => {
    const msp = await world()
    const old = await created(api, msp)
    await api.call(msp.admin, 'update_api_key', { key_id: old.id, input: { name: 'Renamed' } })
    const { data: rotated } = await api.call(msp.admin, 'rotate_api_key', { key_id: old.id })
    await api.call(msp.admin, 'revoke_api_key', { key_id: rotated.id, input: { reason: 'Done' } })
    const rows = await msp.database.prisma.activityEntry.findMany({
      where: { tenant_id: msp.tenant_id },
      orderBy: { occurred_at: 'asc' },
    })
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
  })

  it.runIf(api.name === 'rest')('are answered in full to If-None-Match once they have ended', async () => {
    const msp = await world()
    const key = await msp.newKey({ expires_at: new Date(clock.now().getTime() + HOUR) })
    const read = (headers = {}) => api.call(msp.admin, 'api_key', { key_id: key.id }, headers)
    const { etag } = await read()
    const known = { 'if-none-match': etag ?? '' }
    expect((await read(known)).status).toBe(304)
    clock.advance(HOUR)
    const later = await read(known)
    expect([later.status, later.data.status]).toEqual([200, 'EXPIRED'])
    expect(later.etag).not.toBe(etag)
  })

  it.runIf(api.name === 'rest')('say where a new one is', async () => {
    const msp = await world()
    const input = { name: 'Found', scopes: ['settings:read'] }
    const { data, headers } = await api.call(msp.admin, 'create_api_key', { input })
    expect(headers.get('location')).toBe(`/public-api/api-keys/${data.id}`)
  })
})
