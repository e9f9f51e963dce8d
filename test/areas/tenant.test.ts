import { expect, it } from 'vitest'
import { ROLE_SCOPES, SCOPES } from '../../src/access/scopes.ts'
import { type Answer, type Api, describeApi } from '../setup/api.ts'
import { clock, startApp } from '../setup/app.ts'
import { countStatements } from '../setup/statements.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'

const refused = ({ status, error }: Answer) => [status, error?.code]

const setRole = (api: Api, caller: Caller, { id }: Caller, role: string, headers = {}) =>
  api.call(caller, 'set_user_role', { user_id: id, input: { role } }, headers)

async function technicians({ database, tenant_id, environment }: Msp, count: number): Promise<number[]> {
  const at = clock.now()
  const rows = await database.prisma.technicianProfile.createManyAndReturn({
    data: Array.from({ length: count }, (_, psa_id) => ({
      ...{ tenant_id, environment, psa_id, created_at: at, updated_at: at },
      name: `Technician ${psa_id}`,
    })),
  })
  return rows.map(({ id }) => id)
}

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
    expect(refused(await api.call(null, 'tenant'))).toEqual([401, 'unauthenticated'])
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
      'tenant',
      'graphql_points',
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
    const before = Date.now()
    const { data } = await api.call(msp.key, 'me')
    for (const { name, limit, window_seconds, remaining, reset_at } of data.limits) {
      if (name === 'integration_requests') continue
      const usual = name === 'service_key_burst' ? [100_000, 1] : [1_000_000, 60]
      expect([limit, window_seconds]).toEqual(usual)
      expect(remaining).toBeLessThanOrEqual(limit)
      expect(Date.parse(reset_at)).toBeGreaterThanOrEqual(before - 1)
      expect(Date.parse(reset_at)).toBeLessThanOrEqual(Date.now() + 60_000)
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
  const { app, base } = await startApp(msp.database, { LIMITS: 'service_key=100,service_key_writes=5' })
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

describeApi('users', (api) => {
  it('are listed for OWNER and ADMIN, and for keys with the scope', async () => {
    const msp = await world()
    const none = await msp.newKey({ scopes: ['settings:read'] })
    const viewers = await msp.newKey({ acting_user_id: msp.viewer.id })
    for (const [operation, args] of [
      ['tenant_users', {}],
      ['tenant_user', { user_id: msp.user.id }],
    ] as const) {
      for (const caller of [msp.owner, msp.admin, msp.key]) {
        expect((await api.call(caller, operation, args)).status).toBe(200)
      }
      for (const caller of [msp.user, msp.viewer, viewers]) {
        expect(refused(await api.call(caller, operation, args))).toEqual([403, 'forbidden'])
      }
      expect(refused(await api.call(none, operation, args))).toEqual([403, 'insufficient_scope'])
    }
  })

  it('are read one by one', async () => {
    const msp = await world()
    const [technician_profile_id = 0] = await technicians(msp, 1)
    const last_seen_at = new Date('2026-03-03T03:03:03.003Z')
    const where = { tenant_id: msp.tenant_id, id: msp.user.id }
    await msp.database.prisma.tenantUser.updateMany({ where, data: { technician_profile_id, last_seen_at } })
    const { data, etag } = await api.call(msp.admin, 'tenant_user', { user_id: msp.user.id })
    expect(data).toEqual({
      id: msp.user.id,
      name: 'User',
      email: `user@${msp.tenant_id}.test`,
      role: 'USER',
      technician_profile_id,
      last_seen_at: last_seen_at.toISOString(),
      revision: 1,
    })
    expect(etag).not.toBeNull()
  })

  it('are listed the newest first, page by page, each once', async () => {
    const msp = await world()
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.tenantUser.updateMany({
      where: { ...where, id: { in: [msp.admin.id, msp.user.id, msp.viewer.id] } },
      data: { created_at: new Date('2026-01-01') },
    })
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const args = { page_size: 1, ...(cursor && { cursor }) }
      const { data, pagination } = await api.call(msp.admin, 'tenant_users', args)
      seen.push(...data.map(({ id }: { id: string }) => id))
      cursor = pagination?.next_cursor
    } while (cursor)
    const equallyOld = [msp.admin.id, msp.user.id, msp.viewer.id].sort().reverse()
    expect(seen).toEqual([msp.owner.id, ...equallyOld])
  })

  it('are found by role, and by what is in their name or e-mail address', async () => {
    const msp = await world()
    const where = { tenant_id: msp.tenant_id, id: msp.user.id }
    await msp.database.prisma.tenantUser.updateMany({ where, data: { name: '50%_Off' } })
    const found = async (args: Record<string, unknown>) => {
      const { data } = await api.call(msp.admin, 'tenant_users', args)
      return data.map(({ id }: { id: string }) => id).sort()
    }
    expect(await found({ role: 'ADMIN' })).toEqual([msp.admin.id])
    expect(await found({ search: 'OWNER@' })).toEqual([msp.owner.id])
    expect(await found({ search: '0%_o' })).toEqual([msp.user.id])
    expect(await found({ search: '_____%' })).toEqual([])
    expect(await found({ role: 'ADMIN', search: 'view' })).toEqual([])
    const { status, error } = await api.call(msp.admin, 'tenant_users', { role: 'KING' })
    expect([status, error?.details.field_errors?.[0]?.field]).toEqual([422, 'role'])
  })

  it('cost one statement, however many there are', async () => {
    const msp = await world()
    const count = await countStatements(msp.database, () => api.call(msp.admin, 'tenant_users'))
    const authentication = 1
    expect(count).toBe(authentication + 1)
  })

  it('get a role that counts from their next request on, for their keys too', async () => {
    const msp = await world()
    const theirs = await msp.newKey({ created_by_user_id: msp.admin.id })
    const acting = await msp.newKey({ acting_user_id: msp.admin.id })
    const change = (caller: Caller) => api.call(caller, 'update_settings', { input: {} })
    for (const caller of [msp.admin, theirs, acting]) expect((await change(caller)).status).toBe(200)
    const { data } = await setRole(api, msp.owner, msp.admin, 'VIEWER')
    expect(data).toMatchObject({ id: msp.admin.id, role: 'VIEWER' })
    expect(refused(await change(msp.admin))).toEqual([403, 'forbidden'])
    for (const caller of [theirs, acting]) {
      expect(refused(await change(caller))).toEqual([403, 'forbidden'])
    }
    await setRole(api, msp.owner, msp.viewer, 'ADMIN')
    expect((await change(msp.viewer)).status).toBe(200)
  })

  it.each([
    ['admin', 'viewer', 'USER', null],
    ['admin', 'viewer', 'ADMIN', null],
    ['admin', 'admin', 'VIEWER', null],
    ['admin', 'viewer', 'OWNER', 'OWNER'],
    ['admin', 'admin', 'OWNER', 'OWNER'],
    ['admin', 'owner', 'ADMIN', 'OWNER'],
    ['admin', 'owner', 'OWNER', 'OWNER'],
    ['user', 'viewer', 'USER', 'ADMIN'],
    ['viewer', 'viewer', 'OWNER', 'ADMIN'],
    ['owner', 'viewer', 'OWNER', null],
  ] as const)('by their %s: the %s becomes %s; that takes %s', async (who, whom, role, required_role) => {
    const msp = await world()
    const before = { owner: 'OWNER', admin: 'ADMIN', viewer: 'VIEWER' }[whom]
    const answer = await setRole(api, msp[who], msp[whom], role)
    const refusal = required_role && [403, 'forbidden']
    expect(answer.error ? refused(answer) : null).toEqual(refusal)
    if (required_role) expect(answer.error?.details.required_role).toBe(required_role)
    const stored = await api.call(msp.owner, 'tenant_user', { user_id: msp[whom].id })
    expect(stored.data.role).toBe(required_role ? before : role)
  })

  it('get no role from a key', async () => {
    const msp = await world()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    for (const caller of [msp.key, acting]) {
      expect(refused(await setRole(api, caller, msp.user, 'OWNER'))).toEqual([403, 'dashboard_jwt_required'])
    }
  })

  it.each([
    [{ role: 'KING' }, 'enum'],
    [{ role: 'admin' }, 'enum'],
    [{ role: null }, 'null'],
    [{}, 'required'],
  ])('do not get %j for a role', async (input, code) => {
    const msp = await world()
    const answer = await api.call(msp.owner, 'set_user_role', { user_id: msp.user.id, input })
    expect(refused(answer)).toEqual([422, 'request_validation_failed'])
    expect(answer.error?.details.field_errors).toMatchObject([{ field: 'role', location: 'body', code }])
  })

  it('keep one OWNER: the last is not demoted, but one of two may be', async () => {
    const msp = await world()
    const alone = await setRole(api, msp.owner, msp.owner, 'ADMIN')
    expect(refused(alone)).toEqual([409, 'last_owner'])
    expect((await setRole(api, msp.owner, msp.owner, 'OWNER')).status).toBe(200)
    await setRole(api, msp.owner, msp.admin, 'OWNER')
    expect((await setRole(api, msp.admin, msp.owner, 'USER')).data.role).toBe('USER')
    expect(refused(await setRole(api, msp.admin, msp.admin, 'ADMIN'))).toEqual([409, 'last_owner'])
  })

  it.runIf(process.env.DATABASE_URL)('keep one OWNER when two demote each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const msp = await world()
      await setRole(api, msp.owner, msp.admin, 'OWNER')
      const answers = await Promise.all([
        setRole(api, msp.owner, msp.admin, 'VIEWER'),
        setRole(api, msp.admin, msp.owner, 'VIEWER'),
      ])
      const codes = answers.map(({ error }) => error?.code ?? 'done').sort()
      expect([
        ['done', 'last_owner'],
        ['done', 'forbidden'],
      ]).toContainEqual(codes)
      const where = { tenant_id: msp.tenant_id, role: 'OWNER' } as const
      expect(await msp.database.prisma.tenantUser.count({ where })).toBe(1)
    }
  })

  it.runIf(process.env.DATABASE_URL)('keep one OWNER when each of many resigns at once', async () => {
    const msp = await world()
    const owners = [msp.owner, msp.admin, msp.user, msp.viewer]
    for (const owner of owners.slice(1)) await setRole(api, msp.owner, owner, 'OWNER')
    const answers = await Promise.all(owners.map((owner) => setRole(api, owner, owner, 'USER')))
    const codes = answers.map(({ error }) => error?.code ?? 'done').sort()
    expect(codes).toEqual(['done', 'done', 'done', 'last_owner'])
  })

  it('refuse an outdated If-Match', async () => {
    const msp = await world()
    const { etag } = await api.call(msp.owner, 'tenant_user', { user_id: msp.user.id })
    const changed = await setRole(api, msp.owner, msp.user, 'ADMIN', { 'if-match': etag ?? '' })
    expect(changed.status).toBe(200)
    const late = await setRole(api, msp.owner, msp.user, 'USER', { 'if-match': etag ?? '' })
    expect(refused(late)).toEqual([409, 'version_conflict'])
    expect(late.error?.details.current_etag).toBe(changed.etag)
  })

  it('leave one activity row per change of role', async () => {
    const msp = await world()
    await setRole(api, msp.owner, msp.user, 'ADMIN')
    const where = { tenant_id: msp.tenant_id }
    expect(await msp.database.prisma.activityEntry.findMany({ where })).toMatchObject([
      {
        action: 'user.role_changed',
        actor_id: msp.owner.id,
        targets: [{ type: 'user', id: msp.user.id, name: 'User' }],
        before: { role: 'USER' },
        after: { role: 'ADMIN' },
      },
    ])
  })

  it('are nothing to another tenant', async () => {
    const [msp, other] = [await world(), await world()]
    const read = await api.call(other.owner, 'tenant_user', { user_id: msp.user.id })
    expect(refused(read)).toEqual([404, 'user_not_found'])
    expect(refused(await setRole(api, other.owner, msp.user, 'VIEWER'))).toEqual([404, 'user_not_found'])
    expect(refused(await setRole(api, other.owner, msp.owner, 'VIEWER'))).toEqual([404, 'user_not_found'])
    const { data } = await api.call(other.owner, 'tenant_users')
    expect(JSON.stringify(data)).not.toContain(msp.tenant_id)
  })
})

describeApi('permission groups', (api) => {
  const update = (caller: Caller, name: string, input: object, headers = {}) =>
    api.call(caller, 'update_permission_group', { name, input }, headers)

  it('are listed by name for every caller', async () => {
    const msp = await world()
    const none = await msp.newKey({ scopes: [] })
    const tenant = await api.call(msp.admin, 'tenant')
    for (const caller of [msp.owner, msp.viewer, none]) {
      const { data } = await api.call(caller, 'permission_groups')
      const names = data.map(({ name }: { name: string }) => name)
      expect(names).toEqual([
        'DEVICES',
        'DOCUMENTATION',
        'IDENTITY',
        'TECHNICIANS',
        'TICKETS',
        'TIME_ENTRIES',
      ])
      expect(data[4]).toEqual({
        name: 'TICKETS',
        title: 'Tickets',
        tools: ['get_ticket', 'search_tickets', 'update_ticket', 'assign_ticket', 'add_ticket_note'],
        requires_approval: false,
        can_disable_approval: true,
        approver_technician_ids: [],
        updated_at: tenant.data.created_at,
        revision: 1,
      })
    }
  })

  it('change only in the fields that are given, for this tenant', async () => {
    const [msp, other] = [await world(), await world()]
    const [first = 0, second = 0] = await technicians(msp, 2)
    const approvers = { approver_technician_ids: [second, first, second] }
    const { data } = await update(msp.admin, 'TICKETS', approvers)
    expect(data).toMatchObject({ requires_approval: false, approver_technician_ids: [second, first] })
    const asking = await update(msp.key, 'TICKETS', { requires_approval: true })
    expect(asking.data).toMatchObject({ requires_approval: true, approver_technician_ids: [second, first] })
    const cleared = await update(msp.owner, 'TICKETS', { approver_technician_ids: [] })
    expect(cleared.data).toMatchObject({ requires_approval: true, approver_technician_ids: [] })
    const { data: groups } = await api.call(msp.viewer, 'permission_groups')
    expect(groups[4]).toEqual(cleared.data)
    expect(groups[3]).toMatchObject({ name: 'TECHNICIANS', requires_approval: true })
    expect((await api.call(other.viewer, 'permission_groups')).data[4].requires_approval).toBe(false)
  })

  it('stay as they are when nothing is given', async () => {
    const msp = await world()
    const { data: groups } = await api.call(msp.viewer, 'permission_groups')
    expect((await update(msp.admin, 'DEVICES', {})).data).toEqual(groups[0])
  })

  it.each(['GONE', 'tickets', '', 'toString', '__proto__'])('do not include %j', async (name) => {
    const msp = await world()
    if (name === '' && api.name === 'rest') return
    const answer = await update(msp.admin, name, {})
    expect([...refused(answer), answer.error?.details.id]).toEqual([404, 'permission_group_not_found', name])
  })

  it('stop asking where the catalogue lets them, and nowhere else', async () => {
    const msp = await world()
    for (const name of ['DEVICES', 'DOCUMENTATION', 'TECHNICIANS', 'TICKETS', 'TIME_ENTRIES']) {
      expect((await update(msp.admin, name, { requires_approval: false })).data.requires_approval).toBe(false)
    }
    const answer = await update(msp.admin, 'IDENTITY', { requires_approval: false })
    expect(refused(answer)).toEqual([422, 'request_validation_failed'])
    expect(answer.error?.details.field_errors).toMatchObject([
      { field: 'requires_approval', location: 'body', code: 'always_required' },
    ])
    expect((await update(msp.admin, 'IDENTITY', { requires_approval: true })).status).toBe(200)
  })

  it('name every approver who is no technician of the tenant, and write nothing', async () => {
    const [msp, other] = [await world(), await world()]
    const [own = 0] = await technicians(msp, 1)
    const [theirs = 0] = await technicians(other, 1)
    const input = { requires_approval: true, approver_technician_ids: [theirs, own, -1, 2_147_483_647] }
    const answer = await update(msp.admin, 'TICKETS', input)
    expect(refused(answer)).toEqual([422, 'request_validation_failed'])
    const fields = answer.error?.details.field_errors?.map(({ field }) => field)
    expect(fields).toEqual([0, 2, 3].map((index) => `approver_technician_ids.${index}`))
    expect((await api.call(msp.viewer, 'permission_groups')).data[4].requires_approval).toBe(false)
  })

  it.each([
    [{ requires_approval: null }, 'requires_approval', 'null'],
    [{ requires_approval: 'no' }, 'requires_approval', 'type'],
    [{ approver_technician_ids: null }, 'approver_technician_ids', 'null'],
    [{ approver_technician_ids: ['1'] }, 'approver_technician_ids.0', 'type'],
    [{ approver_technician_ids: [2_147_483_648] }, 'approver_technician_ids.0', 'type'],
    [{ approver_technician_ids: Array.from({ length: 201 }, () => 1) }, 'approver_technician_ids', 'length'],
  ])('refuse input %#: 422', async (input, field, code) => {
    const msp = await world()
    const answer = await update(msp.admin, 'TICKETS', input)
    expect(refused(answer)).toEqual([422, 'request_validation_failed'])
    expect(answer.error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it('are changed by OWNER, ADMIN and keys with the scope', async () => {
    const msp = await world()
    const reading = await msp.newKey({ scopes: ['tenant:read'] })
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    for (const caller of [msp.owner, msp.admin, msp.key]) {
      expect((await update(caller, 'TICKETS', {})).status).toBe(200)
    }
    for (const caller of [msp.user, msp.viewer, acting]) {
      expect(refused(await update(caller, 'TICKETS', {}))).toEqual([403, 'forbidden'])
    }
    expect(refused(await update(reading, 'TICKETS', {}))).toEqual([403, 'insufficient_scope'])
  })

  it.runIf(process.env.DATABASE_URL)('lose no change when several are made at once', async () => {
    const msp = await world()
    const [technician = 0] = await technicians(msp, 1)
    const answers = await Promise.all([
      update(msp.admin, 'TICKETS', { requires_approval: true }),
      update(msp.owner, 'TICKETS', { approver_technician_ids: [technician] }),
      update(msp.key, 'DEVICES', { requires_approval: false }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { data } = await api.call(msp.viewer, 'permission_groups')
    expect(data[4]).toMatchObject({ requires_approval: true, approver_technician_ids: [technician] })
    expect(data[0]).toMatchObject({ name: 'DEVICES', requires_approval: false })
  })

  it('refuse an outdated If-Match', async () => {
    const msp = await world()
    const { etag } = await update(msp.admin, 'TICKETS', { requires_approval: true })
    const headers = { 'if-match': etag ?? '' }
    const changed = await update(msp.admin, 'TICKETS', { requires_approval: false }, headers)
    expect(changed.status).toBe(200)
    const late = await update(msp.admin, 'TICKETS', { requires_approval: true }, headers)
    expect(refused(late)).toEqual([409, 'version_conflict'])
  })

  it('leave one activity row per change', async () => {
    const msp = await world()
    await update(msp.admin, 'DEVICES', { requires_approval: false })
    const where = { tenant_id: msp.tenant_id }
    expect(await msp.database.prisma.activityEntry.findMany({ where })).toMatchObject([
      {
        action: 'permission_group.updated',
        targets: [{ type: 'permission_group', id: 'DEVICES', name: 'Devices' }],
        before: { requires_approval: true },
        after: { requires_approval: false },
      },
    ])
  })

  it('cost one statement', async () => {
    const msp = await world()
    const count = await countStatements(msp.database, () => api.call(msp.key, 'permission_groups'))
    const authentication = 1
    expect(count).toBe(authentication + 1)
  })
})
