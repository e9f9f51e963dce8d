/** Every mutation through the API-request channel: which of them wait for an approval there. */
import { describe, expect, it, test } from 'vitest'
import { boundsOf } from '../../../src/schema/bounds/bounds.ts'
import { apis, describeApi, outcome, published } from '../../setup/api.ts'
import { ENVIRONMENT, signToken } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addPsaTechnicians } from '../../setup/psa.ts'
import { requiredArguments } from '../../setup/samples.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { channelKey } from '../../setup/til-requests.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { asked, deskWorld, USER } from './people.ts'

const ASK = 'waits for an approval'
const MAY_ASK = 'waits for an approval, unless the group TECHNICIANS requires none'
const REFUSED = 'is refused'
const RUN = 'runs at once'

const each = <Is extends string>(is: Is, names: string): Record<string, Is> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, is]),
  )

/** A new mutation has its line here. Whatever the channel could switch its approvals off by waits for one. */
const MUTATIONS: Record<string, string> = {
  ...each(ASK, 'create_technician update_technician delete_technician'),
  ...each(ASK, 'create_technician_schedule delete_technician_schedule assign_schedule_technicians'),
  ...each(MAY_ASK, 'replace_technician_schedule'),
  ...each(ASK, 'update_permission_group set_user_role link_user_technician'),
  ...each(ASK, 'approve_til_request reject_til_request answer_til_request reassign_til_request'),
  ...each(REFUSED, 'create_api_key update_api_key rotate_api_key revoke_api_key'),
  ...each(REFUSED, 'connect_integration disconnect_integration test_integration'),
  ...each(
    RUN,
    `create_agent replace_agent update_agent validate_agent activate_agent pause_agent archive_agent run_agent_now
     set_agent_shares restore_agent_revision cancel_execution retry_execution create_scheduled_work reschedule_work
     cancel_scheduled_work update_settings update_billing_alerts map_company_link confirm_company_links
     map_workplace_tenant unmap_workplace_tenant replace_company_filters remove_unmatched_companies
     request_integration create_channel update_channel pause_channel resume_channel test_channel delete_channel
     post_channel_message create_memory update_memory pin_memory unpin_memory confirm_memory delete_memory
     restore_memory reprocess_callback test_callback_match sync_integration cancel_integration_sync
     put_integration_customers`,
  ),
}

const { operations } = await published()
const mutations = operations.filter(({ kind }) => kind === 'mutation')

const tokenOf = async ({ tenant_id }: Msp, { id }: Caller): Promise<Caller> => {
  const claims = { sub: `sub_${id}`, tenant_id, environment: ENVIRONMENT, channel: 'api_request' }
  return { id, token: await signToken(claims) }
}

test('every mutation says here what the channel does with it', () => {
  expect(mutations.map(({ name }) => name).sort()).toEqual(Object.keys(MUTATIONS).sort())
  const declared = mutations.map(({ name, approval, access }) => {
    if (approval) return [name, approval.can_be_turned_off ? MAY_ASK : ASK]
    return [name, access.kind === 'dashboard' && access.directly ? REFUSED : RUN]
  })
  expect(Object.fromEntries(declared)).toEqual(MUTATIONS)
})

test('no mutation that REST gives its body through the context waits: the stored call would lack the body', () => {
  const through_context = mutations.filter(
    ({ ndjson, field }) => ndjson || field.args.some((arg) => boundsOf(arg).own_rules !== undefined),
  )
  expect(through_context.length).toBeGreaterThan(1)
  expect(through_context.filter(({ approval }) => approval)).toEqual([])
})

const SCHEDULE = {
  name: 'Short',
  timezone: 'Europe/London',
  windows: [{ day: 'MONDAY', start_time: '09:00', end_time: '12:00' }],
}

/** A tenant with what the calls below change, and nothing that would refuse them. */
async function desk() {
  const msp = await deskWorld()
  await addPsaTechnicians(msp, [{ psa_id: 31, name: 'Ada' }])
  const [schedule_id = 0, unused = 0] = await addSchedules(msp, [{ name: 'Day' }, { name: 'Night' }])
  const [profile_id = 0] = await addTechnicians(msp, [{ psa_id: 99 }])
  const question = { kind: 'QUESTION', question: 'Which?', allowed_decisions: ['ANSWER'], tool_name: null }
  await asked(msp)
  await asked(msp, { id: 'til_2', ...question } as never)
  const calls: Record<string, object> = {
    create_technician: { input: { psa_id: 31 } },
    update_technician: { profile_id, input: { skills: ['VPN'] } },
    delete_technician: { profile_id },
    create_technician_schedule: { input: SCHEDULE },
    replace_technician_schedule: { schedule_id, input: SCHEDULE },
    delete_technician_schedule: { schedule_id: unused },
    assign_schedule_technicians: { schedule_id, input: { technician_ids: [profile_id] } },
    update_permission_group: { name: 'TECHNICIANS', input: { requires_approval: false } },
    set_user_role: { user_id: msp.viewer.id, input: { role: 'OWNER' } },
    link_user_technician: { user_id: msp.viewer.id, input: { technician_id: profile_id } },
    approve_til_request: { til_request_id: 'til_1' },
    reject_til_request: { til_request_id: 'til_1', input: { comment: 'No.' } },
    answer_til_request: { til_request_id: 'til_2', input: { answer: 'Jane' } },
    reassign_til_request: { til_request_id: 'til_1', input: { technician_ids: [USER] } },
  }
  return { msp, calls, profile_id }
}

const DECISIONS = ['approve_til_request', 'reject_til_request', 'answer_til_request']
const OF_THE_DASHBOARD = ['set_user_role', 'link_user_technician']

describe.each(apis)('through the channel by $name', (api) => {
  it('what waits changes nothing but the request for it', async () => {
    const { msp, calls } = await desk()
    const [key, token] = [await channelKey(msp), await tokenOf(msp, msp.admin)]
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id, id: msp.admin.id }
    await prisma.tenantUser.updateMany({ where, data: { role: 'OWNER' } })
    const waiting = Object.keys(MUTATIONS).filter((name) => [ASK, MAY_ASK].includes(MUTATIONS[name] ?? ''))
    expect(Object.keys(calls).sort()).toEqual(waiting.sort())
    for (const [name, args] of Object.entries(calls)) {
      const byKey = outcome(await api.call(key, name, args as never))
      const refusal = DECISIONS.includes(name) && 'acting_user_required'
      const notByKeys = OF_THE_DASHBOARD.includes(name) && 'dashboard_jwt_required'
      const expected = refusal || notByKeys ? [403, refusal || notByKeys] : [409, 'approval_required']
      expect([name, byKey]).toEqual([name, expected])
      expect([name, outcome(await api.call(token, name, args as never))]).toEqual([
        name,
        [409, 'approval_required'],
      ])
    }
    const actions = new Set((await activitiesOf(msp)).map(({ action }) => action))
    expect([...actions]).toEqual(['til_request.created'])
  })

  it('keys are not managed, and everything else asks nobody', async () => {
    const msp = await world()
    const token = await tokenOf(msp, msp.owner)
    for (const operation of mutations.filter(({ name }) => [RUN, REFUSED].includes(MUTATIONS[name] ?? ''))) {
      const { error } = await api.call(token, operation.name, requiredArguments(operation))
      const refused = error?.code === 'dashboard_jwt_required'
      expect([operation.name, refused]).toEqual([operation.name, MUTATIONS[operation.name] === REFUSED])
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
    expect(await refused('create_technician_schedule', { input: { ...SCHEDULE, name: 'day' } })).toEqual([
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
