/** Every mutation through the API-request channel: which of them wait for an approval there. */
import { describe, expect, it, test } from 'vitest'
import type { Operation } from '../../../src/gateway/operation.ts'
import { boundsOf } from '../../../src/schema/bounds/bounds.ts'
import { apis, describeApi, outcome, published } from '../../setup/api.ts'
import { ENVIRONMENT, signToken } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addPsaTechnicians } from '../../setup/psa.ts'
import { requiredArguments } from '../../setup/samples.ts'
import type { ChannelWrite, Desk, WaitingWrite } from '../../setup/suites/area.ts'
import { linesToAdd, together } from '../../setup/suites/areas.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { channelKey } from '../../setup/til-requests.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { asked, deskWorld, USER } from './people.ts'

const WRITES = together(({ channel_writes }) => channel_writes)

const waiting = Object.entries(WRITES).flatMap(([name, write]): [string, WaitingWrite][] =>
  typeof write === 'string' ? [] : [[name, write]],
)

const stated = (write: ChannelWrite): string => (typeof write === 'string' ? write : `waits ${write.waits}`)

const { operations } = await published()
const mutations = operations.filter(({ kind }) => kind === 'mutation')

const tokenOf = async ({ tenant_id }: Msp, { id }: Caller): Promise<Caller> => {
  const claims = { sub: `sub_${id}`, tenant_id, environment: ENVIRONMENT, channel: 'api_request' }
  return { id, token: await signToken(claims) }
}

/** The treatment of the mutation by the code, as its line would state it. */
function declared({ approval, access }: Operation): string {
  if (approval?.can_be_turned_off) return 'waits unless the group TECHNICIANS requires none'
  if (approval) return 'waits for an approval'
  return access.kind === 'dashboard' && access.directly ? 'is refused' : 'runs at once'
}

function lineOf(operation: Operation): string {
  const is = declared(operation)
  const write = is.startsWith('waits ')
    ? `{ waits: '${is.slice('waits '.length)}', call: (desk) => ({ … }) }`
    : `'${is}'`
  return `${operation.name}: ${write},`
}

test('every area says what the channel does with its mutations', () => {
  const lines = mutations
    .filter(({ name }) => !(name in WRITES))
    .map((one) => ({ area: one.area.name, line: lineOf(one) }))
  expect(Object.keys(WRITES).sort(), linesToAdd('channel_writes', lines)).toEqual(
    mutations.map(({ name }) => name).sort(),
  )
  expect(Object.fromEntries(mutations.map((one) => [one.name, declared(one)]))).toEqual(
    Object.fromEntries(Object.entries(WRITES).map(([name, write]) => [name, stated(write)])),
  )
})

test('no mutation that REST gives its body through the context waits: the stored call would lack the body', () => {
  const through_context = mutations.filter(
    ({ ndjson, field }) => ndjson || field.args.some((arg) => boundsOf(arg).own_rules !== undefined),
  )
  expect(through_context.length).toBeGreaterThan(1)
  expect(through_context.filter(({ approval }) => approval)).toEqual([])
})

const SCHEDULE = {
  name: 'day',
  timezone: 'Europe/London',
  windows: [{ day: 'MONDAY', start_time: '09:00', end_time: '12:00' }],
}

/** A tenant with what the calls below change, and nothing that would refuse them. */
async function desk() {
  const msp = await deskWorld()
  await addPsaTechnicians(msp, [{ psa_id: 31, name: 'Ada' }])
  const [schedule_id = 0, unused_schedule_id = 0] = await addSchedules(msp, [
    { name: 'Day' },
    { name: 'Night' },
  ])
  const [profile_id = 0] = await addTechnicians(msp, [{ psa_id: 99 }])
  const question = { kind: 'QUESTION', question: 'Which?', allowed_decisions: ['ANSWER'], tool_name: null }
  await asked(msp)
  await asked(msp, { id: 'til_2', ...question } as never)
  const made: Desk = { msp, profile_id, schedule_id, unused_schedule_id }
  const calls = Object.fromEntries(waiting.map(([name, { call }]) => [name, call(made)]))
  return { msp, calls, profile_id }
}

describe.each(apis)('through the channel by $name', (api) => {
  it('what waits changes nothing but the request for it', async () => {
    const { msp, calls } = await desk()
    const [key, token] = [await channelKey(msp), await tokenOf(msp, msp.admin)]
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id, id: msp.admin.id }
    await prisma.tenantUser.updateMany({ where, data: { role: 'OWNER' } })
    expect(waiting.length).toBeGreaterThan(10)
    for (const [name, { by_key }] of waiting) {
      const byKey = outcome(await api.call(key, name, calls[name]))
      expect([name, byKey]).toEqual([name, by_key ? [403, by_key] : [409, 'approval_required']])
      const byUser = outcome(await api.call(token, name, calls[name]))
      expect([name, byUser]).toEqual([name, [409, 'approval_required']])
    }
    const actions = new Set((await activitiesOf(msp)).map(({ action }) => action))
    expect([...actions]).toEqual(['til_request.created'])
  })

  it('keys are not managed, and everything else asks nobody', async () => {
    const msp = await world()
    const token = await tokenOf(msp, msp.owner)
    for (const operation of mutations.filter(({ name }) => typeof WRITES[name] === 'string')) {
      const { error } = await api.call(token, operation.name, requiredArguments(operation))
      const refused = error?.code === 'dashboard_jwt_required'
      expect([operation.name, refused]).toEqual([operation.name, WRITES[operation.name] === 'is refused'])
      expect(error?.code).not.toBe('approval_required')
    }
  })
})

describeApi('a call through the channel', (api) => {
  it('that is refused by itself asks nobody', async () => {
    const { msp, calls, profile_id } = await desk()
    const key = await channelKey(msp)
    const refused = async (operation: string, args: object, headers = {}) =>
      outcome(await api.call(key, operation, args as never, headers))
    expect(await refused('update_technician', { profile_id: 0, input: {} })).toEqual([
      404,
      'technician_not_found',
    ])
    expect(await refused('create_technician_schedule', { input: SCHEDULE })).toEqual([
      409,
      'schedule_name_taken',
    ])
    expect(await refused('update_technician', calls.update_technician ?? {}, { 'if-match': '"7"' })).toEqual([
      409,
      'version_conflict',
    ])
    expect(await refused('create_technician', { input: { psa_id: 32 } })).toEqual([
      422,
      'request_validation_failed',
    ])
    const token = await tokenOf(msp, msp.admin)
    const args = { user_id: msp.admin.id, input: { technician_id: profile_id } }
    expect(outcome(await api.call(token, 'link_user_technician', args))).toEqual([403, 'forbidden'])
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('for something new leaves what was asked for before it', async () => {
    const { msp, calls } = await desk()
    const key = await channelKey(msp)
    await addPsaTechnicians(msp, [{ psa_id: 33, name: 'Grace' }])
    await api.call(key, 'create_technician', calls.create_technician as never)
    await api.call(key, 'create_technician', { input: { psa_id: 33 } })
    const where = { tenant_id: msp.tenant_id, kind: 'API_REQUEST' } as const
    const requests = await msp.database.prisma.tilRequest.findMany({ where })
    expect(requests.map(({ status }) => status)).toEqual(['PENDING', 'PENDING'])
  })

  it('cannot approve what the channel asked for: another person does, in their own name', async () => {
    const { msp, calls } = await desk()
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id, id: msp.user.id }
    await prisma.tenantUser.updateMany({ where, data: { role: 'ADMIN' } })
    const token = await tokenOf(msp, msp.admin)
    const ask = async (caller: Caller, operation: string, args: unknown) =>
      (await api.call(caller, operation, args as never)).error
    const wanted = await ask(token, 'delete_technician', calls.delete_technician)
    const til_request_id = String(wanted?.details.til_request_id)
    const own = await ask(token, 'approve_til_request', { til_request_id })
    expect(own?.code).toBe('self_approval_forbidden')
    const asked = await ask(await tokenOf(msp, msp.user), 'approve_til_request', { til_request_id })
    expect(asked?.code).toBe('approval_required')
    const approve = (caller: Caller, id: unknown) =>
      api.call(caller, 'approve_til_request', { til_request_id: String(id) })
    const byAsker = await approve(msp.admin, asked?.details.til_request_id)
    expect(byAsker.data.call_error).toMatchObject({ code: 'self_approval_forbidden' })
    const read = () => api.call(msp.key, 'til_request', { til_request_id })
    expect((await read()).data.status).toBe('PENDING')
    expect((await approve(msp.user, til_request_id)).data).toMatchObject({
      status: 'APPROVED',
      call_error: null,
      decided_by_name: `Technician ${USER}`,
    })
  })

  it('names other technicians once somebody has approved that', async () => {
    const { msp, calls } = await desk()
    const key = await channelKey(msp)
    const { error } = await api.call(key, 'reassign_til_request', calls.reassign_til_request as never)
    const { data } = await api.call(msp.admin, 'approve_til_request', {
      til_request_id: String(error?.details.til_request_id),
    })
    expect(data).toMatchObject({ status: 'APPROVED', call_error: null })
    const read = await api.call(msp.key, 'til_request', { til_request_id: 'til_1' })
    expect(read.data.technician_ids).toEqual([USER])
  })
})
