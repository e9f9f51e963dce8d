import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { addChannels } from '../../setup/channels.ts'
import { addPolicies } from '../../setup/escalations.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { addEndpoints } from '../../setup/webhook-rows.ts'
import { world } from '../../setup/world.ts'

const INPUT = {
  name: 'Nights',
  triggers: ['EXECUTION_FAILED'],
  steps: [{ target_type: 'TECHNICIANS', target_ids: ['1'] }],
}

/** A tenant with one target of each kind. */
async function tenant() {
  const msp = await world()
  await addTechnicians(msp, [{ id: 1, psa_id: 1 }])
  await addSchedules(msp, [{ id: 1 }])
  await addAgents(msp, [{ id: 1 }, { id: 2, autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT' }])
  await addChannels(msp, [
    { id: 'chn_1', agent_id: 2 },
    { id: 'chn_2', agent_id: 2, audience: 'END_USERS' },
    { id: 'chn_3', agent_id: 2, status: 'UNINSTALLED' },
  ])
  await addEndpoints(msp, [{ id: 'whe_1' }])
  return msp
}

describeApi('escalation policies', (api) => {
  it('have defaults, and the first one is the default policy', async () => {
    const msp = await tenant()
    const first = await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })
    expect(first.data).toMatchObject({
      name: 'Nights',
      enabled: true,
      is_default: true,
      agent_ids: [],
      triggers: ['EXECUTION_FAILED'],
      stalled_minutes: null,
      stalled_statuses: [],
      steps: [{ wait_minutes: 0, target_type: 'TECHNICIANS', target_ids: ['1'], notify_via: ['INBOX'] }],
      ticket_change: null,
      respect_business_hours: false,
    })
    const second = await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })
    expect(second.data.is_default).toBe(false)
    const read = await api.call(msp.admin, 'escalation_policy', { policy_id: first.data.id })
    expect(read.data).toEqual(first.data)
  })

  it('keep every field, each target and agent once', async () => {
    const msp = await tenant()
    const input = {
      name: 'All of it',
      enabled: true,
      agent_ids: [2, 1, 2],
      triggers: ['TICKET_STALLED', 'AGENT_GAVE_UP', 'NEGATIVE_FEEDBACK', 'AGENT_GAVE_UP'],
      stalled_minutes: 15,
      stalled_statuses: ['New', 'New'],
      steps: [
        { wait_minutes: 0, target_type: 'SCHEDULE', target_ids: ['1', '1'], notify_via: ['INBOX', 'EMAIL'] },
        { wait_minutes: 10, target_type: 'CHANNEL', target_ids: ['chn_1'] },
        { wait_minutes: 1440, target_type: 'WEBHOOK_ENDPOINT', target_ids: ['whe_1'], notify_via: [] },
      ],
      ticket_change: { status: 'Needs a person', remove_assignee: true },
      respect_business_hours: true,
    }
    const { data } = await api.call(msp.admin, 'create_escalation_policy', { input })
    expect(data).toMatchObject({
      ...input,
      agent_ids: [1, 2],
      triggers: ['TICKET_STALLED', 'AGENT_GAVE_UP', 'NEGATIVE_FEEDBACK'],
      stalled_statuses: ['New'],
      steps: [
        { ...input.steps[0], target_ids: ['1'] },
        { ...input.steps[1], notify_via: [] },
        input.steps[2],
      ],
      ticket_change: { status: 'Needs a person', queue: null, remove_assignee: true },
    })
    const { id: policy_id } = data
    const changed = await api.call(msp.admin, 'update_escalation_policy', {
      policy_id,
      input: { triggers: ['EXECUTION_FAILED'], ticket_change: null },
    })
    expect(changed.data).toMatchObject({
      name: 'All of it',
      triggers: ['EXECUTION_FAILED'],
      stalled_minutes: null,
      stalled_statuses: [],
      ticket_change: null,
      steps: data.steps,
    })
  })

  it.each([
    ['an agent that there is not', { agent_ids: [1, 99] }, ['agent_ids.1']],
    [
      'a technician who there is not',
      { steps: [{ target_type: 'TECHNICIANS', target_ids: ['1', '99', 'x'] }] },
      ['steps.0.target_ids.1', 'steps.0.target_ids.2'],
    ],
    [
      'a schedule that there is not',
      { steps: [{ target_type: 'SCHEDULE', target_ids: ['9'] }] },
      ['steps.0.target_ids.0'],
    ],
    [
      'channels that are for end users, or gone',
      { steps: [{ target_type: 'CHANNEL', target_ids: ['chn_1', 'chn_2', 'chn_3'] }] },
      ['steps.0.target_ids.1', 'steps.0.target_ids.2'],
    ],
    [
      'an endpoint that there is not',
      { steps: [{ target_type: 'WEBHOOK_ENDPOINT', target_ids: ['whe_9'] }] },
      ['steps.0.target_ids.0'],
    ],
    [
      'stalled tickets without a time and a status',
      { triggers: ['TICKET_STALLED'] },
      ['stalled_minutes', 'stalled_statuses'],
    ],
    ['a change of the ticket that changes nothing', { ticket_change: {} }, ['ticket_change']],
    ['no trigger', { triggers: [] }, ['triggers']],
    ['four steps', { steps: Array(4).fill(INPUT.steps[0]) }, ['steps']],
    [
      'a step without a target',
      { steps: [{ target_type: 'TECHNICIANS', target_ids: [] }] },
      ['steps.0.target_ids'],
    ],
    [
      'a wait of more than a day',
      { steps: [{ ...INPUT.steps[0], wait_minutes: 1441 }] },
      ['steps.0.wait_minutes'],
    ],
    [
      'mail to a channel',
      { steps: [{ target_type: 'CHANNEL', target_ids: ['chn_1'], notify_via: ['EMAIL'] }] },
      ['steps.0.notify_via'],
    ],
    [
      'an empty status',
      { triggers: ['TICKET_STALLED'], stalled_minutes: 60, stalled_statuses: [''] },
      ['stalled_statuses.0'],
    ],
    [
      '14 minutes',
      { triggers: ['TICKET_STALLED'], stalled_minutes: 14, stalled_statuses: ['New'] },
      ['stalled_minutes'],
    ],
  ] as const)('with %s are refused, and nothing is stored', async (_what, also, fields) => {
    const msp = await tenant()
    const answer = await api.call(msp.admin, 'create_escalation_policy', { input: { ...INPUT, ...also } })
    expect(answer.error).toMatchObject({ code: 'request_validation_failed' })
    expect(answer.error?.details.field_errors?.map(({ field }) => field)).toEqual(fields)
    expect((await api.call(msp.admin, 'escalation_policies')).data).toEqual([])
  })

  it('name targets of another tenant as little as targets that there are not', async () => {
    const [msp, other] = [await tenant(), await world()]
    await addTechnicians(other, [{ id: 77, psa_id: 77 }])
    const steps = [{ target_type: 'TECHNICIANS', target_ids: ['77'] }]
    const answer = await api.call(msp.admin, 'create_escalation_policy', { input: { ...INPUT, steps } })
    expect(answer.error?.details.field_errors).toMatchObject([{ code: 'unknown' }])
  })

  it('keep a technician who was deleted, and take no new one', async () => {
    const msp = await tenant()
    const { data } = await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })
    const { tenant_id, database } = msp
    await database.prisma.technicianProfile.updateMany({
      where: { tenant_id },
      data: { deleted_at: new Date() },
    })
    const call = { policy_id: data.id, input: { name: 'Days', steps: data.steps } }
    expect((await api.call(msp.admin, 'update_escalation_policy', call)).data.name).toBe('Days')
    const again = await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })
    expect(again.error?.code).toBe('request_validation_failed')
  })

  it('have exactly one default, which moves, stays enabled and is not deleted', async () => {
    const msp = await tenant()
    const create = (also = {}) =>
      api.call(msp.admin, 'create_escalation_policy', { input: { ...INPUT, ...also } })
    expect((await create({ enabled: false })).error?.code).toBe('default_policy_required')
    const first = (await create()).data
    const second = (await create({ is_default: true })).data
    const defaults = async () =>
      (await api.call(msp.admin, 'escalation_policies')).data
        .filter(({ is_default }: { is_default: boolean }) => is_default)
        .map(({ id }: { id: number }) => id)
    expect(await defaults()).toEqual([second.id])
    const update = (policy_id: number, input: object) =>
      api.call(msp.admin, 'update_escalation_policy', { policy_id, input })
    expect((await update(second.id, { is_default: false })).error?.code).toBe('default_policy_required')
    expect((await update(second.id, { enabled: false })).error?.code).toBe('default_policy_required')
    expect((await update(first.id, { is_default: true, enabled: false })).error?.code).toBe(
      'default_policy_required',
    )
    const remove = (policy_id: number) => api.call(msp.admin, 'delete_escalation_policy', { policy_id })
    expect((await remove(second.id)).error?.code).toBe('default_policy_required')
    expect((await update(first.id, { is_default: true })).data.is_default).toBe(true)
    expect(await defaults()).toEqual([first.id])
    expect((await remove(second.id)).data.id).toBe(second.id)
    expect(await defaults()).toEqual([first.id])
  })

  it('are at most 50', async () => {
    const msp = await tenant()
    await addPolicies(
      msp,
      Array.from({ length: 50 }, (_, index) => ({ id: index + 1, is_default: index === 0 })),
    )
    const answer = await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })
    expect(answer.error?.details.field_errors).toMatchObject([{ field: 'name', code: 'limit' }])
  })

  it('that mail technicians are stored with a warning while no mail server is configured', async () => {
    const msp = await tenant()
    const steps = [{ ...INPUT.steps[0], notify_via: ['EMAIL'] }]
    const mailing = await api.call(msp.admin, 'create_escalation_policy', { input: { ...INPUT, steps } })
    expect([mailing.status, mailing.warnings]).toEqual([200, ['email_not_configured: no step mails anybody']])
    const other = await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })
    expect(other.warnings).toEqual([])
  })

  it('are changed under their entity tag', async () => {
    const msp = await tenant()
    const { data } = await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })
    const other = (await api.call(msp.admin, 'create_escalation_policy', { input: INPUT })).data
    await api.call(msp.admin, 'update_escalation_policy', {
      policy_id: other.id,
      input: { is_default: true },
    })
    const before = await api.call(msp.admin, 'escalation_policy', { policy_id: data.id })
    // The policy lost its place as the default: that is a change of it, too.
    expect(before.data).toMatchObject({ is_default: false, revision: 2 })
  })
})
