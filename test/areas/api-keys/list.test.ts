import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, world } from '../../setup/world.ts'
import { created, HOUR, insertKeys } from './keys.ts'

describeApi('API keys', (api) => {
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

  it('are listed the newest first, page by page, each once', async () => {
    const msp = await world()
    const ids: string[] = [msp.key.id]
    for (let count = 0; count < 4; count++) ids.unshift(...(await insertKeys(msp, 1)))
    const at = clock.now()
    const where = { tenant_id: msp.tenant_id, id: { in: ids.slice(0, 3) } }
    await msp.database.prisma.apiKey.updateMany({ where, data: { created_at: at } })
    for (const [age, id] of ids.slice(3).entries()) {
      const created_at = new Date(at.getTime() - HOUR * (age + 1))
      await msp.database.prisma.apiKey.updateMany({
        where: { tenant_id: msp.tenant_id, id },
        data: { created_at },
      })
    }
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
      expect(outcome(answer)).toEqual([404, 'api_key_not_found'])
    }
    const { data } = await api.call(other.owner, 'api_keys')
    expect(data.map(({ id }: { id: string }) => id)).toEqual([other.key.id])
    expect((await api.call(msp.key, 'settings')).status).toBe(200)
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
})
