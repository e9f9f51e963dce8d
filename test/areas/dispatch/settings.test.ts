import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { world } from '../../setup/world.ts'

const REFUSED = [
  ['no limit at all', { max_open_tickets_per_technician: 0 }, ['max_open_tickets_per_technician range']],
  ['a limit of 501', { max_open_tickets_per_technician: 501 }, ['max_open_tickets_per_technician range']],
  ['a technician who there is not', { fallback_technician_id: 99 }, ['fallback_technician_id unknown']],
  ['a technician who was deleted', { fallback_technician_id: 2 }, ['fallback_technician_id unknown']],
  ['no flag', { enabled: null }, ['enabled null']],
] as const

async function tenant() {
  const msp = await world()
  await addTechnicians(msp, [
    { id: 1, psa_id: 1 },
    { id: 2, psa_id: 2, deleted_at: new Date(0) },
  ])
  return msp
}

describeApi('the settings of dispatch', (api) => {
  it('have defaults before anybody changes them', async () => {
    const msp = await tenant()
    expect((await api.call(msp.user, 'dispatch_settings')).data).toMatchObject({
      enabled: false,
      mode: 'SUGGEST',
      strategy: 'BEST_FIT',
      respect_schedules: true,
      max_open_tickets_per_technician: null,
      only_ready_technicians: true,
      fallback_technician_id: null,
      revision: 1,
    })
  })

  it('keep what a change leaves out, and null clears', async () => {
    const msp = await tenant()
    const update = async (input: object) =>
      (await api.call(msp.user, 'update_dispatch_settings', { input })).data
    const all = {
      enabled: true,
      mode: 'AUTO',
      strategy: 'ROUND_ROBIN',
      respect_schedules: false,
      max_open_tickets_per_technician: 500,
      only_ready_technicians: false,
      fallback_technician_id: 1,
    }
    expect(await update(all)).toMatchObject({ ...all, revision: 2 })
    expect(await update({})).toMatchObject({ ...all, revision: 2 })
    expect(await update({ enabled: false })).toMatchObject({ ...all, enabled: false, revision: 3 })
    const cleared = { max_open_tickets_per_technician: null, fallback_technician_id: null }
    expect(await update(cleared)).toMatchObject({ ...all, enabled: false, ...cleared, revision: 4 })
  })

  it.each(REFUSED)('with %s are refused, and nothing is stored', async (_what, input, problems) => {
    const msp = await tenant()
    const { error } = await api.call(msp.admin, 'update_dispatch_settings', { input })
    expect(error?.code).toBe('request_validation_failed')
    expect(error?.details.field_errors?.map(({ field, code }) => `${field} ${code}`)).toEqual(problems)
    const { database, tenant_id } = msp
    expect(await database.prisma.dispatchSettings.count({ where: { tenant_id } })).toBe(0)
  })

  it('keep a fallback who was deleted since, and take no technician of another tenant', async () => {
    const [msp, other] = [await tenant(), await world()]
    await addTechnicians(other, [{ id: 77, psa_id: 77 }])
    const update = (input: object) => api.call(msp.admin, 'update_dispatch_settings', { input })
    expect((await update({ fallback_technician_id: 77 })).error?.code).toBe('request_validation_failed')
    await update({ fallback_technician_id: 1 })
    const { database, tenant_id } = msp
    await database.prisma.technicianProfile.updateMany({
      where: { tenant_id },
      data: { deleted_at: new Date(0) },
    })
    const kept = await update({ enabled: true, fallback_technician_id: 1 })
    expect(kept.data).toMatchObject({ enabled: true, fallback_technician_id: 1 })
    expect((await update({ fallback_technician_id: null })).data.fallback_technician_id).toBeNull()
    expect((await update({ fallback_technician_id: 1 })).error?.code).toBe('request_validation_failed')
  })
})
