import { afterAll, describe, expect, it } from 'vitest'
import { localPsa } from '../../../src/connectors/local/psa.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import type { PsaConnector } from '../../../src/connectors/psa.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT, type Running, startApp } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { testDatabase } from '../../setup/database.ts'
import { json } from '../../setup/http.ts'
import { addPsaTechnicians } from '../../setup/psa.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

describeApi('a new technician', (api) => {
  const create = (msp: Msp, psa_id: unknown) =>
    api.call(msp.admin, 'create_technician', { input: { psa_id } })

  it('has the name that the PSA has, and no profile yet', async () => {
    const msp = await world()
    await addPsaTechnicians(msp, [{ psa_id: 31, name: 'Ada Lovelace' }])
    clock.freeze()
    const { status, data, etag, headers } = await create(msp, 31)
    const technician = {
      id: data.id,
      psa_id: 31,
      name: 'Ada Lovelace',
      profile: null,
      profile_status: 'PENDING',
      custom_instructions: null,
      is_ready: false,
      update_automatically: true,
      skills: [],
      schedule_id: null,
      deleted_at: null,
      revision: 1,
      updated_at: clock.now().toISOString(),
    }
    expect([status, data]).toMatchObject([200, technician])
    if (api.name === 'rest') expect(headers.get('location')).toBe(`/public-api/technicians/${data.id}`)
    expect(await api.call(msp.viewer, 'technician', { profile_id: data.id })).toMatchObject({ data, etag })
    expect(await activitiesOf(msp)).toMatchObject([
      {
        action: 'technician.created',
        targets: [{ type: 'technician', id: String(data.id), name: 'Ada Lovelace' }],
        after: { psa_id: 31 },
      },
    ])
  })

  it.each([32, 2 ** 31 - 1])('whom the PSA does not know, as %i, is refused by the field', async (psa_id) => {
    const msp = await world()
    await addPsaTechnicians(msp, [{ psa_id: 31 }])
    const { status, error } = await create(msp, psa_id)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([
      { field: 'psa_id', location: 'body', code: 'unknown' },
    ])
    expect((await api.call(msp.viewer, 'technicians')).data).toEqual([])
  })

  it.each([0, -1, 1.5, 2 ** 31, '31', null, undefined])('with the id %o is refused', async (psa_id) => {
    const { status, error } = await create(await world(), psa_id)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors?.[0]?.field).toBe('psa_id')
  })

  it('who is there already is answered as they are, whatever the PSA says', async () => {
    const msp = await world()
    await addTechnicians(msp, [{ psa_id: 31, name: 'Old name', profile: 'First line.', skills: ['VPN'] }])
    const { status, data } = await create(msp, 31)
    expect([status, data.name, data.profile, data.revision]).toEqual([200, 'Old name', 'First line.', 1])
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('who was deleted is brought back under the name that the PSA has now', async () => {
    const msp = await world()
    const gone = { deleted_at: clock.now(), update_automatically: false, skills: ['VPN'] }
    const [id] = await addTechnicians(msp, [{ psa_id: 31, name: 'Old name', ...gone }])
    expect(outcome(await create(msp, 31))).toEqual([422, 'request_validation_failed'])
    await addPsaTechnicians(msp, [{ psa_id: 31, name: 'New name' }])
    const { status, data } = await create(msp, 31)
    expect([status, data]).toMatchObject([
      200,
      {
        id,
        name: 'New name',
        deleted_at: null,
        update_automatically: true,
        skills: ['VPN'],
        profile_status: 'PENDING',
        is_ready: false,
        revision: 2,
      },
    ])
    expect(await activitiesOf(msp)).toMatchObject([
      { action: 'technician.restored', before: { name: 'Old name' }, after: { name: 'New name' } },
    ])
  })
})

describe('While the PSA does not answer', async () => {
  const down: PsaConnector = (ctx) => ({
    ...localPsa(ctx),
    technician: () => Promise.reject(new PortUnavailable('vendor text', { retry_after_seconds: 30 })),
    openTicketCounts: () => Promise.reject(new PortUnavailable('vendor text')),
  })
  let running: Running | undefined
  afterAll(() => running?.app.close(0))
  const send = async (caller: Caller, path: string, init: RequestInit = {}) => {
    running ??= await startApp(await testDatabase(), {}, undefined, { connectors: { psa: down } })
    const headers = { ...init.headers, authorization: `Bearer ${caller.token}` }
    return await fetch(`${running.base}/public-api${path}`, { ...init, headers })
  }

  it('no technician is made: 503 with Retry-After, and no word of the vendor', async () => {
    const msp = await world()
    const answer = await send(msp.admin, '/technicians', json({ psa_id: 31 }))
    const text = await answer.text()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30'])
    expect(JSON.parse(text).error.code).toBe('upstream_unavailable')
    expect(text).not.toContain('vendor text')
    const where = { tenant_id: msp.tenant_id, environment: ENVIRONMENT }
    expect(await msp.database.prisma.technicianProfile.count({ where })).toBe(0)
  })

  it('technicians are listed without their open tickets, with a warning', async () => {
    const msp = await world()
    await addTechnicians(msp, [{}, {}])
    const { data, meta } = await (await send(msp.viewer, '/technicians')).json()
    expect(data.map((row: Record<string, unknown>) => row.open_ticket_count)).toEqual([null, null])
    expect(meta.warnings).toEqual(['The PSA did not answer: open_ticket_count is null.'])
  })
})
