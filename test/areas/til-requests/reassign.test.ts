import { expect, it } from 'vitest'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Caller, days } from '../../setup/world.ts'
import { ADMIN, asked, deskWorld, USER } from './people.ts'

const OTHER = 700_013

const reassigner =
  (api: Api) =>
  (caller: Caller, technician_ids: readonly number[], comment?: string, headers = {}) =>
    api.call(
      caller,
      'reassign_til_request',
      { til_request_id: 'til_1', input: { technician_ids, ...(comment && { comment }) } },
      headers,
    )

describeApi('a request that is reassigned', (api) => {
  const reassign = reassigner(api)

  it('waits for the new technicians, and for no other', async () => {
    const msp = await deskWorld()
    await asked(msp, { technicians: [USER] })
    const { status, data, etag } = await reassign(msp.user, [ADMIN], 'I am away.')
    expect([status, data.technician_ids, data.status, data.revision]).toEqual([200, [ADMIN], 'PENDING', 2])
    expect(etag).toMatch(/^"2\./)
    expect(await activitiesOf(msp)).toMatchObject([
      {
        action: 'til_request.reassigned',
        before: { technician_ids: [USER] },
        after: { technician_ids: [ADMIN], comment: 'I am away.' },
      },
    ])
    const approve = (caller: Caller) => api.call(caller, 'approve_til_request', { til_request_id: 'til_1' })
    expect(outcome(await approve(msp.user))).toEqual([404, 'til_request_not_found'])
    expect((await approve(msp.admin)).status).toBe(200)
  })

  it('by an ADMIN who is not named to themselves can be decided by them', async () => {
    const msp = await deskWorld()
    await asked(msp, { technicians: [USER] })
    const approve = () => api.call(msp.admin, 'approve_til_request', { til_request_id: 'til_1' })
    expect(outcome(await approve())).toEqual([403, 'not_an_approver'])
    expect((await reassign(msp.admin, [ADMIN])).status).toBe(200)
    expect((await approve()).status).toBe(200)
  })

  it('is so by those who are named, and by OWNERs and ADMINs', async () => {
    const msp = await deskWorld()
    await addTechnicians(msp, [{ id: OTHER, psa_id: 13 }])
    await asked(msp, { technicians: [ADMIN], requested_by_type: 'USER', requested_by_id: msp.user.id })
    await msp.database.prisma.tilRequest.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { agent_id: null },
    })
    expect(outcome(await reassign(msp.user, [USER]))).toEqual([403, 'not_an_approver'])
    expect(outcome(await reassign(msp.viewer, [USER]))).toEqual([403, 'forbidden'])
    expect((await reassign(msp.owner, [OTHER])).status).toBe(200)
    expect((await reassign(msp.admin, [OTHER, USER])).data.technician_ids).toEqual([USER, OTHER])
    expect((await reassign(msp.user, [OTHER])).data.technician_ids).toEqual([OTHER])
  })

  it('to those who are named already is unchanged', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const { data } = await reassign(msp.admin, [USER, ADMIN, USER])
    expect([data.technician_ids, data.revision]).toEqual([[ADMIN, USER], 1])
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('to somebody unknown or deleted is refused, each by its place', async () => {
    const msp = await deskWorld()
    await asked(msp)
    await addTechnicians(msp, [{ id: OTHER, psa_id: 14, deleted_at: clock.now() }])
    const { status, error } = await reassign(msp.admin, [USER, OTHER, 999])
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors?.map(({ field }) => field)).toEqual([
      'technician_ids.1',
      'technician_ids.2',
    ])
    expect(outcome(await reassign(msp.admin, []))).toEqual([422, 'request_validation_failed'])
  })

  it('once it is closed, overdue or changed is refused', async () => {
    const msp = await deskWorld()
    await asked(msp)
    expect(outcome(await reassign(msp.admin, [USER], '', { 'if-match': '"4"' }))).toEqual([
      409,
      'version_conflict',
    ])
    clock.turn(days(3))
    expect(outcome(await reassign(msp.admin, [USER]))).toEqual([409, 'til_request_expired'])
    clock.reset()
    await api.call(msp.user, 'approve_til_request', { til_request_id: 'til_1' })
    expect(outcome(await reassign(msp.admin, [USER]))).toEqual([409, 'til_request_closed'])
  })
})
