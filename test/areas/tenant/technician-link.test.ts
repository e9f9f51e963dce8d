import { describe, expect, it } from 'vitest'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { addTilRequests } from '../../setup/til-requests.ts'
import { type Caller, world } from '../../setup/world.ts'

const link = (api: Api, caller: Caller, { id }: Caller, technician_id: unknown, headers = {}) =>
  api.call(caller, 'link_user_technician', { user_id: id, input: { technician_id } }, headers)

describeApi('the technician that a user is', (api) => {
  it('is nobody until somebody links them; then they decide what is asked of the technician', async () => {
    const msp = await world()
    const [technician = 0] = await addTechnicians(msp, [{ name: 'User' }])
    await addTilRequests(msp, [{ id: 'til_1', technicians: [technician] }])
    const reject = () =>
      api.call(msp.user, 'reject_til_request', { til_request_id: 'til_1', input: { comment: 'No.' } })
    expect((await reject()).status).toBe(404)
    const { status, data } = await link(api, msp.admin, msp.user, technician)
    expect([status, data.technician_profile_id, data.revision]).toEqual([200, technician, 2])
    expect((await reject()).status).toBe(200)
    expect((await activitiesOf(msp)).find(({ action }) => action === 'user.linked')).toMatchObject({
      actor_id: msp.admin.id,
      targets: [{ type: 'user', id: msp.user.id, name: 'User' }],
      before: { technician_profile_id: null },
      after: { technician_profile_id: technician },
    })
  })

  it('is replaced by another one, and taken away by null', async () => {
    const msp = await world()
    const [one, other] = await addTechnicians(msp, [{ psa_id: 1 }, { psa_id: 2 }])
    const linked = async (technician_id: unknown) =>
      (await link(api, msp.admin, msp.user, technician_id)).data.technician_profile_id
    expect([await linked(one), await linked(other), await linked(null)]).toEqual([one, other, null])
    expect((await link(api, msp.admin, msp.viewer, other)).status).toBe(200)
    const actions = (await activitiesOf(msp)).map(({ action }) => action)
    expect(actions.sort()).toEqual(['user.linked', 'user.linked', 'user.linked', 'user.unlinked'])
  })

  it('is one user alone: another one is refused, with who it is', async () => {
    const msp = await world()
    const [technician] = await addTechnicians(msp, [{}])
    await link(api, msp.admin, msp.user, technician)
    const { status, error } = await link(api, msp.admin, msp.viewer, technician)
    expect([status, error?.code, error?.details.user_id]).toEqual([
      409,
      'technician_already_linked',
      msp.user.id,
    ])
    expect((await link(api, msp.admin, msp.user, technician)).data.revision).toBe(2)
  })

  it.each([
    ['owner', 'owner', null],
    ['owner', 'admin', null],
    ['admin', 'owner', null],
    ['admin', 'admin', 'OWNER'],
    ['user', 'user', 'ADMIN'],
    ['viewer', 'user', 'ADMIN'],
  ] as const)('is changed by the %s for the %s; that takes %s', async (who, whom, required_role) => {
    const msp = await world()
    const [technician] = await addTechnicians(msp, [{}])
    const answer = await link(api, msp[who], msp[whom], technician)
    expect(answer.error?.details.required_role ?? null).toBe(required_role)
    expect(outcome(answer)).toEqual(required_role ? [403, 'forbidden'] : [200, undefined])
    if (required_role) expect(outcome(await link(api, msp[who], msp[whom], null))).toEqual([403, 'forbidden'])
  })

  it('is changed by no key', async () => {
    const msp = await world()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    for (const caller of [msp.key, acting])
      expect(outcome(await link(api, caller, msp.user, null))).toEqual([403, 'dashboard_jwt_required'])
  })

  it('is one of the tenant’s who is not deleted', async () => {
    const [msp, other] = [await world(), await world()]
    const [deleted] = await addTechnicians(msp, [{ deleted_at: new Date() }])
    const [theirs] = await addTechnicians(other, [{}])
    for (const [technician_id, code] of [
      [deleted, 'unknown'],
      [theirs, 'unknown'],
      [2_147_483_647, 'unknown'],
      [0, 'range'],
      ['1', 'type'],
    ]) {
      const answer = await link(api, msp.owner, msp.user, technician_id)
      expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
      expect(answer.error?.details.field_errors).toMatchObject([{ field: 'technician_id', code }])
    }
    const absent = await api.call(msp.owner, 'link_user_technician', { user_id: msp.user.id, input: {} })
    expect(absent.error?.details.field_errors).toMatchObject([{ field: 'technician_id', code: 'required' }])
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('is not changed with an outdated If-Match', async () => {
    const msp = await world()
    const [technician] = await addTechnicians(msp, [{}])
    const { etag } = await api.call(msp.owner, 'tenant_user', { user_id: msp.user.id })
    const headers = { 'if-match': etag ?? '' }
    const linked = await link(api, msp.owner, msp.user, technician, headers)
    expect(linked.status).toBe(200)
    const late = await link(api, msp.owner, msp.user, null, headers)
    expect([late.error?.code, late.error?.details.current_etag]).toEqual(['version_conflict', linked.etag])
  })
})

describe.runIf(process.env.DATABASE_URL)('at once', () => {
  describeApi('links to one technician', (api) => {
    it('are one, every time', async () => {
      for (let turn = 0; turn < 5; turn++) {
        const msp = await world()
        const [technician] = await addTechnicians(msp, [{}])
        const users = [msp.admin, msp.user, msp.viewer]
        const answers = await Promise.all(users.map((user) => link(api, msp.owner, user, technician)))
        const codes = answers.map(({ error }) => error?.code ?? 'done').sort()
        expect(codes).toEqual(['done', 'technician_already_linked', 'technician_already_linked'])
      }
    })

    it('and their deletion: nobody is linked to a technician who is gone', async () => {
      for (let turn = 0; turn < 5; turn++) {
        const msp = await world()
        const [technician] = await addTechnicians(msp, [{}])
        const [linked, deleted] = await Promise.all([
          link(api, msp.owner, msp.user, technician),
          api.call(msp.key, 'delete_technician', { profile_id: technician }),
        ])
        expect([200, 422]).toContain(linked.status)
        expect(deleted.status).toBe(200)
      }
    })
  })
})
