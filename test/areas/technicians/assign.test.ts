import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { world } from '../../setup/world.ts'

describeApi('an assignment to a schedule', (api) => {
  const team = async () => {
    const msp = await world()
    const [day = 0, late = 0] = await addSchedules(msp, [{ name: 'Day' }, { name: 'Late' }])
    const [ada = 0, bo = 0, cy = 0] = await addTechnicians(msp, [
      { schedule_id: day },
      { schedule_id: late },
      {},
    ])
    const assign = (schedule_id: number, technician_ids: readonly number[], headers = {}) =>
      api.call(msp.admin, 'assign_schedule_technicians', { schedule_id, input: { technician_ids } }, headers)
    const schedule = async (schedule_id: number) =>
      (await api.call(msp.viewer, 'technician_schedule', { schedule_id })).data
    const scheduleOf = async (profile_id: number) =>
      (await api.call(msp.viewer, 'technician', { profile_id })).data.schedule_id
    return { msp, day, late, ada, bo, cy, assign, schedule, scheduleOf }
  }

  it('puts these technicians on it and no others, each on one schedule', async () => {
    const { msp, day, late, ada, bo, cy, assign, schedule, scheduleOf } = await team()
    const { status, data, etag } = await assign(day, [cy, bo, cy])
    expect([status, data.technician_ids, data.revision, data.updated_by_user]).toEqual([
      200,
      [bo, cy],
      2,
      'Admin',
    ])
    expect(etag).toBe('"2"')
    expect(await schedule(day)).toEqual(data)
    expect(await schedule(late)).toMatchObject({ technician_ids: [], revision: 2, updated_by_user: 'Admin' })
    expect([await scheduleOf(ada), await scheduleOf(bo), await scheduleOf(cy)]).toEqual([null, day, day])
    const [entry] = await activitiesOf(msp)
    expect(entry).toMatchObject({ action: 'technician_schedule.assigned' })
    expect(entry?.targets).toEqual([
      { type: 'technician_schedule', id: String(day), name: 'Day' },
      { type: 'technician_schedule', id: String(late), name: 'Late' },
    ])
    expect((await assign(day, [])).data.technician_ids).toEqual([])
  })

  it('of those who are on it changes nothing', async () => {
    const { msp, day, ada, assign, schedule } = await team()
    const before = await schedule(day)
    clock.advance(1000)
    expect((await assign(day, [ada, ada])).data).toEqual(before)
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('names every id that is no technician of the tenant, and moves nobody', async () => {
    const { msp, day, bo, assign, schedule } = await team()
    const [stranger = 0] = await addTechnicians(await world(), [{}])
    const { status, error } = await assign(day, [bo, stranger, -1])
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors?.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'technician_ids.1 unknown',
      'technician_ids.2 unknown',
    ])
    expect((await schedule(day)).technician_ids).not.toContain(bo)
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('is of the version that was read', async () => {
    const { day, cy, assign } = await team()
    expect(outcome(await assign(day, [cy], { 'if-match': '"2"' }))).toEqual([409, 'version_conflict'])
    expect((await assign(day, [cy], { 'if-match': '"1"' })).status).toBe(200)
  })

  it('takes at most 200 technicians', async () => {
    const { day, assign } = await team()
    const ids = Array.from({ length: 201 }, (_, index) => index + 1)
    expect(outcome(await assign(day, ids))).toEqual([422, 'request_validation_failed'])
    expect(outcome(await assign(day, [2 ** 31]))).toEqual([422, 'request_validation_failed'])
  })
})
