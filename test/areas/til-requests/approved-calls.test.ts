/** Calls through the API-request channel, once a technician has decided. */
import { describe, expect, it } from 'vitest'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { channelKey, makeTechnician } from '../../setup/til-requests.ts'
import { type Caller, days, type Msp, world } from '../../setup/world.ts'
import { ADMIN, USER } from './people.ts'

const CONTENT = {
  name: 'Short days',
  timezone: 'Europe/London',
  windows: [{ day: 'mon', start_time: '9:00', end_time: '13:00' }],
}

const setUp = async (api: Api) => {
  const msp = await world()
  await makeTechnician(msp, msp.admin.id, ADMIN)
  await makeTechnician(msp, msp.user.id, USER)
  const [schedule_id = 0] = await addSchedules(msp, [{ name: 'Day shift' }])
  const [profile_id = 0] = await addTechnicians(msp, [{ name: 'Ada', psa_id: 99 }])
  await api.call(msp.owner, 'update_permission_group', {
    name: 'TECHNICIANS',
    input: { approver_technician_ids: [ADMIN, USER] },
  })
  const key = await channelKey(msp)
  const askFor = async (operation: string, args: object, headers = {}, caller: Caller = key) => {
    const { status, error } = await api.call(caller, operation, args as never, headers)
    expect([status, error?.code]).toEqual([409, 'approval_required'])
    return String(error?.details.til_request_id)
  }
  const technician = async (id = profile_id) =>
    (await api.call(msp.key, 'technician', { profile_id: id })).data
  return {
    msp,
    key,
    profile_id,
    schedule_id,
    technician,
    remove: (headers = {}, caller = key) => askFor('delete_technician', { profile_id }, headers, caller),
    replace: (headers = {}) =>
      askFor('replace_technician_schedule', { schedule_id, input: CONTENT }, headers),
    approve: (caller: Caller, til_request_id: string) =>
      api.call(caller, 'approve_til_request', { til_request_id }),
    reject: (caller: Caller, til_request_id: string) =>
      api.call(caller, 'reject_til_request', { til_request_id, input: { comment: 'No.' } }),
  }
}

describeApi('an approved call of the API', (api) => {
  it('is made as the technician who approved it, for who asked', async () => {
    const { msp, key, remove, approve, technician } = await setUp(api)
    const id = await remove()
    const { status, data } = await approve(msp.admin, id)
    expect([status, data.status, data.call_error]).toEqual([200, 'APPROVED', null])
    expect((await technician()).deleted_at).not.toBeNull()
    expect(await msp.database.prisma.tilRequest.count({ where: { tenant_id: msp.tenant_id } })).toBe(1)
    const deleted = (await activitiesOf(msp)).find(({ action }) => action === 'technician.deleted')
    expect(deleted).toMatchObject({
      actor_type: 'USER',
      actor_id: msp.admin.id,
      context: { channel: null, til_request_id: id, asked_by_name: key.id },
    })
    const { data: activities } = await api.call(msp.admin, 'activity_log', { action: 'technician.deleted' })
    expect(activities[0].context).toMatchObject({ til_request_id: id, asked_by_name: key.id })
    expect((await api.call(key, 'til_request', { til_request_id: id })).data).toEqual(data)
  })

  it('has the arguments that were asked for, judged again', async () => {
    const { msp, replace, approve, schedule_id } = await setUp(api)
    expect((await approve(msp.admin, await replace())).data.call_error).toBeNull()
    const { data } = await api.call(msp.key, 'technician_schedule', { schedule_id })
    expect(data).toMatchObject({ name: 'Short days', revision: 2, updated_by_user: 'Admin' })
    expect(data.windows).toEqual([{ day: 'MONDAY', start_time: '09:00', end_time: '13:00' }])
  })

  it('that its approver may not make is not approved: another technician may', async () => {
    const { msp, remove, approve, technician } = await setUp(api)
    const id = await remove({}, await channelKey(msp, { acting_user_id: msp.owner.id }))
    await msp.database.prisma.tilRequest.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { requested_by_id: msp.user.id },
    })
    expect(outcome(await approve(msp.user, id))).toEqual([403, 'self_approval_forbidden'])
    await msp.database.prisma.tilRequest.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { requested_by_id: msp.owner.id, agent_id: null },
    })
    const refused = await approve(msp.user, id)
    expect([refused.status, refused.error?.code, refused.error?.details.required_role]).toEqual([
      403,
      'forbidden',
      'ADMIN',
    ])
    const { data } = await api.call(msp.key, 'til_request', { til_request_id: id })
    expect([data.status, data.approvals, (await technician()).deleted_at]).toEqual(['PENDING', [], null])
    expect((await approve(msp.admin, id)).status).toBe(200)
  })

  it('that is refused leaves nothing behind, and the request tells why', async () => {
    const { msp, key, replace, approve, schedule_id } = await setUp(api)
    const id = await replace({ 'if-match': '"1"' })
    await addSchedules(msp, [{ name: 'SHORT days' }])
    const taken = await approve(msp.admin, id)
    expect([taken.status, taken.data.status]).toEqual([200, 'APPROVED'])
    expect(taken.data.call_error).toMatchObject({ code: 'schedule_name_taken', message: expect.any(String) })
    const read = await api.call(key, 'til_request', { til_request_id: id })
    expect([read.data, read.etag]).toEqual([taken.data, taken.etag])
    const stored = await api.call(msp.key, 'technician_schedule', { schedule_id })
    expect([stored.data.name, stored.data.revision]).toEqual(['Day shift', 1])
    expect((await activitiesOf(msp)).filter(({ action }) => action === 'schedule.replaced')).toEqual([])
  })

  it('compares the If-Match with which it was asked for', async () => {
    const { msp, remove, approve, technician, profile_id } = await setUp(api)
    const id = await remove({ 'if-match': '"1"' })
    await api.call(msp.key, 'update_technician', { profile_id, input: { skills: ['VPN'] } })
    const { data } = await approve(msp.admin, id)
    expect(data.call_error).toMatchObject({ code: 'version_conflict' })
    expect(data.call_error.details.current_etag).toMatch(/^"2/)
    expect((await technician()).deleted_at).toBeNull()
  })

  it('is approved by somebody else than who asked: not by the key that asked either', async () => {
    const { msp, remove, approve, reject } = await setUp(api)
    const own = await channelKey(msp, { acting_user_id: msp.admin.id, created_by_user_id: msp.admin.id })
    const id = await remove({}, own)
    const forbidden = [403, 'self_approval_forbidden']
    expect(outcome(await approve(msp.admin, id))).toEqual(forbidden)
    expect(outcome(await approve(own, id))).toEqual(forbidden)
    expect((await reject(msp.admin, id)).data.status).toBe('REJECTED')
  })

  it('that is rejected is not made, and can be asked for again', async () => {
    const { msp, remove, reject, approve, technician } = await setUp(api)
    const id = await remove()
    expect((await reject(msp.user, id)).data.status).toBe('REJECTED')
    expect(outcome(await approve(msp.admin, id))).toEqual([409, 'til_request_closed'])
    expect((await technician()).deleted_at).toBeNull()
    expect(await remove()).not.toBe(id)
  })

  it('is not made after its time', async () => {
    const { msp, remove, approve, technician } = await setUp(api)
    const id = await remove()
    clock.turn(days(3))
    expect(outcome(await approve(msp.admin, id))).toEqual([409, 'til_request_expired'])
    expect((await technician()).deleted_at).toBeNull()
  })

  it('with an Idempotency-Key is made once, and answered again as it was', async () => {
    const { msp, remove } = await setUp(api)
    const til_request_id = await remove()
    const headers = { 'idempotency-key': 'k' }
    const approve = () => api.call(msp.admin, 'approve_til_request', { til_request_id }, headers)
    const [first, again] = [await approve(), await approve()]
    expect([again.status, again.data]).toEqual([200, first.data])
    expect((await activitiesOf(msp)).filter(({ action }) => action === 'technician.deleted')).toHaveLength(1)
  })
})

describe.runIf(process.env.DATABASE_URL)('at once', () => {
  describeApi('approvals of a call of the API', (api) => {
    it('make it once, every time', async () => {
      for (let turn = 0; turn < 10; turn++) {
        const { msp, remove, approve } = await setUp(api)
        const id = await remove()
        await asAdmin(msp)
        const answers = await Promise.all([
          approve(msp.admin, id),
          approve(msp.user, id),
          approve(msp.admin, id),
        ])
        const outcomes = answers.map(outcome).sort()
        expect(outcomes).toEqual([
          [200, undefined],
          [409, 'til_request_closed'],
          [409, 'til_request_closed'],
        ])
        const made = (await activitiesOf(msp)).filter(({ action }) => action === 'technician.deleted')
        expect(made).toHaveLength(1)
      }
    })

    it('and rejections: it is made if the approval won, and not if it lost', async () => {
      for (let turn = 0; turn < 10; turn++) {
        const { msp, remove, approve, reject, technician } = await setUp(api)
        const id = await remove()
        const [approved, rejected] = await Promise.all([approve(msp.admin, id), reject(msp.user, id)])
        expect([approved.status, rejected.status].sort()).toEqual([200, 409])
        expect((await technician()).deleted_at !== null).toBe(approved.status === 200)
      }
    })
  })
})

/** Lets the USER make the calls, too. */
const asAdmin = ({ database, tenant_id, user }: Msp) =>
  database.prisma.tenantUser.updateMany({ where: { tenant_id, id: user.id }, data: { role: 'ADMIN' } })
