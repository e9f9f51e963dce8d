import { expect, it } from 'vitest'
import { describeApi } from '../setup/api.ts'
import { clock, ENVIRONMENT, signToken } from '../setup/app.ts'
import { countStatements } from '../setup/statements.ts'
import { days, world } from '../setup/world.ts'

describeApi('a credential', (api) => {
  const ask = async (token: string, headers: Record<string, string> = {}) => {
    const { status, error } = await api.call({ id: '', token }, 'settings', {}, headers)
    return [status, error?.code]
  }

  it('of another environment is 401', async () => {
    const { newSecret } = await import('../../src/access/credentials/api-key-secret.ts')
    expect(await ask(newSecret('prod'))).toEqual([401, 'environment_mismatch'])
    const msp = await world()
    const token = await signToken({
      sub: `sub_${msp.admin.id}`,
      tenant_id: msp.tenant_id,
      environment: 'prod',
    })
    expect(await ask(token)).toEqual([401, 'environment_mismatch'])
  })

  it('that has expired is 401 from that instant on', async () => {
    const msp = await world()
    const key = await msp.newKey({ expires_at: new Date(clock.now().getTime() + days(1)) })
    clock.advance(days(1) - 60_000)
    expect(await ask(key.token)).toEqual([200, undefined])
    clock.advance(60_000)
    expect(await ask(key.token)).toEqual([401, 'credentials_expired'])
    const claims = { sub: `sub_${msp.admin.id}`, tenant_id: msp.tenant_id, environment: ENVIRONMENT }
    expect(await ask(await signToken(claims, new Date(clock.now().getTime() - 61_000)))).toEqual([
      401,
      'credentials_expired',
    ])
    expect(await ask(await signToken(claims, new Date(clock.now().getTime() - 30_000)))).toEqual([
      200,
      undefined,
    ])
  })

  it('of a user who is not in the tenant is 403', async () => {
    const [msp, other] = [await world(), await world()]
    const token = await signToken({
      sub: `sub_${msp.admin.id}`,
      tenant_id: other.tenant_id,
      environment: ENVIRONMENT,
    })
    expect(await ask(token)).toEqual([403, 'forbidden'])
  })

  it('of a suspended tenant is 403 wherever it is presented, from the next request until the tenant resumes', async () => {
    const [msp, other] = [await world(), await world()]
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    const suspend = (suspended_at: Date | null) =>
      msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data: { suspended_at } })
    const told = async (operation: string) => {
      const answers = []
      for (const caller of [msp.key, acting, msp.owner, msp.viewer]) {
        const { status, error } = await api.call(caller, operation, {})
        answers.push(error?.code ?? status)
      }
      return answers
    }
    await suspend(clock.now())
    for (const operation of ['settings', 'me', 'health', 'company_links']) {
      expect(await told(operation), operation).toEqual(new Array(4).fill('tenant_suspended'))
    }
    const { status, error } = await api.call(msp.owner, 'update_settings', { input: {} })
    expect([status, error?.code]).toEqual([403, 'tenant_suspended'])
    expect(await ask(other.key.token)).toEqual([200, undefined])
    await suspend(null)
    expect(await told('settings')).toEqual([200, 200, 200, 200])
  })

  it('is judged with its tenant in one statement', async () => {
    const msp = await world()
    for (const { token } of [msp.key, msp.admin]) {
      await ask(token)
      expect(await countStatements(msp.database, () => ask(token))).toBe(2)
    }
  })

  it('has the role that is stored now', async () => {
    const msp = await world()
    const where = { tenant_id: msp.tenant_id, id: msp.admin.id }
    await msp.database.prisma.tenantUser.updateMany({ where, data: { role: 'VIEWER' } })
    const { status, error } = await api.call(msp.admin, 'update_settings', { input: {} })
    expect([status, error?.code]).toEqual([403, 'forbidden'])
  })

  it('is worth no more than its creator’s role now', async () => {
    const msp = await world()
    const key = await msp.newKey({ created_by_user_id: msp.admin.id })
    const where = { tenant_id: msp.tenant_id, id: msp.admin.id }
    await msp.database.prisma.tenantUser.updateMany({ where, data: { role: 'USER' } })
    const { status, error } = await api.call(key, 'update_settings', { input: {} })
    expect([status, error?.code]).toEqual([403, 'forbidden'])
  })

  it('of a key whose acting user or creator has too low a role is told whose role that is', async () => {
    const msp = await world()
    const acting = await msp.newKey({ acting_user_id: msp.viewer.id, scopes: ['settings:write'] })
    const byViewer = await api.call(acting, 'update_settings', { input: {} })
    expect([byViewer.status, byViewer.error?.code]).toEqual([403, 'forbidden'])
    expect(byViewer.error?.details.required_role).toBe('ADMIN')
    expect(byViewer.error?.message).toMatch(/acting user .* VIEWER/)
    const created = await msp.newKey({ created_by_user_id: msp.user.id, scopes: ['settings:write'] })
    const byUser = await api.call(created, 'update_settings', { input: {} })
    expect([byUser.error?.code, byUser.error?.details.required_role]).toEqual(['forbidden', 'ADMIN'])
    expect(byUser.error?.message).toMatch(/created .* USER/)
    const lacking = await msp.newKey({ acting_user_id: msp.viewer.id, scopes: ['settings:read'] })
    const { error } = await api.call(lacking, 'update_settings', { input: {} })
    expect(error?.code).toBe('insufficient_scope')
    expect(error?.details).toMatchObject({
      required_scopes: ['settings:write'],
      granted_scopes: ['settings:read'],
    })
  })

  it('that was rotated says in every answer when it ends', async () => {
    const msp = await world()
    const sunset_at = new Date(clock.now().getTime() + days(1))
    const key = await msp.newKey({ sunset_at })
    const good = await api.call(key, 'settings')
    const bad = await api.call(key, 'update_settings', { input: { timezone: 'Nowhere/Land' } })
    const forbidden = await api.call(key, 'api_keys')
    expect([good.status, bad.status, forbidden.status]).toEqual([200, 400, 403])
    for (const { headers } of [good, bad, forbidden]) {
      expect(headers.get('sunset')).toBe(sunset_at.toUTCString())
    }
    expect(good.warnings).toEqual([`api_key_sunsetting: ${sunset_at.toISOString()}`])
    const other = await api.call(msp.key, 'settings')
    expect([other.headers.get('sunset'), other.warnings]).toEqual([null, []])
  })

  it.each([
    ['Basic dXNlcjpwYXNz'],
    ['Bearer'],
    ['Bearer a b'],
    ['Bearer svc_sk_test_short'],
    ['Bearer eyJhbGciOiJub25lIn0.e30.'],
    [`Bearer ${'x'.repeat(9000)}`],
  ])('such as %.40s is 401', async (authorization) => {
    const { status, error, headers } = await api.call(null, 'settings', {}, { authorization })
    expect([status, error?.code]).toEqual([401, 'invalid_credentials'])
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  it('from a network that the key does not allow is 403', async () => {
    const msp = await world()
    const far = await msp.newKey({ allowed_cidrs: ['203.0.113.0/24'] })
    const near = await msp.newKey({ allowed_cidrs: ['203.0.113.0/24', '127.0.0.0/8'] })
    expect(await ask(far.token)).toEqual([403, 'ip_not_allowed'])
    expect(await ask(near.token)).toEqual([200, undefined])
  })

  it('may name an acting user of the tenant only if the key allows it', async () => {
    const [msp, other] = [await world(), await world()]
    const open = await msp.newKey({ allow_acting_user_header: true })
    const act = (token: string, user: string) => ask(token, { 'x-acting-user': user })
    expect(await act(open.token, msp.user.id)).toEqual([200, undefined])
    expect(await act(open.token, other.user.id)).toEqual([403, 'acting_user_not_allowed'])
    expect(await act(msp.key.token, msp.user.id)).toEqual([403, 'acting_user_not_allowed'])
    expect(await act(msp.admin.token, msp.user.id)).toEqual([403, 'acting_user_not_allowed'])
    const { status } = await api.call(
      open,
      'update_settings',
      { input: {} },
      { 'x-acting-user': msp.viewer.id },
    )
    expect(status).toBe(403)
  })

  it('that is revoked is 401 at the next request', async () => {
    const msp = await world()
    expect(await ask(msp.key.token)).toEqual([200, undefined])
    const where = { tenant_id: msp.tenant_id, id: msp.key.id }
    await msp.database.prisma.apiKey.updateMany({ where, data: { revoked_at: clock.now() } })
    expect(await ask(msp.key.token)).toEqual([401, 'credentials_revoked'])
  })
})
