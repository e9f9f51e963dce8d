import { describe, expect, it } from 'vitest'
import { apis } from '../../setup/api.ts'
import { counted, TIMES, times } from '../../setup/at-once.ts'
import { activitiesOf, countActivities } from '../../setup/audit-log.ts'
import { addPsaTechnicians } from '../../setup/psa.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { world } from '../../setup/world.ts'

const content = (name: string) => ({ name, timezone: 'UTC', windows: [] })

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('one schedule of a name, made or renamed', async () => {
    const msp = await world()
    const ids = await addSchedules(
      msp,
      Array.from({ length: TIMES / 2 }, () => ({})).map((_, index) => ({ name: `Old ${index}` })),
    )
    const answers = await times((index) => {
      const input = content(index % 4 < 2 ? 'Night shift' : 'NIGHT SHIFT')
      return index % 2
        ? api.call(msp.key, 'create_technician_schedule', { input })
        : api.call(msp.key, 'replace_technician_schedule', { schedule_id: ids[index / 2], input })
    })
    expect(counted(answers)).toEqual({ 200: 1, schedule_name_taken: TIMES - 1 })
    expect(await countActivities(msp)).toBe(1)
  })

  it('one profile of a technician, made or brought back', async () => {
    const msp = await world()
    await addPsaTechnicians(msp, [{ psa_id: 31 }, { psa_id: 32 }])
    await addTechnicians(msp, [{ psa_id: 32, deleted_at: new Date() }])
    for (const psa_id of [31, 32]) {
      const answers = await times(() => api.call(msp.key, 'create_technician', { input: { psa_id } }))
      expect(counted(answers)).toEqual({ 200: TIMES })
      expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1)
    }
    expect((await api.call(msp.key, 'technicians')).data).toHaveLength(2)
    expect(await countActivities(msp)).toBe(2)
  })

  it('one change of a schedule, and one of a technician, with the tag that all have read', async () => {
    const msp = await world()
    const [schedule_id = 0] = await addSchedules(msp, [{}])
    const [profile_id = 0] = await addTechnicians(msp, [{}])
    const { etag } = await api.call(msp.key, 'technician', { profile_id })
    const schedules = await times((index) =>
      api.call(
        msp.key,
        index % 2 ? 'replace_technician_schedule' : 'assign_schedule_technicians',
        { schedule_id, input: index % 2 ? content(`Name ${index}`) : { technician_ids: [profile_id] } },
        { 'if-match': '"1"' },
      ),
    )
    expect(counted(schedules)).toEqual({ 200: 1, version_conflict: TIMES - 1 })
    const technicians = await times((index) =>
      api.call(
        msp.key,
        'update_technician',
        { profile_id, input: { skills: [`Skill ${index}`] } },
        { 'if-match': etag ?? '' },
      ),
    )
    expect(counted(technicians)).toEqual({ 200: 1, version_conflict: TIMES - 1 })
    expect(await countActivities(msp)).toBe(2)
  })

  it('a technician is on one schedule, and each schedule says so', async () => {
    const msp = await world()
    const schedules = await addSchedules(msp, [{}, {}, {}])
    const technicians = await addTechnicians(msp, [{}, {}, {}, {}])
    const answers = await times((index) =>
      api.call(msp.key, 'assign_schedule_technicians', {
        schedule_id: schedules[index % 3],
        input: { technician_ids: technicians.filter((_, at) => (index >> at) % 2 === 0) },
      }),
    )
    expect(counted(answers)).toEqual({ 200: TIMES })
    const { data } = await api.call(msp.key, 'technician_schedules')
    const on = data.flatMap(({ technician_ids }: { technician_ids: number[] }) => technician_ids)
    expect(new Set(on).size).toBe(on.length)
    const members = (await api.call(msp.key, 'technicians')).data
    for (const { id, schedule_id } of members) {
      const found = data.find((schedule: { technician_ids: number[] }) =>
        schedule.technician_ids.includes(id),
      )
      expect(found?.id ?? null).toBe(schedule_id)
    }
    const revisions = data.map(({ revision }: { revision: number }) => revision - 1)
    const targets = (await activitiesOf(msp)).flatMap((entry) => entry.targets as object[])
    expect(revisions.reduce((sum: number, each: number) => sum + each, 0)).toBe(targets.length)
  })

  it('a schedule is deleted once, or stays because somebody is on it', async () => {
    const msp = await world()
    const [schedule_id = 0] = await addSchedules(msp, [{}])
    const technicians = await addTechnicians(msp, [{}])
    const answers = await times((index) =>
      index % 2
        ? api.call(msp.key, 'delete_technician_schedule', { schedule_id })
        : api.call(msp.key, 'assign_schedule_technicians', {
            schedule_id,
            input: { technician_ids: technicians },
          }),
    )
    const [member] = (await api.call(msp.key, 'technicians')).data
    const counts = counted(answers)
    expect(member.schedule_id === null ? counts : { ...counts, gone: 0 }).toEqual(
      member.schedule_id === null
        ? { 200: 1, schedule_not_found: TIMES - 1 }
        : { 200: TIMES / 2, schedule_in_use: TIMES / 2, gone: 0 },
    )
  })
})
