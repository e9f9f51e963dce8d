import { beforeAll, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { type Answer, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { useModel } from '../../setup/model.ts'
import { addRuns } from '../../setup/til-requests.ts'
import type { Caller } from '../../setup/world.ts'
import { technicians } from '../tenant/technicians.ts'
import { acting } from './people.ts'
import { executionsOf, installQueues, queued, run, runnableMsp } from './runnable.ts'

beforeAll(installQueues)

const problems = ({ error }: Answer) => error?.details.field_errors?.map(({ field, code }) => [field, code])

describeApi('running an agent now', (api) => {
  it('stores an execution that is NEW, its job and one activity', async () => {
    const msp = await runnableMsp()
    const answer = await run(api, msp.key, 1, { additional_custom_instructions: ' Answer in French. ' })
    const [execution] = await executionsOf(msp)
    expect([answer.status, answer.data, answer.warnings]).toEqual([
      200,
      {
        execution_id: execution?.execution_id,
        temporal_run_id: null,
        status: 'NEW',
        already_live: false,
        supervised: false,
      },
      [],
    ])
    expect(execution).toMatchObject({
      agent_id: 1,
      trigger: 'RUN_NOW',
      status: 'NEW',
      resolution: 'NONE',
      run_count: 0,
      entity_type: 'TICKET',
      entity_id: '4711',
      entity_number: 'T-4711',
      supervised: false,
      supervisor_technician_ids: [],
      additional_custom_instructions: 'Answer in French.',
      started_at: null,
      finished_at: null,
    })
    expect(await queued(msp)).toEqual([execution?.execution_id])
    const [entry, ...others] = await activitiesOf(msp)
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      action: 'execution.started',
      targets: [
        { type: 'execution', id: execution?.execution_id },
        { type: 'agent', id: '1', name: 'Agent 1' },
      ],
      after: { entity_id: '4711' },
    })
    const read = await api.call(msp.key, 'execution', { execution_id: answer.data.execution_id })
    expect(read.data).toMatchObject({ agent_name: 'Agent 1', trigger: 'RUN_NOW', status: 'NEW' })
    expect((await api.call(msp.key, 'agent', { agent_id: 1 })).data.last_run_at).toBe(read.data.created_at)
  })

  it('works without a body for an agent that works on nothing, as often as it is asked for', async () => {
    const msp = await runnableMsp()
    const ids = new Set<string>()
    for (let time = 0; time < 2; time++) {
      const { status, data } = await api.call(msp.key, 'run_agent_now', { agent_id: 2 })
      expect([status, data.already_live]).toEqual([200, false])
      ids.add(data.execution_id)
    }
    expect(ids.size).toBe(2)
    const named = await run(api, msp.key, 2)
    expect(named.warnings).toEqual(['ignored_field: entity_id'])
    expect((await executionsOf(msp)).map(({ entity_id, entity_type }) => [entity_id, entity_type])).toEqual(
      Array(3).fill([null, 'NONE']),
    )
  })

  it.each([
    ['agent_not_active', 409, { state: 'DRAFT' }],
    ['agent_not_active', 409, { state: 'PAUSED', autonomy_type: 'CONVERSATIONAL' }],
    ['agent_not_active', 409, { state: 'ARCHIVED' }],
    [
      'agent_is_conversational',
      409,
      { autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT', entity_type: 'NONE' },
    ],
    ['entity_required', 422, {}],
    ['entity_required', 422, { entity_type: 'TIME_ENTRY' }],
  ] as const)('is refused with %s, %i, of an agent with %j', async (code, status, agent) => {
    const msp = await runnableMsp()
    await addAgents(msp, [{ id: 9, ...agent }])
    for (const input of [{}, { dry_run: true }]) {
      const refused = await api.call(msp.key, 'run_agent_now', { agent_id: 9, input })
      expect(outcome(refused)).toEqual([status, code])
      if (status === 409)
        expect(refused.error?.details.current_state).toBe('state' in agent ? agent.state : 'ACTIVE')
      else expect(problems(refused)).toEqual([['entity_id', 'required']])
    }
    expect([await executionsOf(msp), await activitiesOf(msp), await queued(msp)]).toEqual([[], [], []])
  })

  it('is refused if the agent needs a model and there is none: nothing changes', async () => {
    const msp = await runnableMsp()
    await useModel(null)
    const live = { execution_id: 'live', agent_id: 1, entity_id: '4712', status: 'RUNNING' } as const
    await addExecutions(msp, [live])
    for (const input of [{}, { dry_run: true }, { entity_id: '4712', supervised_run: true }])
      expect(outcome(await run(api, msp.key, 1, input))).toEqual([409, 'model_not_configured'])
    expect(await activitiesOf(msp)).toEqual([])
    expect(await executionsOf(msp)).toMatchObject([{ ...live, supervised: false }])
    const actions = { actions: [{ type: 'ticket.read', params: {} }] }
    await addAgents(msp, [{ id: 9, autonomy_type: 'CHAINED_ACTIONS', ...actions }])
    expect(outcome(await run(api, msp.key, 9))).toEqual([200, undefined])
  })

  it('is refused for what the PSA does not have, and for technicians whom the tenant does not have', async () => {
    const msp = await runnableMsp()
    const [known] = await technicians(msp, 1)
    const [foreign] = await technicians(await runnableMsp(), 1)
    for (const id of [1, 3]) {
      const unknown = await run(api, msp.key, id, { entity_id: 'nothing' })
      expect([...outcome(unknown), problems(unknown)]).toEqual([
        422,
        'request_validation_failed',
        [['entity_id', 'unknown']],
      ])
    }
    const ids = [known, foreign, 2_000_000_000]
    const refused = await run(api, msp.key, 1, { supervised_run: true, supervisor_technician_ids: ids })
    expect(problems(refused)).toEqual([
      ['supervisor_technician_ids.1', 'unknown'],
      ['supervisor_technician_ids.2', 'unknown'],
    ])
    expect(await executionsOf(msp)).toEqual([])
  })

  it.each([
    ['subscription_inactive', { status: 'PAUSED' }],
    ['credits_exhausted', { credits_included: 0, overage_allowed: false }],
  ] as const)(
    'is refused with %s of a tenant whose subscription is %j, but reaches what is live',
    async (code, is) => {
      const msp = await runnableMsp()
      const { tenant_id, environment } = msp
      const first_period_start = new Date('2026-01-01T00:00:00Z')
      const subscription = { ...is, first_period_start, updated_at: first_period_start }
      await msp.database.prisma.subscription.upsert({
        where: { tenant_id_environment: { tenant_id, environment } },
        create: { tenant_id, environment, ...subscription },
        update: subscription,
      })
      for (const dry_run of [true, false])
        expect(outcome(await run(api, msp.key, 1, { dry_run }))).toEqual([409, code])
      expect([await executionsOf(msp), await activitiesOf(msp), await queued(msp)]).toEqual([[], [], []])
      await addExecutions(msp, [{ execution_id: 'live', agent_id: 1, entity_id: '4711', status: 'RUNNING' }])
      expect((await run(api, msp.key, 1)).data.execution_id).toBe('live')
    },
  )

  it('that is a dry run makes the same checks, and stores nothing', async () => {
    const msp = await runnableMsp()
    const dry = await run(api, msp.key, 1, { dry_run: true, supervised_run: true })
    expect([dry.status, dry.data]).toEqual([
      200,
      { execution_id: null, temporal_run_id: null, status: 'NEW', already_live: false, supervised: true },
    ])
    expect([await executionsOf(msp), await activitiesOf(msp), await queued(msp)]).toEqual([[], [], []])
    const unknown = await run(api, msp.key, 1, { dry_run: true, entity_id: 'nothing' })
    expect(unknown.status).toBe(422)
  })

  it.each(['NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT'] as const)(
    'reaches the execution that is %s on the ticket, whatever started it',
    async (status) => {
      const msp = await runnableMsp()
      await addExecutions(msp, [{ execution_id: 'live', agent_id: 1, entity_id: '4711', status }])
      await addRuns(msp, [
        { execution_id: 'live', sequence: 2, temporal_run_id: 'second' },
        { execution_id: 'live', sequence: 1 },
      ])
      const input = {
        additional_custom_instructions: 'Be quick.',
        supervisor_technician_ids: await technicians(msp, 1),
      }
      const { data, warnings } = await run(api, msp.key, 1, input)
      expect(data).toEqual({
        execution_id: 'live',
        temporal_run_id: 'second',
        status,
        already_live: true,
        supervised: false,
      })
      expect(warnings).toEqual([
        'ignored_field: additional_custom_instructions',
        'ignored_field: supervisor_technician_ids',
      ])
      expect([(await executionsOf(msp)).length, await activitiesOf(msp), await queued(msp)]).toEqual([
        1,
        [],
        [],
      ])
    },
  )

  it.each(['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED'] as const)(
    'starts another one if the last is %s, and if another agent or ticket has a live one',
    async (status) => {
      const msp = await runnableMsp()
      await addExecutions(msp, [
        { execution_id: 'ended', agent_id: 1, entity_id: '4711', status },
        { execution_id: 'of another', agent_id: 5, entity_id: '4711', status: 'RUNNING' },
        { execution_id: 'on another', agent_id: 1, entity_id: '4712', status: 'RUNNING' },
      ])
      const { data } = await run(api, msp.key, 1)
      expect([data.already_live, data.status]).toEqual([false, 'NEW'])
      const again = await run(api, msp.key, 1)
      expect(again.data).toEqual({ ...data, already_live: true })
    },
  )

  it('switches the supervision of a live execution on, once, and warns', async () => {
    const msp = await runnableMsp()
    await addExecutions(msp, [{ execution_id: 'live', agent_id: 1, entity_id: '4711', status: 'RUNNING' }])
    await addRuns(msp, [
      { execution_id: 'live', sequence: 1, ended_at: clock.now() },
      { execution_id: 'live', sequence: 2 },
    ])
    const supervisor_technician_ids = await technicians(msp, 2)
    const before = (await executionsOf(msp))[0]
    const dry = await run(api, msp.key, 1, { supervised_run: true, dry_run: true })
    expect([dry.data.supervised, dry.data.execution_id, dry.warnings]).toEqual([true, 'live', []])
    expect(await executionsOf(msp)).toEqual([before])
    clock.advance(1000)
    const switched = await run(api, msp.key, 1, { supervised_run: true, supervisor_technician_ids })
    expect(switched.data).toMatchObject({ execution_id: 'live', already_live: true, supervised: true })
    expect(switched.warnings).toEqual(['supervision_switched_on: live'])
    const [live] = await executionsOf(msp)
    expect(live).toMatchObject({ supervised: true, supervisor_technician_ids, status: 'RUNNING' })
    expect((live?.updated_at ?? 0) > (before?.updated_at ?? 0)).toBe(true)
    const where = { tenant_id: msp.tenant_id }
    const runs = await msp.database.prisma.executionRun.findMany({ where, orderBy: { sequence: 'asc' } })
    expect(runs.map(({ supervised }) => supervised)).toEqual([false, true])
    const again = await run(api, msp.key, 1, { supervised_run: true })
    expect([again.data.supervised, again.warnings]).toEqual([true, []])
    expect((await activitiesOf(msp)).map(({ action }) => action)).toEqual(['execution.supervised'])
  })

  it('of a supervised agent is supervised by the technicians whom the agent names', async () => {
    const msp = await runnableMsp()
    const [one, other] = await technicians(msp, 2)
    const supervised = { supervised: true, supervisor_technician_ids: [one ?? 0] }
    await addAgents(msp, [{ id: 9, ...supervised }])
    const input = { supervised_run: false, supervisor_technician_ids: [other] }
    const { data, warnings } = await run(api, msp.key, 9, input)
    expect([data.supervised, warnings]).toEqual([true, ['ignored_field: supervisor_technician_ids']])
    expect((await executionsOf(msp))[0]).toMatchObject(supervised)
  })

  it('is for who sees the agent and may run agents', async () => {
    const msp = await runnableMsp()
    const cases: [Caller, number[]][] = [
      [msp.owner, [200, 200, 200]],
      [msp.admin, [200, 200, 200]],
      [msp.key, [200, 200, 200]],
      [msp.user, [404, 200, 200]],
      [await acting(msp, msp.user), [404, 200, 200]],
      [msp.viewer, [403, 403, 403]],
      [await msp.newKey({ scopes: ['agents:write', 'agents:read'] }), [403, 403, 403]],
    ]
    for (const [caller, expected] of cases) {
      const statuses = []
      for (const id of [1, 4, 5]) statuses.push((await run(api, caller, id, { dry_run: true })).status)
      expect(statuses).toEqual(expected)
    }
    const [hidden, missing] = [await run(api, msp.user, 1), await run(api, msp.user, 100)]
    expect([outcome(hidden), hidden.error?.message]).toEqual([outcome(missing), missing.error?.message])
  })

  it('starts one execution for an Idempotency-Key', async () => {
    const msp = await runnableMsp()
    const input = { agent_id: 2, input: {} }
    const headers = { 'idempotency-key': 'once' }
    const first = await api.call(msp.key, 'run_agent_now', input, headers)
    const again = await api.call(msp.key, 'run_agent_now', input, headers)
    expect(again.data).toEqual(first.data)
    expect([(await executionsOf(msp)).length, (await queued(msp)).length]).toEqual([1, 1])
  })

  it.each([
    [{ entity_id: '' }, 'entity_id', 'length'],
    [{ entity_id: 'x'.repeat(201) }, 'entity_id', 'length'],
    [{ entity_id: 'a\u0000' }, 'entity_id', 'characters'],
    [{ entity_id: 4711 }, 'entity_id', 'type'],
    [{ supervised_run: 'yes' }, 'supervised_run', 'type'],
    [{ supervisor_technician_ids: [] }, 'supervisor_technician_ids', 'length'],
    [{ supervisor_technician_ids: [2_147_483_648] }, 'supervisor_technician_ids.0', 'range'],
    [{ additional_custom_instructions: 'x'.repeat(4001) }, 'additional_custom_instructions', 'length'],
    [{ dry_run: null }, 'dry_run', 'null'],
  ])('refuses %j', async (input, field, code) => {
    const msp = await runnableMsp()
    const refused = await run(api, msp.key, 1, input)
    expect([refused.status, problems(refused)]).toEqual([422, [[field, code]]])
    expect(await executionsOf(msp)).toEqual([])
  })
})
