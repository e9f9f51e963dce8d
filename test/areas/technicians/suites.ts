import fc from 'fast-check'
import type { TechnicianProfile, TechnicianSchedule } from '../../../src/db/generated/client/client.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { ownedBy } from '../../setup/suites/owned.ts'
import { at, instant, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { some, text, textOrNone, zone } from '../../setup/suites/sent-back.ts'
import { addSchedules } from '../../setup/technicians.ts'

const weekdays = (start_time: string, end_time: string, ...days: string[]) =>
  days.map((day) => ({ day, start_time, end_time }))

const clockTime = (minutes: number) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`

const windows = fc.uniqueArray(
  fc
    .record({
      day: fc.constantFrom('mon', 'TUE', 'Wednesday', 'SUNDAY', 'fri'),
      from: fc.integer({ min: 0, max: 719 }),
      until: fc.integer({ min: 720, max: 1440 }),
    })
    .map(({ day, from, until }) => ({ day, start_time: clockTime(from), end_time: clockTime(until) })),
  { maxLength: 4, selector: ({ day }) => day },
)

const SHORT = {
  name: 'Short',
  timezone: 'Europe/London',
  windows: [{ day: 'MONDAY', start_time: '09:00', end_time: '12:00' }],
}

const SCHEDULE_ID = 7
const OTHER_ID = 8
const STATUSES = ['PENDING', 'READY', 'STALE', 'FAILED', 'GENERATING'] as const

const technicians: ListSampler<TechnicianProfile> = {
  async add(msp, numbers) {
    const { database, tenant_id, environment } = msp
    const { prisma } = database
    if ((await prisma.technicianSchedule.count({ where: { tenant_id, environment } })) === 0)
      await addSchedules(
        msp,
        [SCHEDULE_ID, OTHER_ID].map((id) => ({ id, name: `Schedule ${id}` })),
      )
    await prisma.technicianProfile.createMany({
      data: numbers.map((n) => ({
        tenant_id,
        environment,
        psa_id: 1000 + n,
        created_at: instant(n),
        updated_at: instant(n),
        name: `${at(['Ørsted', 'ada 100%', 'Ada', 'b_c'], n)} ${n % 5}`,
        profile_status: at(STATUSES, n),
        is_ready: n % 5 === 1 || n % 5 === 2,
        schedule_id: n % 3 === 0 ? SCHEDULE_ID : null,
        deleted_at: n % 7 === 0 ? instant(n) : null,
      })),
    })
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.technicianProfile.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.technicianProfile.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'id',
  orders: { '': [{ value: ({ name }) => name.toLowerCase() }, { value: ({ id }) => id }] },
  filters: {
    is_ready: isEqual('is_ready', [true, false]),
    profile_status: isEqual('profile_status', ['READY', ['PENDING', 'STALE']]),
    schedule_id: isEqual('schedule_id', [SCHEDULE_ID, 8]),
    deleted: {
      values: [true, false],
      meets: (row, value: boolean) => (row.deleted_at !== null) === value,
    },
    search: isIn(({ name }) => [name], ['øR', '100%', '_']),
  },
  steady: 'people make its rows, one by one',
}

const technician_schedules: ListSampler<TechnicianSchedule> = {
  async add(msp, numbers) {
    await addSchedules(
      msp,
      numbers.map((n) => ({ name: `${at(['Ørsted', 'late 100%', 'Late', 'b_c'], n)} ${n}` })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.technicianSchedule.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.technicianSchedule.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'id',
  orders: { '': [{ value: ({ name }) => name.toLowerCase() }] },
  filters: { search: isIn(({ name }) => [name], ['øR', '100%', '_']) },
  steady: 'people make its rows, one by one',
}

export const SUITES: AreaSuites = {
  who_may: {
    technicians: { scope: 'technicians:read' },
    technician: { scope: 'technicians:read' },
    technician_availability: { scope: 'technicians:read' },
    create_technician: { scope: 'technicians:write' },
    delete_technician: { scope: 'technicians:write' },
    update_technician: { scope: 'technicians:write' },
    technician_schedules: { scope: 'technicians:read' },
    technician_schedule: { scope: 'technicians:read' },
    create_technician_schedule: { scope: 'technicians:write' },
    replace_technician_schedule: { scope: 'technicians:write' },
    delete_technician_schedule: { scope: 'technicians:write' },
    assign_schedule_technicians: { scope: 'technicians:write' },
  },
  examples: {
    reads: {
      technician_schedules: { page_size },
      technician_schedule: { schedule_id: from('technician_schedules', 'id') },
      technicians: { is_ready: true, page_size },
      technician: { profile_id: from('technicians', 'id') },
      technician_availability: { profile_id: from('technicians', 'id') },
    },
    writes: {
      create_technician_schedule: {
        input: {
          name: 'Early shift',
          timezone: 'Europe/London',
          windows: weekdays('06:00', '14:00', 'MONDAY', 'TUESDAY'),
        },
      },
      replace_technician_schedule: {
        schedule_id: 2,
        input: {
          name: 'Late shift',
          timezone: 'Europe/London',
          windows: weekdays('12:00', '20:30', 'THURSDAY', 'FRIDAY'),
        },
      },
      assign_schedule_technicians: { schedule_id: 3, input: { technician_ids: [2, 5] } },
      delete_technician_schedule: { schedule_id: from('create_technician_schedule', 'id') },
      create_technician: { input: { psa_id: 213 } },
      update_technician: {
        profile_id: 4,
        input: { custom_instructions: 'Not before 09:00.', skills: ['Onboarding', 'Printers'] },
      },
      delete_technician: { profile_id: 10 },
    },
  },
  async own_rows(msp, { id_number: id, mark }) {
    const { prisma } = msp.database
    const owned = { ...ownedBy(msp), id, name: mark }
    // A zone that the runtime does not know is answered as it is, and read as UTC.
    await prisma.technicianSchedule.create({
      data: { ...owned, timezone: mark, windows: [], updated_by_user: mark },
    })
    await prisma.technicianProfile.create({ data: { ...owned, psa_id: id, profile: mark, schedule_id: id } })
    return { profile_id: id, schedule_id: id }
  },
  not_walked: ['AssignedTechnicianSchedule.schedules', 'AssignedTechnicianSchedule.technicians'],
  lists: { technician_schedules, technicians },
  nested_lists: {
    'TechnicianSchedule.technicians': {
      list: 'technicians',
      parent: 'schedule_id',
      parents: [SCHEDULE_ID, OTHER_ID].map((id) => [id, `technician_schedule(schedule_id: ${id})`]),
    },
  },
  channel_writes: {
    create_technician: { waits: 'for an approval', call: () => ({ input: { psa_id: 31 } }) },
    delete_technician: { waits: 'for an approval', call: ({ profile_id }) => ({ profile_id }) },
    update_technician: {
      waits: 'for an approval',
      call: ({ profile_id }) => ({ profile_id, input: { skills: ['VPN'] } }),
    },
    create_technician_schedule: { waits: 'for an approval', call: () => ({ input: SHORT }) },
    replace_technician_schedule: {
      waits: 'unless the group TECHNICIANS requires none',
      call: ({ schedule_id }) => ({ schedule_id, input: SHORT }),
    },
    delete_technician_schedule: {
      waits: 'for an approval',
      call: ({ unused_schedule_id }) => ({ schedule_id: unused_schedule_id }),
    },
    assign_schedule_technicians: {
      waits: 'for an approval',
      call: ({ schedule_id, profile_id }) => ({ schedule_id, input: { technician_ids: [profile_id] } }),
    },
  },
  fetched_again: {
    create_technician_schedule: ['technician_schedules'],
    delete_technician_schedule: ['technician_schedules'],
    create_technician: ['technicians'],
  },
  sent_back: {
    replace_technician_schedule: {
      bodies: () => fc.record({ name: text, timezone: zone, windows }),
    },
    update_technician: {
      bodies: () =>
        some({
          profile: textOrNone,
          custom_instructions: textOrNone,
          update_automatically: fc.boolean(),
          skills: fc.subarray(['VPN', 'vpn', 'Größe', '“Backup”']),
        }),
    },
  },
  error_codes: {
    404: 'technician_not_found schedule_not_found',
    409: 'technician_has_open_approvals schedule_name_taken schedule_in_use',
    422: 'schedule_windows_overlap',
  },
}
