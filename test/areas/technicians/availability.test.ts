import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'

const setZone = ({ database, tenant_id }: Msp, timezone: string) =>
  database.prisma.settings.updateMany({ where: { tenant_id, environment: ENVIRONMENT }, data: { timezone } })

describeApi('the availability of a technician', (api) => {
  it('is that of their schedule, at the instant that is asked about', async () => {
    const msp = await world()
    const [schedule_id = 0] = await addSchedules(msp, [
      {
        timezone: 'Europe/London',
        windows: [
          { day: 'FRIDAY', start_time: '18:00', end_time: '24:00' },
          { day: 'SATURDAY', start_time: '00:00', end_time: '09:30' },
        ],
      },
    ])
    const [profile_id = 0] = await addTechnicians(msp, [{ schedule_id }])
    const ask = (at: string) => api.call(msp.viewer, 'technician_availability', { profile_id, at })
    const common = { technician_id: profile_id, timezone: 'Europe/London', schedule_id }
    expect((await ask('2026-06-05T19:30:00+02:00')).data).toEqual({
      ...common,
      at: '2026-06-05T17:30:00.000Z',
      available: true,
      until: '2026-06-06T08:30:00.000Z',
      next_available_at: null,
    })
    expect((await ask('2026-11-22')).data).toEqual({
      ...common,
      at: '2026-11-22T00:00:00.000Z',
      available: false,
      until: null,
      next_available_at: '2026-11-27T18:00:00.000Z',
    })
  })

  it('is that of their schedule, as it was replaced last', async () => {
    const msp = await world()
    const [schedule_id = 0] = await addSchedules(msp, [{ timezone: 'Europe/London', windows: [] }])
    const technicians = await addTechnicians(msp, [{ schedule_id }, { schedule_id }])
    const available = () =>
      Promise.all(
        technicians.map(async (profile_id) => {
          const args = { profile_id, at: '2026-11-20T10:00:00Z' }
          return (await api.call(msp.key, 'technician_availability', args)).data.available
        }),
      )
    expect(await available()).toEqual([false, false])
    const windows = [{ day: 'FRIDAY', start_time: '09:00', end_time: '11:00' }]
    const input = { name: 'Friday mornings', timezone: 'Europe/London', windows }
    const replaced = await api.call(msp.admin, 'replace_technician_schedule', { schedule_id, input })
    expect([replaced.status, await available()]).toEqual([200, [true, true]])
  })

  it('is asked about now, if nothing else is said', async () => {
    const msp = await world()
    clock.freeze()
    const [profile_id = 0] = await addTechnicians(msp, [{}])
    const { data } = await api.call(msp.key, 'technician_availability', { profile_id })
    expect(data.at).toBe(clock.now().toISOString())
  })

  it('is by the tenant’s business hours, Monday to Friday, for one who is on no schedule', async () => {
    const msp = await world()
    await setZone(msp, 'America/New_York')
    const [profile_id = 0] = await addTechnicians(msp, [{}])
    const ask = (at: string) => api.call(msp.key, 'technician_availability', { profile_id, at })
    expect((await ask('2026-11-20T15:00:00Z')).data).toMatchObject({
      timezone: 'America/New_York',
      schedule_id: null,
      available: true,
      until: '2026-11-20T23:00:00.000Z',
    })
    expect((await ask('2026-11-21T15:00:00Z')).data).toMatchObject({
      available: false,
      next_available_at: '2026-11-23T13:00:00.000Z',
    })
  })

  it('never comes for a deleted technician, and on a schedule without windows', async () => {
    const msp = await world()
    const [busy = 0, idle = 0] = await addSchedules(msp, [{}, { windows: [] }])
    const technicians = await addTechnicians(msp, [
      { schedule_id: busy, deleted_at: clock.now() },
      { schedule_id: idle },
      { deleted_at: clock.now() },
    ])
    for (const profile_id of technicians) {
      const monday = { profile_id, at: '2026-11-23T10:00:00Z' }
      expect((await api.call(msp.key, 'technician_availability', monday)).data).toMatchObject({
        available: false,
        until: null,
        next_available_at: null,
      })
    }
  })

  it.each(['1969-12-31', '2200-01-01', '9999-12-31T23:59:59Z', '0001-01-01'])(
    'is not told for %s: 422',
    async (at) => {
      const msp = await world()
      const [profile_id = 0] = await addTechnicians(msp, [{}])
      const { status, error } = await api.call(msp.key, 'technician_availability', { profile_id, at })
      expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
      expect(error?.details.field_errors).toMatchObject([{ field: 'at', location: 'query', code: 'range' }])
    },
  )

  it('is told in the last hours that can be asked about', async () => {
    const msp = await world()
    const [profile_id = 0] = await addTechnicians(msp, [{}])
    for (const at of ['1970-01-01', '2199-12-31T23:59:59.999Z'])
      expect(outcome(await api.call(msp.key, 'technician_availability', { profile_id, at }))).toEqual([
        200,
        undefined,
      ])
  })
})
