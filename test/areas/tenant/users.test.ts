import { expect, it } from 'vitest'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, world } from '../../setup/world.ts'
import { technicians } from './technicians.ts'

const setRole = (api: Api, caller: Caller, { id }: Caller, role: string, headers = {}) =>
  api.call(caller, 'set_user_role', { user_id: id, input: { role } }, headers)

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
        expect(outcome(await api.call(caller, operation, args))).toEqual([403, 'forbidden'])
      }
      expect(outcome(await api.call(none, operation, args))).toEqual([403, 'insufficient_scope'])
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
      email: expect.stringMatching(/^user@[\w-]+\.test$/),
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
    expect(outcome(await change(msp.admin))).toEqual([403, 'forbidden'])
    for (const caller of [theirs, acting]) {
      expect(outcome(await change(caller))).toEqual([403, 'forbidden'])
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
    expect(answer.error ? outcome(answer) : null).toEqual(refusal)
    if (required_role) expect(answer.error?.details.required_role).toBe(required_role)
    const stored = await api.call(msp.owner, 'tenant_user', { user_id: msp[whom].id })
    expect(stored.data.role).toBe(required_role ? before : role)
  })

  it('get no role from a key', async () => {
    const msp = await world()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    for (const caller of [msp.key, acting]) {
      expect(outcome(await setRole(api, caller, msp.user, 'OWNER'))).toEqual([403, 'dashboard_jwt_required'])
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
    expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
    expect(answer.error?.details.field_errors).toMatchObject([{ field: 'role', location: 'body', code }])
  })

  it('keep one OWNER: the last is not demoted, but one of two may be', async () => {
    const msp = await world()
    const alone = await setRole(api, msp.owner, msp.owner, 'ADMIN')
    expect(outcome(alone)).toEqual([409, 'last_owner'])
    expect((await setRole(api, msp.owner, msp.owner, 'OWNER')).status).toBe(200)
    await setRole(api, msp.owner, msp.admin, 'OWNER')
    expect((await setRole(api, msp.admin, msp.owner, 'USER')).data.role).toBe('USER')
    expect(outcome(await setRole(api, msp.admin, msp.admin, 'ADMIN'))).toEqual([409, 'last_owner'])
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
    expect(outcome(late)).toEqual([409, 'version_conflict'])
    expect(late.error?.details.current_etag).toBe(changed.etag)
  })

  it('leave one activity row per change of role', async () => {
    const msp = await world()
    await setRole(api, msp.owner, msp.user, 'ADMIN')
    expect(await activitiesOf(msp)).toMatchObject([
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
    expect(outcome(read)).toEqual([404, 'user_not_found'])
    expect(outcome(await setRole(api, other.owner, msp.user, 'VIEWER'))).toEqual([404, 'user_not_found'])
    expect(outcome(await setRole(api, other.owner, msp.owner, 'VIEWER'))).toEqual([404, 'user_not_found'])
    const { data } = await api.call(other.owner, 'tenant_users')
    expect(JSON.stringify(data)).not.toContain(msp.tenant_id)
  })
})
