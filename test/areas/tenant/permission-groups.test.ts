import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, world } from '../../setup/world.ts'
import { technicians } from './technicians.ts'

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
        tools: expect.arrayContaining(['ticket.add_note', 'ticket.assign', 'ticket.read', 'ticket.search']),
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
    expect([...outcome(answer), answer.error?.details.id]).toEqual([404, 'permission_group_not_found', name])
  })

  it('leave out a stored group that the catalogue no longer has', async () => {
    const msp = await world()
    const { tenant_id, environment, database } = msp
    const stored = { requires_approval: true, approver_technician_ids: [3], updated_at: new Date() }
    const { data: before } = await api.call(msp.viewer, 'permission_groups')
    await database.prisma.permissionGroupSetting.create({
      data: { tenant_id, environment, name: 'GONE', ...stored },
    })
    expect((await api.call(msp.viewer, 'permission_groups')).data).toEqual(before)
    const answer = await update(msp.admin, 'GONE', { requires_approval: false })
    expect(outcome(answer)).toEqual([404, 'permission_group_not_found'])
  })

  it('stop asking if the catalogue lets them, and not otherwise', async () => {
    const msp = await world()
    for (const name of ['DEVICES', 'DOCUMENTATION', 'TECHNICIANS', 'TICKETS', 'TIME_ENTRIES']) {
      expect((await update(msp.admin, name, { requires_approval: false })).data.requires_approval).toBe(false)
    }
    const answer = await update(msp.admin, 'IDENTITY', { requires_approval: false })
    expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
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
    expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
    const fields = answer.error?.details.field_errors?.map(({ field }) => field)
    expect(fields).toEqual([0, 2, 3].map((index) => `approver_technician_ids.${index}`))
    expect((await api.call(msp.viewer, 'permission_groups')).data[4].requires_approval).toBe(false)
  })

  it.each([
    [{ requires_approval: null }, 'requires_approval', 'null'],
    [{ requires_approval: 'no' }, 'requires_approval', 'type'],
    [{ approver_technician_ids: null }, 'approver_technician_ids', 'null'],
    [{ approver_technician_ids: ['1'] }, 'approver_technician_ids.0', 'type'],
    [{ approver_technician_ids: [2_147_483_648] }, 'approver_technician_ids.0', 'range'],
    [{ approver_technician_ids: Array.from({ length: 201 }, () => 1) }, 'approver_technician_ids', 'length'],
  ])('refuse input %#: 422', async (input, field, code) => {
    const msp = await world()
    const answer = await update(msp.admin, 'TICKETS', input)
    expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
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
      expect(outcome(await update(caller, 'TICKETS', {}))).toEqual([403, 'forbidden'])
    }
    expect(outcome(await update(reading, 'TICKETS', {}))).toEqual([403, 'insufficient_scope'])
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
    expect(outcome(late)).toEqual([409, 'version_conflict'])
  })

  it('leave one activity row per change', async () => {
    const msp = await world()
    await update(msp.admin, 'DEVICES', { requires_approval: false })
    expect(await activitiesOf(msp)).toMatchObject([
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
