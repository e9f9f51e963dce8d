import { describe, expect, it } from 'vitest'
import { SCOPES } from '../src/access/policies/scopes.ts'
import { readArguments } from '../src/commands/tenant/arguments.ts'
import { run } from '../src/commands/tenant/run.ts'
import { newId } from '../src/lib/ids.ts'
import { type Api, describeApi } from './setup/api.ts'
import { ENVIRONMENT, KEY_PEPPER, signToken } from './setup/app.ts'
import { testDatabase } from './setup/database.ts'
import { addTechnicians } from './setup/technicians.ts'
import { tenantCommand as command } from './setup/tenant-command.ts'
import { world } from './setup/world.ts'

const EMAIL = 'ada@acme.example'
const create = (...more: string[]) =>
  command('create', '--name', 'Acme', '--owner-email', EMAIL, '--data-residency', 'UK', ...more)

const tokenOf = async (tenant_id: string, sub: string) => ({
  id: sub,
  token: await signToken({ sub, tenant_id, environment: ENVIRONMENT }),
})

async function rowsOf(tenant_id: string) {
  const { prisma } = await testDatabase()
  const where = { tenant_id }
  return {
    tenants: await prisma.tenant.findMany({ where: { id: tenant_id } }),
    settings: await prisma.settings.findMany({ where }),
    subscriptions: await prisma.subscription.findMany({ where }),
    users: await prisma.tenantUser.findMany({ where }),
    keys: await prisma.apiKey.findMany({ where }),
    activity: await prisma.activityEntry.findMany({ where, orderBy: { occurred_at: 'asc' } }),
  }
}

describeApi('a tenant that the operator makes', (api: Api) => {
  it('answers calls with its key and of its OWNER', async () => {
    const made = await create('--owner-subject', 'idp|ada')
    const key = { id: made.api_key_id, token: made.api_key }
    expect((await api.call(key, 'me')).data).toMatchObject({
      id: made.api_key_id,
      name: 'First key',
      tenant_id: made.tenant_id,
      scopes: [...SCOPES].sort(),
    })
    expect((await api.call(key, 'tenant')).data).toMatchObject({ name: 'Acme', data_residency: 'UK' })
    const settings = await api.call(key, 'settings')
    expect(settings.data).toMatchObject({ human_friendly_client_name: 'Acme', data_residency: 'UK' })
    expect(settings.data.referral_code).toMatch(/^[A-Z0-9]{6,12}$/)
    const owner = await tokenOf(made.tenant_id, 'idp|ada')
    expect((await api.call(owner, 'me')).data).toMatchObject({
      id: made.owner_id,
      role: 'OWNER',
      name: EMAIL,
    })
    expect((await api.call(owner, 'api_keys')).data).toMatchObject([{ id: key.id, created_by_name: EMAIL }])
  })

  it('is suspended from the next request on, and resumed', async () => {
    const { tenant_id, api_key } = await create()
    const callers = [{ id: '', token: api_key }, await tokenOf(tenant_id, EMAIL)]
    const codes = async () => {
      const answers = []
      for (const caller of callers) answers.push((await api.call(caller, 'me')).error?.code ?? 200)
      return answers
    }
    expect(await command('suspend', '--tenant', tenant_id)).toMatchObject({ suspended: true, changed: true })
    expect(await codes()).toEqual(['tenant_suspended', 'tenant_suspended'])
    expect(await command('suspend', '--tenant', tenant_id)).toMatchObject({ suspended: true, changed: false })
    expect(await command('resume', '--tenant', tenant_id)).toMatchObject({ suspended: false, changed: true })
    expect(await codes()).toEqual([200, 200])
    const { activity } = await rowsOf(tenant_id)
    const actions = activity.map(({ action }) => action).filter((action) => action.startsWith('tenant.'))
    expect(actions.sort()).toEqual(['tenant.created', 'tenant.resumed', 'tenant.suspended'])
  })

  it('gets users and keys', async () => {
    const msp = await world()
    const to = ['--tenant', msp.tenant_id]
    await command(
      'add-user',
      ...to,
      '--email',
      EMAIL,
      '--role',
      'USER',
      '--name',
      'Ada',
      '--subject',
      'idp|ada',
    )
    const added = await api.call(await tokenOf(msp.tenant_id, 'idp|ada'), 'me')
    expect(added.data).toMatchObject({ role: 'USER', name: 'Ada' })
    const issued = await command(
      'issue-key',
      ...to,
      '--name',
      'Sync',
      '--scopes',
      'settings:read',
      '--days',
      '2',
    )
    const { data } = await api.call(msp.owner, 'api_key', { key_id: issued.api_key_id })
    expect(data).toMatchObject({ name: 'Sync', scopes: ['settings:read'], created_by_name: 'Owner' })
    expect((await api.call({ id: '', token: issued.api_key }, 'settings')).status).toBe(200)
    expect((await api.call({ id: '', token: issued.api_key }, 'end_companies')).status).toBe(403)
    const channel = ['--channel', 'API_REQUEST', '--scopes', 'settings:read', '--days', '2']
    await command('issue-key', ...to, '--name', 'Channel', ...channel)
    const keys = await msp.database.prisma.apiKey.findMany({
      where: { tenant_id: msp.tenant_id, name: { in: ['Sync', 'Channel'] } },
      orderBy: { name: 'asc' },
    })
    expect(keys.map(({ channel, of_service }) => [channel, of_service])).toEqual([
      ['API_REQUEST', true],
      [null, false],
    ])
    const [user] = (await command('list-users', ...to)).filter(
      (one: { subject: string }) => one.subject === 'idp|ada',
    )
    await command('remove-user', ...to, '--user', user.user_id)
    expect((await api.call(await tokenOf(msp.tenant_id, 'idp|ada'), 'me')).error?.code).toBe('forbidden')
  })
})

describe('the tenant command', () => {
  it('adds a user as the technician that they are, who is nobody else', async () => {
    const [msp, other] = [await world(), await world()]
    const [technician = 0, deleted = 0] = await addTechnicians(msp, [
      { psa_id: 1 },
      { psa_id: 2, deleted_at: new Date() },
    ])
    const [theirs = 0] = await addTechnicians(other, [{}])
    const add = (subject: string, id: number) => {
      const options = ['--email', EMAIL, '--role', 'ADMIN', '--subject', subject, '--technician', String(id)]
      return command('add-user', '--tenant', msp.tenant_id, ...options)
    }
    const added = await add('one', technician)
    expect(added.technician_id).toBe(technician)
    const { users, activity } = await rowsOf(msp.tenant_id)
    expect(users.find(({ id }) => id === added.user_id)?.technician_profile_id).toBe(technician)
    expect(activity.at(-1)?.after).toMatchObject({ technician_profile_id: technician })
    await expect(add('two', technician)).rejects.toThrow(`is the user ${added.user_id}`)
    for (const id of [deleted, theirs, 2_147_483_647])
      await expect(add('two', id)).rejects.toThrow(`no technician ${id}`)
    await expect(add('one', deleted)).rejects.toThrow()
    expect((await rowsOf(msp.tenant_id)).users).toHaveLength(users.length)
  })

  it('records what it makes, without the secret', async () => {
    const { tenant_id, api_key } = await create()
    const { activity, tenants, settings, users, keys } = await rowsOf(tenant_id)
    expect([tenants, settings, users, keys].map((rows) => rows.length)).toEqual([1, 1, 1, 1])
    expect(activity.map(({ action }) => action).sort()).toEqual([
      'api_key.created',
      'tenant.created',
      'user.created',
    ])
    for (const entry of activity) {
      expect(entry).toMatchObject({ actor_type: 'SYSTEM', actor_name: 'Operator', environment: ENVIRONMENT })
    }
    expect(JSON.stringify(activity)).not.toContain(api_key.slice(-20))
  })

  it('changes nothing and issues no key for an id that exists', async () => {
    const id = newId('ten')
    expect(await create('--id', id)).toMatchObject({ tenant_id: id, created: true })
    const before = await rowsOf(id)
    const again = await create('--id', id, '--owner-name', 'Somebody else')
    expect(again).toEqual({ tenant_id: id, environment: ENVIRONMENT, created: false })
    expect(await rowsOf(id)).toEqual(before)
  })

  it.runIf(process.env.DATABASE_URL)('makes one tenant, ten times at once', async () => {
    const id = newId('ten')
    const made = await Promise.all(Array.from({ length: 10 }, () => create('--id', id)))
    expect(made.filter(({ created }) => created)).toHaveLength(1)
    expect(made.filter(({ api_key }) => api_key)).toHaveLength(1)
    const { tenants, settings, users, keys, activity } = await rowsOf(id)
    expect([tenants, settings, users, keys, activity].map((rows) => rows.length)).toEqual([1, 1, 1, 1, 3])
  })

  it('makes everything or nothing', async () => {
    const id = newId('ten')
    const asked = readArguments([
      'create',
      '--name',
      'A',
      '--owner-email',
      EMAIL,
      '--data-residency',
      'EU',
      '--id',
      id,
    ])
    const place = { database: await testDatabase(), environment: ENVIRONMENT, key_peppers: [] as never }
    if (asked) await expect(run(place, asked)).rejects.toThrow()
    const rows = await rowsOf(id)
    expect(Object.values(rows).flat()).toEqual([])
  })

  it('lists every tenant', async () => {
    const { tenant_id } = await create()
    await command('suspend', '--tenant', tenant_id)
    const all: { tenant_id: string }[] = await command('list')
    expect(all.find((one) => one.tenant_id === tenant_id)).toMatchObject({
      name: 'Acme',
      suspended_at: expect.any(Date),
    })
  })

  it('shows what a tenant has', async () => {
    const made = await create('--owner-subject', 'idp|ada')
    const to = ['--tenant', made.tenant_id]
    expect(await command('show', ...to)).toMatchObject({
      tenant_id: made.tenant_id,
      environment: ENVIRONMENT,
      name: 'Acme',
      data_residency: 'UK',
      suspended_at: null,
      status: 'ACTIVE',
      credits_used: 0,
      users: 1,
      active_keys: 1,
    })
    expect(await command('list-users', ...to)).toMatchObject([
      { user_id: made.owner_id, email: EMAIL, role: 'OWNER', subject: 'idp|ada', technician_id: null },
    ])
    const keys = await command('list-keys', ...to)
    expect(keys).toMatchObject([{ api_key_id: made.api_key_id, status: 'ACTIVE', created_by_name: EMAIL }])
    expect(JSON.stringify(keys)).not.toContain(made.api_key)
  })

  it('tells which pepper each key is hashed with', async () => {
    const { tenant_id } = await create()
    const peppers = async (...key_peppers: [string, ...string[]]) => {
      const asked = readArguments(['list-keys', '--tenant', tenant_id])
      const place = { database: await testDatabase(), environment: ENVIRONMENT, key_peppers }
      const { result } = await run(place, asked as NonNullable<typeof asked>)
      return (result as { pepper: unknown }[]).map(({ pepper }) => pepper)
    }
    expect(await peppers(KEY_PEPPER)).toEqual([1])
    expect(await peppers('the pepper after it', KEY_PEPPER)).toEqual([2])
    expect(await peppers('the pepper after it')).toEqual(['missing'])
    const { prisma } = await testDatabase()
    await prisma.apiKey.updateMany({ where: { tenant_id }, data: { pepper_id: null } })
    expect(await peppers(KEY_PEPPER)).toEqual(['unknown'])
  })

  it('removes a user, but not the last OWNER', async () => {
    const made = await create()
    const to = ['--tenant', made.tenant_id]
    const remove = (user: string) => command('remove-user', ...to, '--user', user)
    await expect(remove(made.owner_id)).rejects.toMatchObject({ code: 'last_owner' })
    await expect(remove('nobody')).rejects.toMatchObject({ code: 'user_not_found' })
    const added = await command('add-user', ...to, '--email', 'bo@acme.example', '--role', 'OWNER')
    await remove(made.owner_id)
    const { users, activity } = await rowsOf(made.tenant_id)
    expect(users.map(({ id }) => id)).toEqual([added.user_id])
    expect(activity.at(-1)).toMatchObject({
      action: 'user.removed',
      targets: [{ id: made.owner_id }],
      before: { email: EMAIL, role: 'OWNER' },
    })
  })

  it('refuses what cannot be', async () => {
    const msp = await world()
    const to = ['--tenant', msp.tenant_id]
    const user = ['--email', EMAIL, '--role', 'USER']
    const key = ['--name', 'Sync', '--scopes', 'FULL']
    for (const args of [['add-user', ...user], ['issue-key', ...key], ['suspend'], ['show'], ['list-keys']]) {
      await expect(command(...args, '--tenant', 'nobody')).rejects.toThrow('There is no tenant nobody.')
    }
    await command('add-user', ...to, ...user)
    await expect(command('add-user', ...to, ...user)).rejects.toThrow(
      `a user with the subject ${EMAIL} already`,
    )
    await command('issue-key', ...to, ...key)
    await expect(command('issue-key', ...to, ...key)).rejects.toMatchObject({ code: 'api_key_name_taken' })
    await msp.database.prisma.tenantUser.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { role: 'ADMIN' },
    })
    await expect(command('issue-key', ...to, ...key)).rejects.toThrow('has no OWNER')
  })
})
