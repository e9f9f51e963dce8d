import type { TechnicianProfile, TechnicianSchedule } from '../../../src/db/generated/client/client.ts'
import { addSchedules } from '../technicians.ts'
import { at, instant, isEqual, isIn, type ListSampler } from './sampler.ts'

const SCHEDULE_ID = 7
const OTHER_ID = 8
const STATUSES = ['PENDING', 'READY', 'STALE', 'FAILED', 'GENERATING'] as const

export const technicians: ListSampler<TechnicianProfile> = {
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
}

export const technician_schedules: ListSampler<TechnicianSchedule> = {
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
}
