import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { apis } from '../setup/api.ts'
import { clock, ENVIRONMENT, type Running, startApp } from '../setup/app.ts'
import { counted, TIMES, times } from '../setup/at-once.ts'
import { countActivities } from '../setup/audit-log.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { ownRows } from '../setup/suites/own-rows.ts'
import { type Caller, world } from '../setup/world.ts'

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('one change of the settings with the tag that all have read', async () => {
    const msp = await world()
    const { etag } = await api.call(msp.admin, 'settings')
    const answers = await times((index) =>
      api.call(
        msp.admin,
        'update_settings',
        { input: { end_business_hours: 10 + (index % 10) } },
        { 'if-match': etag ?? '' },
      ),
    )
    expect(counted(answers)).toEqual({ 200: 1, version_conflict: TIMES - 1 })
    expect(await countActivities(msp)).toBe(1)
  })

  it('business hours never end before they start, whichever half each call changes', async () => {
    const msp = await world()
    await times((index) =>
      api.call(msp.admin, 'update_settings', {
        input: index % 2 ? { start_business_hours: 15 } : { end_business_hours: 12 },
      }),
    )
    const { data } = await api.call(msp.admin, 'settings')
    expect(data.start_business_hours).toBeLessThan(data.end_business_hours)
  })

  it('one key of a name, and one replacement of a key', async () => {
    const msp = await world()
    const input = { name: 'Nightly', scopes: ['settings:read'] }
    const made = await times(() => api.call(msp.admin, 'create_api_key', { input }))
    expect(counted(made)).toEqual({ 200: 1, api_key_name_taken: TIMES - 1 })
    const key_id = made.find(({ status }) => status === 200)?.data.id
    const rotated = await times(() => api.call(msp.admin, 'rotate_api_key', { key_id }))
    expect(counted(rotated)).toEqual({ 200: 1, api_key_already_rotated: TIMES - 1 })
    const revoked = await times(() => api.call(msp.admin, 'revoke_api_key', { key_id }))
    expect(new Set(revoked.map(({ data }) => data.revoked_at)).size).toBe(1)
  })

  it('an OWNER is left, though each demotes another', async () => {
    const msp = await world()
    const where = { tenant_id: msp.tenant_id, id: { in: [msp.admin.id, msp.user.id] } }
    await msp.database.prisma.tenantUser.updateMany({ where, data: { role: 'OWNER' } })
    const owners = [msp.owner, msp.admin, msp.user]
    await times((index) => {
      const [caller, target] = [owners[index % 3], owners[(index + 1) % 3]] as [Caller, Caller]
      return api.call(caller, 'set_user_role', { user_id: target.id, input: { role: 'VIEWER' } })
    })
    const left = { tenant_id: msp.tenant_id, role: 'OWNER' as const }
    expect(await msp.database.prisma.tenantUser.count({ where: left })).toBeGreaterThan(0)
  })

  it('one link of a company is its primary one', async () => {
    const msp = await world()
    const { psa_company_id } = await ownRows(msp)
    const { prisma } = msp.database
    const { tenant_id } = msp
    const now = clock.now()
    const ids = Array.from({ length: TIMES }, (_, index) => `ext_${index}`)
    await prisma.companyLink.createMany({
      data: ids.map((external_id) => ({
        tenant_id,
        environment: ENVIRONMENT,
        system: 'HUDU',
        external_id,
        external_name: external_id,
        psa_company_id,
        psa_company_name: 'Company',
        confidence: 0.8,
        created_at: now,
        updated_at: now,
        link_state: 'AUTO' as const,
        match_method: 'DOMAIN' as const,
      })),
    })
    const answers = await times((index) =>
      index % 4
        ? api.call(msp.key, 'map_company_link', {
            input: { system: 'HUDU', external_id: ids[index], psa_company_id, is_primary: true },
          })
        : api.call(msp.key, 'confirm_company_links', {
            input: { system: 'HUDU', external_ids: [...ids].reverse() },
          }),
    )
    expect(counted(answers)).toEqual({ 200: TIMES })
    expect(await prisma.companyLink.count({ where: { tenant_id: msp.tenant_id, is_primary: true } })).toBe(1)
  })

  it('five requests for integrations', async () => {
    const msp = await world()
    const answers = await times((index) =>
      api.call(msp.key, 'request_integration', {
        input: { vendor_name: `Vendor ${index}`, use_case: 'Race' },
      }),
    )
    expect(counted(answers)).toEqual({ 200: 5, rate_limited: TIMES - 5 })
  })

  it('a permission group that nobody has decided about has one decision', async () => {
    const msp = await world()
    const [group] = (await api.call(msp.admin, 'permission_groups')).data
    const answers = await times(() =>
      api.call(msp.admin, 'update_permission_group', {
        name: group.name,
        input: { approver_technician_ids: [] },
      }),
    )
    expect(counted(answers)).toEqual({ 200: TIMES })
  })
})

describe.runIf(process.env.DATABASE_URL)('Two processes on one database', async () => {
  const running: Running[] = []
  afterAll(async () => {
    for (const { app } of running) await app.close(0)
  })
  const start = async () => {
    const app = await startApp(await testDatabase())
    running.push(app)
    return app
  }
  const put = async (
    { base }: Running,
    caller: Caller,
    body: object,
    headers: Record<string, string> = {},
  ) => {
    const authorization = `Bearer ${caller.token}`
    const init = json(body, { method: 'PUT', headers: { authorization, ...headers } })
    return await fetch(`${base}/public-api/settings`, init)
  }

  it('share an Idempotency-Key', async () => {
    const [msp, one, other] = [await world(), await start(), await start()]
    const answers = await times((index) =>
      put(index % 2 ? one : other, msp.admin, { end_business_hours: 20 }, { 'idempotency-key': 'k' }),
    )
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(await countActivities(msp)).toBe(1)
    const again = await put(other, msp.admin, { end_business_hours: 20 }, { 'idempotency-key': 'k' })
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  })

  it('refuse a key from the next request on that one of them revoked, and a role that one of them took away', async () => {
    const [msp, one, other] = [await world(), await start(), await start()]
    const of = (app: Running, path: string, caller: Caller, init: RequestInit = {}) =>
      fetch(app.base + path, {
        ...init,
        headers: { authorization: `Bearer ${caller.token}`, ...init.headers },
      })
    for (let turn = 0; turn < 5; turn++) {
      const key = await msp.newKey()
      expect((await of(other, '/public-api/settings', key)).status).toBe(200)
      await of(one, `/public-api/api-keys/${key.id}`, msp.admin, { method: 'DELETE' })
      expect((await of(other, '/public-api/settings', key)).status).toBe(401)
    }
    const role = json({ role: 'VIEWER' }, { method: 'PUT' })
    await of(one, `/public-api/tenant/users/${msp.admin.id}/role`, msp.owner, role)
    expect((await put(other, msp.admin, {})).status).toBe(403)
  })

  it('leave nothing of a mutation whose connection is lost before it commits', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const app = await start()
    const where = { tenant_id: msp.tenant_id }
    const { status } = await prisma.$transaction(
      async (tx) => {
        await tx.settings.updateMany({ where, data: { human_friendly_client_name: 'Held' } })
        const answer = put(app, msp.admin, { end_business_hours: 20 }, { 'idempotency-key': 'k' })
        // The activity is asked elsewhere: a transaction goes on seeing it as it was at first.
        const lose = () =>
          prisma.$queryRawUnsafe<object[]>(
            `select pg_terminate_backend(pid) as lost from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`,
          )
        while ((await lose()).length === 0) await sleep(10)
        return await answer
      },
      { timeout: 20_000 },
    )
    expect(status).toBe(503)
    expect([await countActivities(msp), await prisma.idempotencyRecord.count({ where })]).toEqual([0, 0])
    const again = await put(app, msp.admin, { end_business_hours: 20 }, { 'idempotency-key': 'k' })
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
  })
})
