import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Api, apis, describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'

const window = (day: string, start_time: string, end_time: string) => ({ day, start_time, end_time })

const DAY_SHIFT = {
  name: 'Day shift',
  timezone: 'Europe/London',
  windows: [
    window('Tue', '9:00', '12:30'),
    window('mon', '13:00', '24:00'),
    window('MONDAY', '08:00', '12:00'),
  ],
}
const CANONICAL = [
  window('MONDAY', '08:00', '12:00'),
  window('MONDAY', '13:00', '24:00'),
  window('TUESDAY', '09:00', '12:30'),
]

const made = async (api: Api, msp: Msp, input: object = DAY_SHIFT) =>
  await api.call(msp.admin, 'create_technician_schedule', { input })

describeApi('a schedule', (api) => {
  it('is made in its canonical form, and read alone and in the list', async () => {
    const msp = await world()
    clock.freeze()
    const answer = await made(api, msp)
    const { id } = answer.data
    const schedule = {
      id,
      name: 'Day shift',
      technician_ids: [],
      timezone: 'Europe/London',
      windows: CANONICAL,
      updated_at: clock.now().toISOString(),
      updated_by_user: 'Admin',
      revision: 1,
    }
    expect([answer.status, answer.data, answer.etag]).toEqual([200, schedule, '"1"'])
    if (api.name === 'rest')
      expect(answer.headers.get('location')).toBe(`/public-api/technician-schedules/${id}`)
    const alone = await api.call(msp.viewer, 'technician_schedule', { schedule_id: id })
    expect([alone.data, alone.etag]).toEqual([schedule, '"1"'])
    expect((await api.call(msp.key, 'technician_schedules')).data).toEqual([schedule])
    expect(await activitiesOf(msp)).toMatchObject([
      {
        action: 'technician_schedule.created',
        targets: [{ type: 'technician_schedule', id: String(id), name: 'Day shift' }],
        after: { windows: CANONICAL },
      },
    ])
  })

  it('may have no windows, or fifty', async () => {
    const msp = await world()
    expect((await made(api, msp, { ...DAY_SHIFT, windows: [] })).data.windows).toEqual([])
    const windows = Array.from({ length: 50 }, (_, index) => {
      const hour = index % 10
      return window(
        ['mon', 'tue', 'wed', 'thu', 'fri'][Math.floor(index / 10)] ?? '',
        `${hour}:00`,
        `0${hour}:30`,
      )
    })
    expect((await made(api, msp, { ...DAY_SHIFT, name: 'Many', windows })).data.windows).toHaveLength(50)
  })

  it.each([
    [{ name: undefined }, ['name required']],
    [{ timezone: undefined }, ['timezone required']],
    [{ windows: undefined }, ['windows required']],
    [{ name: null }, ['name null']],
    [{ name: ' ' }, ['name length']],
    [{ name: 'x'.repeat(101) }, ['name length']],
    [{ name: 'a\u0000b' }, ['name characters']],
    [{ timezone: 'a\u0000b' }, ['timezone characters']],
    [{ windows: Array(51).fill(window('mon', '9:00', '10:00')) }, ['windows length']],
    [{ windows: [window('mon', '9am', '17:00')] }, ['windows.0.start_time format']],
    [{ windows: [window('mon', '24:00', '24:00')] }, ['windows.0.start_time format']],
    [{ windows: [window('mon', '9:00', '24:01')] }, ['windows.0.end_time format']],
    [{ windows: [window('m', '9:00', '17:00')] }, ['windows.0.day length']],
    [{ windows: [window('noday', '9:00', '17:00')] }, ['windows.0.day enum']],
    [{ windows: [window('mon', '9:00', '9:00')] }, ['windows.0.end_time order']],
    [{ windows: [{ day: 'mon', start_time: '9:00' }] }, ['windows.0.end_time required']],
  ])('with %o is refused: %o', async (part, problems) => {
    const msp = await world()
    const { data } = await made(api, msp)
    const input = { ...DAY_SHIFT, ...part }
    for (const answer of [
      await made(api, msp, input),
      await api.call(msp.admin, 'replace_technician_schedule', { schedule_id: data.id, input }),
    ]) {
      expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
      const told = answer.error?.details.field_errors?.map(({ field, code }) => `${field} ${code}`)
      expect(told).toEqual(problems)
    }
    const { data: after } = await api.call(msp.admin, 'technician_schedule', { schedule_id: data.id })
    expect(after).toEqual(data)
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('with windows that overlap is refused by the places of both', async () => {
    const msp = await world()
    const windows = [
      window('mon', '9:00', '12:00'),
      window('tue', '9:00', '12:00'),
      window('Mon', '11:59', '13:00'),
    ]
    const { status, error } = await made(api, msp, { ...DAY_SHIFT, windows })
    expect([status, error?.code]).toEqual([422, 'schedule_windows_overlap'])
    expect(error?.details.field_errors).toEqual([
      {
        field: 'windows.2',
        location: 'body',
        code: 'schedule_windows_overlap',
        message: 'overlaps windows.0, MONDAY 09:00 to 12:00',
      },
    ])
  })

  it('with a zone that is none is refused with 400, and its stored zone is always accepted again', async () => {
    const msp = await world()
    const refused = await made(api, msp, { ...DAY_SHIFT, timezone: 'europe/london' })
    expect(outcome(refused)).toEqual([400, 'invalid_timezone'])
    expect(refused.error?.details).toMatchObject({
      timezone: 'europe/london',
      suggestions: expect.arrayContaining(['Europe/London']),
    })
    const [schedule_id = 0] = await addSchedules(msp, [{ timezone: 'Old/Zone' }])
    const replace = (input: object) =>
      api.call(msp.admin, 'replace_technician_schedule', { schedule_id, input: { ...DAY_SHIFT, ...input } })
    expect((await replace({ timezone: 'Old/Zone' })).data.timezone).toBe('Old/Zone')
    expect(outcome(await replace({ timezone: 'Other/Zone' }))).toEqual([400, 'invalid_timezone'])
    expect((await replace({ timezone: 'Asia/Kolkata' })).data.timezone).toBe('Asia/Kolkata')
    expect(outcome(await replace({ timezone: 'Old/Zone' }))).toEqual([400, 'invalid_timezone'])
  })

  it('has a name that no other has, in whatever letter case; in another tenant it is free', async () => {
    const msp = await world()
    const { data: first } = await made(api, msp)
    const { data: second } = await made(api, msp, { ...DAY_SHIFT, name: 'Late' })
    const name = 'DAY shift'
    for (const answer of [
      await made(api, msp, { ...DAY_SHIFT, name }),
      await api.call(msp.admin, 'replace_technician_schedule', {
        schedule_id: second.id,
        input: { ...DAY_SHIFT, name },
      }),
    ]) {
      expect(outcome(answer)).toEqual([409, 'schedule_name_taken'])
      expect(answer.error?.details).toMatchObject({ name, schedule_id: first.id })
    }
    const own = { schedule_id: first.id, input: { ...DAY_SHIFT, name } }
    expect((await api.call(msp.admin, 'replace_technician_schedule', own)).data.name).toBe(name)
    expect((await made(api, await world())).status).toBe(200)
  })

  it('that is replaced has the new content, in the name of who replaced it', async () => {
    const msp = await world()
    const { data: before } = await made(api, msp)
    const input = { name: 'Short', timezone: 'UTC', windows: [window('fri', '9:00', '13:00')] }
    const { data, etag } = await api.call(msp.owner, 'replace_technician_schedule', {
      schedule_id: before.id,
      input,
    })
    expect(data).toMatchObject({
      id: before.id,
      name: 'Short',
      timezone: 'UTC',
      updated_by_user: 'Owner',
      revision: 2,
      windows: [window('FRIDAY', '09:00', '13:00')],
    })
    expect(await api.call(msp.viewer, 'technician_schedule', { schedule_id: before.id })).toMatchObject({
      data,
      etag,
    })
    const [, replaced] = await activitiesOf(msp)
    expect(replaced).toMatchObject({
      action: 'technician_schedule.replaced',
      before: { name: 'Day shift', windows: CANONICAL },
      after: { name: 'Short', updated_by_user: 'Owner' },
    })
  })

  it('that is sent back as it was read stays as it is', async () => {
    const msp = await world()
    const { data: before, etag } = await made(api, msp)
    const { name, timezone, windows, ...others } = before
    clock.advance(1000)
    const again = await api.call(
      msp.owner,
      'replace_technician_schedule',
      {
        schedule_id: before.id,
        input: api.name === 'rest' ? { name, timezone, windows, ...others } : { name, timezone, windows },
      },
      { 'if-match': etag ?? '' },
    )
    expect([again.status, again.data, again.etag]).toEqual([200, before, etag])
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('is replaced only at the version that was read', async () => {
    const msp = await world()
    const { data, etag } = await made(api, msp)
    const replace = (name: string) =>
      api.call(
        msp.admin,
        'replace_technician_schedule',
        { schedule_id: data.id, input: { ...DAY_SHIFT, name } },
        { 'if-match': etag ?? '' },
      )
    expect((await replace('First')).status).toBe(200)
    const late = await replace('Second')
    expect([late.status, late.error?.code, late.error?.details.current_etag]).toEqual([
      409,
      'version_conflict',
      '"2"',
    ])
  })

  it('that nobody is on is deleted, and gone', async () => {
    const msp = await world()
    const { data } = await made(api, msp)
    const args = { schedule_id: data.id }
    const late = await api.call(msp.admin, 'delete_technician_schedule', args, { 'if-match': '"7"' })
    expect(outcome(late)).toEqual([409, 'version_conflict'])
    const deleted = await api.call(msp.admin, 'delete_technician_schedule', args, { 'if-match': '"1"' })
    expect([deleted.status, deleted.data]).toEqual([200, data])
    for (const operation of ['technician_schedule', 'delete_technician_schedule'])
      expect(outcome(await api.call(msp.admin, operation, args))).toEqual([404, 'schedule_not_found'])
    const [, entry] = await activitiesOf(msp)
    expect(entry).toMatchObject({ action: 'technician_schedule.deleted', before: { name: 'Day shift' } })
    expect((await made(api, msp)).status).toBe(200)
  })

  it('that technicians are on is not deleted: 409', async () => {
    const msp = await world()
    const [schedule_id = 0] = await addSchedules(msp, [{}])
    const [technician = 0] = await addTechnicians(msp, [{ schedule_id }])
    const { status, error } = await api.call(msp.admin, 'delete_technician_schedule', { schedule_id })
    expect([status, error?.code, error?.details]).toMatchObject([
      409,
      'schedule_in_use',
      { technician_ids: [technician] },
    ])
    const where = { tenant_id: msp.tenant_id, environment: ENVIRONMENT, id: schedule_id }
    expect(await msp.database.prisma.technicianSchedule.count({ where })).toBe(1)
  })
})

describe('Whatever windows are stored,', () => {
  const minute = fc.integer({ min: 0, max: 1439 })
  const written = (time: number) => `${Math.floor(time / 60)}:${String(time % 60).padStart(2, '0')}`
  const windows = fc.uniqueArray(
    fc.record({
      day: fc.constantFrom('mon', 'TUE', 'Wednesday', 'SUNDAY', 'fri'),
      from: minute,
      until: minute,
    }),
    { maxLength: 5, selector: ({ day }) => day },
  )

  it('what is read can be sent back, and changes nothing', async () => {
    const msp = await world()
    let count = 0
    await fc.assert(
      fc.asyncProperty(windows, fc.constantFrom(...apis), async (drawn, api) => {
        const given = drawn.map(({ day, from, until }) =>
          window(day, written(Math.min(from, until)), written(Math.max(from, until) + 1)),
        )
        const answer = await made(api, msp, { name: `Drawn ${count++}`, timezone: 'UTC', windows: given })
        expect(answer.status).toBe(200)
        const { id: schedule_id, name, timezone, windows: read } = answer.data
        const again = await api.call(msp.owner, 'replace_technician_schedule', {
          schedule_id,
          input: { name, timezone, windows: read },
        })
        expect([again.status, again.data]).toEqual([200, answer.data])
      }),
      { numRuns: 25 },
    )
  })
})
