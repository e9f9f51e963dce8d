import { describe, expect, it } from 'vitest'
import { apis, describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { TIMES, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { addTilRequests } from '../../setup/til-requests.ts'
import { type Caller, days, type Msp, world } from '../../setup/world.ts'

/** Makes the user this technician. */
const makeUser = ({ database, tenant_id }: Msp, { id }: Caller, technician_profile_id: number | undefined) =>
  database.prisma.tenantUser.updateMany({
    where: { tenant_id, environment: ENVIRONMENT, id },
    data: { technician_profile_id: technician_profile_id ?? null },
  })

/** The technicians who may decide, by request. */
async function deciders({ database, tenant_id }: Msp): Promise<Record<string, number[]>> {
  const rows = await database.prisma.tilRequest.findMany({
    where: { tenant_id },
    include: { technicians: { orderBy: { technician_id: 'asc' } } },
  })
  return Object.fromEntries(
    rows.map(({ id, technicians }) => [id, technicians.map(({ technician_id }) => technician_id)]),
  )
}

const READY = {
  profile: 'First line.',
  profile_status: 'READY',
  is_ready: true,
  custom_instructions: 'Ask me.',
} as const

describeApi('the deletion of a technician', (api) => {
  const remove = (msp: Msp, profile_id: unknown, headers = {}) =>
    api.call(msp.admin, 'delete_technician', { profile_id }, headers)

  it('clears the profile and the instructions, and leaves the row, not ready', async () => {
    const msp = await world()
    const [id] = await addTechnicians(msp, [{ ...READY, skills: ['VPN'], name: 'Ada' }])
    const before = await api.call(msp.viewer, 'technician', { profile_id: id })
    clock.freeze()
    const { status, data, etag } = await remove(msp, id, { 'if-match': before.etag ?? '' })
    const now = clock.now().toISOString()
    expect([status, data]).toMatchObject([
      200,
      {
        ...before.data,
        profile: null,
        profile_status: 'PENDING',
        custom_instructions: null,
        is_ready: false,
        update_automatically: false,
        deleted_at: now,
        updated_at: now,
        revision: 2,
      },
    ])
    expect(await api.call(msp.viewer, 'technician', { profile_id: id })).toMatchObject({ data, etag })
    const deleted = await api.call(msp.viewer, 'technicians', { deleted: true })
    expect(deleted.data).toMatchObject([{ id, name: 'Ada' }])
    expect(await activitiesOf(msp)).toMatchObject([
      {
        action: 'technician.deleted',
        targets: [{ type: 'technician', id: String(id), name: 'Ada' }],
        before: { profile: 'First line.' },
        after: { profile: null },
      },
    ])
  })

  it('changes nothing the second time', async () => {
    const msp = await world()
    const [id] = await addTechnicians(msp, [READY])
    const first = await remove(msp, id)
    clock.advance(1000)
    const second = await remove(msp, id)
    expect([second.status, second.data, second.etag]).toEqual([200, first.data, first.etag])
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('is of the version that was read', async () => {
    const msp = await world()
    const [id] = await addTechnicians(msp, [{}])
    expect(outcome(await remove(msp, id, { 'if-match': '"2"' }))).toEqual([409, 'version_conflict'])
    expect((await api.call(msp.viewer, 'technician', { profile_id: id })).data.deleted_at).toBeNull()
  })

  it('hands open requests that nobody else could decide to the technicians that OWNERs and ADMINs are', async () => {
    const msp = await world()
    const [gone = 0, owner = 0, admin = 0, user = 0] = await addTechnicians(msp, [{}, {}, {}, {}])
    await makeUser(msp, msp.owner, owner)
    await makeUser(msp, msp.admin, admin)
    await makeUser(msp, msp.user, user)
    const closed_at = clock.now()
    await addTilRequests(msp, [
      { id: 'alone', technicians: [gone], title: 'Reset a password' },
      { id: 'shared', technicians: [gone, user] },
      { id: 'other', technicians: [user] },
      { id: 'closed', technicians: [gone], status: 'APPROVED', closed_at },
      { id: 'late', technicians: [gone], expires_at: new Date(closed_at.getTime() - days(1)) },
    ])
    expect((await remove(msp, gone)).status).toBe(200)
    expect(await deciders(msp)).toEqual({
      alone: [owner, admin],
      shared: [gone, user],
      other: [user],
      closed: [gone],
      late: [gone],
    })
    const where = { tenant_id: msp.tenant_id, id: 'alone' }
    expect(await msp.database.prisma.tilRequest.findFirst({ where })).toMatchObject({
      revision: 2,
      status: 'PENDING',
    })
    const [entry] = await activitiesOf(msp)
    expect(entry?.targets).toEqual([
      { type: 'technician', id: String(gone), name: 'Technician 0' },
      { type: 'til_request', id: 'alone', name: 'Reset a password' },
    ])
  })

  it('is refused if nobody else could decide the open requests', async () => {
    const msp = await world()
    const [gone = 0, left = 0] = await addTechnicians(msp, [{}, { deleted_at: clock.now() }])
    await makeUser(msp, msp.admin, gone)
    await makeUser(msp, msp.owner, left)
    await addTilRequests(msp, [{ id: 'alone', technicians: [gone] }])
    const { status, error } = await remove(msp, gone)
    expect([status, error?.code, error?.details.til_request_ids]).toEqual([
      409,
      'technician_has_open_approvals',
      ['alone'],
    ])
    expect(await deciders(msp)).toEqual({ alone: [gone] })
    expect((await api.call(msp.viewer, 'technician', { profile_id: gone })).data.deleted_at).toBeNull()
    expect(await activitiesOf(msp)).toEqual([])
    await makeUser(msp, msp.owner, (await addTechnicians(msp, [{ psa_id: 99 }]))[0])
    expect((await remove(msp, gone)).status).toBe(200)
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} deletions at once through $name`, (api) => {
  it('of one technician delete them once', async () => {
    const msp = await world()
    const [profile_id] = await addTechnicians(msp, [{}])
    const answers = await times(() => api.call(msp.admin, 'delete_technician', { profile_id }))
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1)
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('of everybody who could decide leave a request to one who is not deleted', async () => {
    const msp = await world()
    const technicians = await addTechnicians(msp, [{}, {}, {}])
    for (const [index, caller] of [msp.owner, msp.admin].entries())
      await makeUser(msp, caller, technicians[index])
    await addTilRequests(msp, [{ id: 'open', technicians: technicians.slice(2) }])
    const answers = await times((index) =>
      api.call(msp.key, 'delete_technician', { profile_id: technicians[index % 3] }),
    )
    const { data } = await api.call(msp.viewer, 'technicians', { deleted: false })
    const { open = [] } = await deciders(msp)
    const kept = data.map(({ id }: { id: number }) => id)
    expect(open.filter((id) => kept.includes(id)).length).toBeGreaterThan(0)
    for (const { status, error } of answers)
      expect([200, 'technician_has_open_approvals']).toContain(error?.code ?? status)
  })
})
