/** Changes of technicians and schedules through the API-request channel, which wait for a technician’s approval. */
import { expect, it, onTestFinished } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { ENVIRONMENT, signToken, testApp } from '../../setup/app.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { channelKey } from '../../setup/til-requests.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

/** The credentials of the channel: a key whose record says so, and a user’s token that does. */
const CHANNELS: Record<string, (msp: Msp) => Promise<Caller>> = {
  'an API key': (msp) => channelKey(msp),
  'a user’s token': async ({ tenant_id, admin: { id } }) => {
    const claims = { sub: `sub_${id}`, tenant_id, environment: ENVIRONMENT, channel: 'api_request' }
    return { id, token: await signToken(claims) }
  },
}

const requests = ({ database, tenant_id }: Msp) =>
  database.prisma.tilRequest.findMany({ where: { tenant_id }, include: { technicians: true } })

const CONTENT = {
  name: 'Short days',
  timezone: 'Europe/London',
  windows: [{ day: 'mon', start_time: '9:00', end_time: '13:00' }],
}

describeApi('through the API-request channel', (api) => {
  const setUp = async (channel: string) => {
    const msp = await world()
    const [schedule_id = 0] = await addSchedules(msp, [{ name: 'Day shift' }])
    const [profile_id = 0, approver = 0] = await addTechnicians(msp, [{ name: 'Ada', schedule_id }, {}])
    const caller = (await CHANNELS[channel]?.(msp)) as Caller
    const group = (requires_approval: boolean) =>
      api.call(msp.owner, 'update_permission_group', {
        name: 'TECHNICIANS',
        input: { requires_approval, approver_technician_ids: [approver] },
      })
    await group(true)
    const replace = (input: object = CONTENT, by = caller) =>
      api.call(by, 'replace_technician_schedule', { schedule_id, input })
    const remove = (id: unknown = profile_id, by = caller) =>
      api.call(by, 'delete_technician', { profile_id: id })
    return { msp, caller, schedule_id, profile_id, approver, group, replace, remove }
  }

  it.each(Object.keys(CHANNELS))(
    'of %s, a deletion waits, whatever the permission group says',
    async (channel) => {
      const { msp, profile_id, approver, group, remove } = await setUp(channel)
      await group(false)
      const { status, error } = await remove()
      const [request] = await requests(msp)
      expect([status, error?.code, error?.details.til_request_id]).toEqual([
        409,
        'approval_required',
        request?.id,
      ])
      expect(request).toMatchObject({
        kind: 'API_REQUEST',
        status: 'PENDING',
        tool_name: 'delete_technician',
        risk: 'DESTRUCTIVE',
        title: 'Delete the technician Ada',
        arguments: { profile_id },
        technicians: [{ technician_id: approver }],
      })
      expect((await api.call(msp.viewer, 'technician', { profile_id })).data).toMatchObject({
        deleted_at: null,
        revision: 1,
      })
    },
  )

  it.each(Object.keys(CHANNELS))(
    'of %s, a replacement waits, unless the group turns that off',
    async (channel) => {
      const { msp, schedule_id, approver, group, replace } = await setUp(channel)
      expect(outcome(await replace())).toEqual([409, 'approval_required'])
      const [request] = await requests(msp)
      expect(request).toMatchObject({
        kind: 'API_REQUEST',
        status: 'PENDING',
        tool_name: 'replace_technician_schedule',
        title: 'Replace the schedule Day shift',
        arguments: { schedule_id, input: CONTENT },
        technicians: [{ technician_id: approver }],
      })
      const stored = await api.call(msp.viewer, 'technician_schedule', { schedule_id })
      expect([stored.data.name, stored.data.revision]).toEqual(['Day shift', 1])
      await group(false)
      expect((await replace()).data).toMatchObject({ name: 'Short days', revision: 2 })
      expect(await requests(msp)).toHaveLength(1)
    },
  )

  it('a deletion outside the channel waits too if TECHNICIAN_DELETE_APPROVAL is `always`, and is made once approved', async () => {
    const { services } = (await testApp()).app
    services.technician_delete_approval = 'always'
    onTestFinished(() => {
      services.technician_delete_approval = 'channel'
    })
    const { msp, profile_id, approver, remove } = await setUp('an API key')
    await msp.database.prisma.tenantUser.updateMany({
      where: { tenant_id: msp.tenant_id, id: msp.admin.id },
      data: { technician_profile_id: approver },
    })
    const { status, error } = await remove(profile_id, msp.owner)
    expect([status, error?.code]).toEqual([409, 'approval_required'])
    const { til_request_id } = error?.details ?? {}
    const approved = await api.call(msp.admin, 'approve_til_request', { til_request_id, input: {} })
    expect(approved.data).toMatchObject({ status: 'APPROVED', call_error: null })
    const { data } = await api.call(msp.viewer, 'technician', { profile_id })
    expect(data.deleted_at).not.toBeNull()
  })

  it('a call that could never run is refused at once, and asks nobody', async () => {
    const { msp, caller, schedule_id, profile_id, replace, remove } = await setUp('an API key')
    expect(outcome(await remove(999_999))).toEqual([404, 'technician_not_found'])
    expect(outcome(await replace({ ...CONTENT, timezone: 'Mars/Olympus' }))).toEqual([
      400,
      'invalid_timezone',
    ])
    const window = { day: 'mon', start_time: '9:00', end_time: '13:00' }
    expect(outcome(await replace({ ...CONTENT, windows: [window, window] }))).toEqual([
      422,
      'schedule_windows_overlap',
    ])
    await addSchedules(msp, [{ name: 'Late shift' }])
    expect(outcome(await replace({ ...CONTENT, name: 'LATE shift' }))).toEqual([409, 'schedule_name_taken'])
    const outdated = { 'if-match': '"9"' }
    for (const [operation, args] of [
      ['replace_technician_schedule', { schedule_id, input: CONTENT }],
      ['delete_technician', { profile_id }],
    ] as const)
      expect(outcome(await api.call(caller, operation, args, outdated))).toEqual([409, 'version_conflict'])
    expect(await requests(msp)).toEqual([])
  })

  it('is decided by others, if the approvers of the group are deleted', async () => {
    const { msp, profile_id, approver, remove } = await setUp('an API key')
    const [other = 0] = await addTechnicians(msp, [{ psa_id: 50 }])
    await msp.database.prisma.tenantUser.updateMany({
      where: { tenant_id: msp.tenant_id, id: msp.admin.id },
      data: { technician_profile_id: other },
    })
    expect((await remove(approver, msp.key)).status).toBe(200)
    expect(outcome(await remove(profile_id))).toEqual([409, 'approval_required'])
    const [request] = await requests(msp)
    expect(request?.technicians.map(({ technician_id }) => technician_id)).toEqual([other])
  })

  it('is nothing that a header can say: direct calls run at once', async () => {
    const { msp, profile_id, replace, remove } = await setUp('an API key')
    expect((await replace(CONTENT, msp.key)).status).toBe(200)
    const headers = { 'x-channel': 'API_REQUEST', channel: 'api_request' }
    const answer = await api.call(msp.owner, 'delete_technician', { profile_id }, headers)
    expect([answer.status, answer.data.deleted_at === null]).toEqual([200, false])
    expect((await remove(profile_id, msp.key)).status).toBe(200)
    expect(await requests(msp)).toEqual([])
  })
})
