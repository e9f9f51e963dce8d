/** Who asked for a call of the API is judged again when it is approved. */
import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT, signToken } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { channelKey, makeTechnician } from '../../setup/til-requests.ts'
import { type Caller, days, type Msp, world } from '../../setup/world.ts'
import { ADMIN } from './people.ts'

const tokenOf = async ({ tenant_id }: Msp, { id }: Caller): Promise<Caller> => {
  const claims = { sub: `sub_${id}`, tenant_id, environment: ENVIRONMENT, channel: 'api_request' }
  return { id, token: await signToken(claims) }
}

const keyOf = (msp: Msp) => channelKey(msp, { created_by_user_id: msp.owner.id })
const actingKey = (msp: Msp) => channelKey(msp, { acting_user_id: msp.owner.id })
const hourKey = (msp: Msp) => channelKey(msp, { expires_at: new Date(clock.now().getTime() + days(1) / 24) })

type Change = (msp: Msp, asker: Caller) => unknown

const setKey =
  (data: object): Change =>
  ({ database, tenant_id }, { id }) =>
    database.prisma.apiKey.updateMany({ where: { tenant_id, id }, data })
const setOwner =
  (data: object): Change =>
  ({ database, tenant_id, owner }) =>
    database.prisma.tenantUser.updateMany({ where: { tenant_id, id: owner.id }, data })

const removeOwner: Change = ({ database, tenant_id, owner }) =>
  database.prisma.tenantUser.deleteMany({ where: { tenant_id, id: owner.id } })

const CASES: [string, (msp: Msp) => Promise<Caller>, Change, string | null][] = [
  ['a key that is as it was', keyOf, () => {}, null],
  ['a user who is as they were', (msp) => tokenOf(msp, msp.owner), () => {}, null],
  ['a key that was revoked', keyOf, setKey({ revoked_at: new Date() }), 'credentials_revoked'],
  ['a key that expired', hourKey, () => clock.turn(days(1) / 12), 'credentials_expired'],
  ['a key with fewer scopes', keyOf, setKey({ scopes: ['technicians:read'] }), 'insufficient_scope'],
  ['a key of somebody who was demoted', keyOf, setOwner({ role: 'VIEWER' }), 'forbidden'],
  ['a key that acts for somebody who was demoted', actingKey, setOwner({ role: 'USER' }), 'forbidden'],
  ['a key that acts for somebody who is gone', actingKey, removeOwner, 'acting_user_not_allowed'],
  ['a user who was demoted', (msp) => tokenOf(msp, msp.owner), setOwner({ role: 'USER' }), 'forbidden'],
  ['a user who is gone', (msp) => tokenOf(msp, msp.owner), removeOwner, 'forbidden'],
]

const setUp = async () => {
  const msp = await world()
  await makeTechnician(msp, msp.admin.id, ADMIN)
  const [profile_id = 0] = await addTechnicians(msp, [{ psa_id: 99 }])
  return { msp, profile_id }
}

describeApi('an approved call of the API', (api) => {
  it.each(CASES)('that was asked for by %s', async (_name, askerOf, change, code) => {
    const { msp, profile_id } = await setUp()
    const asker = await askerOf(msp)
    const { error } = await api.call(asker, 'delete_technician', { profile_id })
    const til_request_id = String(error?.details.til_request_id)
    await change(msp, asker)
    const { status, data } = await api.call(msp.admin, 'approve_til_request', { til_request_id })
    expect([status, data.status, data.call_error?.code ?? null]).toEqual([200, 'APPROVED', code])
    const { data: technician } = await api.call(msp.admin, 'technician', { profile_id })
    expect(technician.deleted_at === null).toBe(code !== null)
    const deleted = (await activitiesOf(msp)).filter(({ action }) => action === 'technician.deleted')
    expect(deleted).toHaveLength(code === null ? 1 : 0)
  })

  it('that its asker may not make any more by a rule of its own is refused, too', async () => {
    const { msp } = await setUp()
    const asker = await tokenOf(msp, msp.owner)
    const args = { user_id: msp.viewer.id, input: { role: 'OWNER' } }
    const { error } = await api.call(asker, 'set_user_role', args)
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id }
    await prisma.tenantUser.updateMany({ where: { ...where, id: msp.admin.id }, data: { role: 'OWNER' } })
    await prisma.tenantUser.updateMany({ where: { ...where, id: msp.owner.id }, data: { role: 'ADMIN' } })
    const til_request_id = String(error?.details.til_request_id)
    const { data } = await api.call(msp.admin, 'approve_til_request', { til_request_id })
    expect(data.call_error).toMatchObject({ code: 'forbidden', details: { required_role: 'OWNER' } })
    const { data: user } = await api.call(msp.admin, 'tenant_user', { user_id: msp.viewer.id })
    expect(user.role).toBe('VIEWER')
  })

  it('of a tenant that is suspended meanwhile is approved by nobody until it is resumed', async () => {
    const { msp, profile_id } = await setUp()
    const { error } = await api.call(await keyOf(msp), 'delete_technician', { profile_id })
    const til_request_id = String(error?.details.til_request_id)
    const suspend = (suspended_at: Date | null) =>
      msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data: { suspended_at } })
    const approve = () => api.call(msp.admin, 'approve_til_request', { til_request_id })
    await suspend(new Date())
    expect(outcome(await approve())).toEqual([403, 'tenant_suspended'])
    await suspend(null)
    expect((await approve()).data).toMatchObject({ status: 'APPROVED', call_error: null })
  })
})
