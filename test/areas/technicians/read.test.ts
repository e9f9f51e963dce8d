import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { ENVIRONMENT } from '../../setup/app.ts'
import { graphql } from '../../setup/graphql.ts'
import { addPsaTechnicians, addPsaTickets } from '../../setup/psa.ts'
import { countStatements } from '../../setup/statements.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { world } from '../../setup/world.ts'

describeApi('technicians', (api) => {
  it('answer every field, alone and in the list', async () => {
    const msp = await world()
    const [schedule_id = 0] = await addSchedules(msp, [{ name: 'Day shift' }])
    const updated_at = new Date('2026-03-01T10:00:00Z')
    const [ada = 0, bo = 0] = await addTechnicians(msp, [
      {
        psa_id: 201,
        name: 'ada',
        profile: 'First line.',
        profile_status: 'READY',
        is_ready: true,
        custom_instructions: 'Ask me.',
        skills: ['VPN', 'Backups'],
        schedule_id,
        updated_at,
      },
      { psa_id: 202, name: 'Bo', update_automatically: false, deleted_at: updated_at, updated_at },
    ])
    await addPsaTechnicians(msp, [{ psa_id: 201 }, { psa_id: 202 }])
    await addPsaTickets(msp, [
      { ticket_id: '1', assignee_psa_id: 201 },
      { ticket_id: '2', assignee_psa_id: 201, closed_at: updated_at },
    ])
    const first = {
      id: ada,
      psa_id: 201,
      name: 'ada',
      profile: 'First line.',
      profile_status: 'READY',
      custom_instructions: 'Ask me.',
      is_ready: true,
      update_automatically: true,
      skills: ['VPN', 'Backups'],
      schedule_id,
      deleted_at: null,
      updated_at: '2026-03-01T10:00:00.000Z',
      revision: 1,
    }
    const second = {
      ...first,
      id: bo,
      psa_id: 202,
      name: 'Bo',
      profile: null,
      profile_status: 'PENDING',
      is_ready: false,
      custom_instructions: null,
      update_automatically: false,
      skills: [],
      schedule_id: null,
      deleted_at: '2026-03-01T10:00:00.000Z',
    }
    const list = await api.call(msp.viewer, 'technicians')
    const counted = [
      { ...first, open_ticket_count: 1 },
      { ...second, open_ticket_count: 0 },
    ]
    expect([list.data, list.pagination]).toEqual([counted, { next_cursor: null, has_more: false }])
    for (const expected of [first, second]) {
      const { status, data, etag } = await api.call(msp.key, 'technician', { profile_id: expected.id })
      expect([status, data]).toEqual([200, expected])
      expect(etag).toMatch(/^"1\.[\w-]{22}"$/)
    }
  })

  it.each(['0', '-1', '1.5', '01', 'ada', '2147483648', '99999999999', ' 1', '1e3'])(
    'have none with the id %j: 404',
    async (profile_id) => {
      const msp = await world()
      await addTechnicians(msp, [{}])
      for (const operation of ['technician', 'technician_availability', 'delete_technician']) {
        const { status, error } = await api.call(msp.owner, operation, { profile_id })
        if (api.name === 'graphql') expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
        else
          expect([status, error?.code, error?.details.id]).toEqual([404, 'technician_not_found', profile_id])
      }
    },
  )

  it.each([0, -1, 2_147_483_647])('have none with the id %d: 404', async (profile_id) => {
    const msp = await world()
    const { status, error } = await api.call(msp.owner, 'technician', { profile_id })
    expect([status, error?.code, error?.details.id]).toEqual([404, 'technician_not_found', `${profile_id}`])
  })

  it.each(['abc', '1.5', '0'])('on the schedule %j: 422, as by every number', async (schedule_id) => {
    const msp = await world()
    const { status, error } = await api.call(msp.key, 'technicians', { schedule_id })
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field: 'schedule_id', location: 'query' }])
  })

  it('are of another version once the service has written the profile, at the same revision', async () => {
    const msp = await world()
    const [profile_id = 0] = await addTechnicians(msp, [{}])
    const before = await api.call(msp.key, 'technician', { profile_id })
    await msp.database.prisma.technicianProfile.updateMany({
      where: { tenant_id: msp.tenant_id, environment: ENVIRONMENT },
      data: { profile: 'Generated.', profile_status: 'READY', is_ready: true },
    })
    const after = await api.call(msp.key, 'technician', { profile_id })
    expect([after.data.revision, after.etag === before.etag]).toEqual([1, false])
  })
})

it('Technicians and schedules are walked in both directions, in as many statements for many as for one', async () => {
  const msp = await world()
  const schedules = await addSchedules(msp, [{}, {}, {}])
  await addTechnicians(
    msp,
    Array.from({ length: 12 }, (_, index) => ({ schedule_id: schedules[index % 4] ?? null })),
  )
  const from = (page_size: number) => ({
    technicians: `{ technicians(page_size: ${page_size}) {
      items { psa_id schedule { name windows { day } technicians { items { name } } } } } }`,
    technician_schedules: `{ technician_schedules(page_size: ${page_size}) {
      items { name technicians(page_size: 20) { items { psa_id schedule { name } } } } } }`,
  })
  for (const list of ['technicians', 'technician_schedules'] as const) {
    const counts: number[] = []
    for (const page_size of [1, 50, 1, 50]) {
      const read = () => graphql(msp.viewer, from(page_size)[list])
      await read()
      counts.push(await countStatements(msp.database, read))
    }
    expect([list, new Set(counts).size]).toEqual([list, 1])
  }
  const { data } = await graphql(msp.viewer, from(50).technicians)
  const scheduleOf = (wanted: number) =>
    data.technicians.items.find(({ psa_id }: { psa_id: number }) => psa_id === wanted).schedule
  expect(scheduleOf(4)).toBeNull()
  expect(scheduleOf(5)).toEqual({
    name: 'Schedule 0',
    windows: [{ day: 'MONDAY' }],
    technicians: { items: [0, 4, 8].map((n) => ({ name: `Technician ${n}` })) },
  })
  const schedules_read = await graphql(msp.viewer, from(50).technician_schedules)
  expect(schedules_read.data.technician_schedules.items[1]).toEqual({
    name: 'Schedule 1',
    technicians: { items: [2, 6, 10].map((psa_id) => ({ psa_id, schedule: { name: 'Schedule 1' } })) },
  })
})
