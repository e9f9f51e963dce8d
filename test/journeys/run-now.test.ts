import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { describeApi } from '../setup/api.ts'
import type { Caller } from '../setup/world.ts'
import { journeyMsp, NOTE, READ, STATUS, SUPERVISED, storyOf, TICKET } from './story.ts'
import { expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

describeApi('the journey of an agent that is run now', (api) => {
  it('from its creation to the changed ticket and the figures that count it', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions: [READ, NOTE, STATUS] })
    expect(await story.run(agent_id, { dry_run: true })).toMatchObject({ execution_id: null, status: 'NEW' })
    const { execution_id, ...started } = await story.run(agent_id)
    expect(started).toEqual({ temporal_run_id: null, status: 'NEW', already_live: false, supervised: false })
    expect(await story.execution(execution_id)).toMatchObject({
      agent_id,
      agent_name: 'Desk hand',
      status: 'NEW',
      trigger: 'RUN_NOW',
      entity_id: TICKET,
      entity_number: 'T-4711',
      run_count: 0,
      started_at: null,
      finished_at: null,
      seconds_spent: 0,
    })
    await story.work()
    const notes = await story.notes()
    expect(notes).toMatchObject([{ text: 'We are on it.', is_internal: false, author_name: 'Desk hand' }])
    expect(await story.ticket()).toMatchObject({ status: 'In progress' })
    expect(await story.execution(execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      error: null,
      failure_kind: null,
      run_count: 1,
      credits_consumed: 3,
      hours_saved: 0.5,
      processed_sub_entity_ids: [notes[0]?.note_id],
    })
    expect((await story.timeline(execution_id)).map(({ kind }: { kind: string }) => kind)).toEqual([
      'STATUS_CHANGED',
      'TOOL_CALL',
      'TOOL_CALL',
      'TOOL_CALL',
      'STATUS_CHANGED',
    ])
    const [run] = await story.runs(execution_id)
    const common = { agent_id, execution_id, temporal_run_id: run.temporal_run_id, outcome: 'SUCCEEDED' }
    const of_ticket = { entity_id: TICKET, entity_number: 'T-4711', supervised: false, til_request_id: null }
    expect(await story.calls(execution_id)).toMatchObject([
      { ...common, ...of_ticket, tool_name: 'ticket.read', access: 'READ', arguments: { ticket_id: TICKET } },
      { ...common, ...of_ticket, tool_name: 'ticket.add_note', access: 'WRITE' },
      { ...common, ...of_ticket, tool_name: 'ticket.set_status', access: 'WRITE' },
    ])
    expect(await story.done(msp.key, 'audit_log', { agent_id })).toHaveLength(3)
    await expectWholeTrail(story, msp, execution_id)
  })

  it('reaches the live execution at every point of its life, and a new one after its end', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions: [NOTE] })
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    const live = { execution_id, already_live: true, supervised: true }
    expect(await story.run(agent_id)).toEqual({ ...live, status: 'NEW', temporal_run_id: null })
    await story.work()
    const [run] = await story.runs(execution_id)
    expect(await story.run(agent_id)).toEqual({
      ...live,
      status: 'WAITING_FOR_APPROVAL',
      temporal_run_id: run.temporal_run_id,
    })
    const other = await story.run(agent_id, { entity_id: '4712' })
    expect(other).toMatchObject({ already_live: false, supervised: false })
    await story.approve(execution_id)
    const latest = (await story.runs(execution_id)).at(-1)
    expect(await story.run(agent_id)).toMatchObject({ ...live, temporal_run_id: latest.temporal_run_id })
    await story.approve(execution_id)
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    const next = await story.run(agent_id)
    expect(next).toMatchObject({ already_live: false, supervised: false, status: 'NEW' })
    expect(next.execution_id).not.toBe(execution_id)
    await story.work()
    expect(await story.notes()).toHaveLength(2)
    expect(await story.notes('4712')).toHaveLength(1)
    await expectWholeTrail(story, msp, execution_id)
    await expectWholeTrail(story, msp, next.execution_id)
  })

  it('is audited with the key that started it, beside the user for whom the key acts', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions: [NOTE] })
    const acting = await msp.newKey({ acting_user_id: msp.admin.id })
    const named = (user: Caller | null, key: Caller | null) => ({
      acting_user_id: user?.id ?? null,
      api_key_id: key?.id ?? null,
      api_key_name: key?.id ?? null,
    })
    const start = async (caller: Caller, input: object = {}) =>
      (await story.done(caller, 'run_agent_now', { agent_id, input: { entity_id: TICKET, ...input } }))
        .execution_id
    for (const [caller, expected] of [
      [acting, named(msp.admin, acting)],
      [msp.key, named(null, msp.key)],
      [msp.admin, named(msp.admin, null)],
    ] as const) {
      const execution_id = await start(caller)
      await story.work()
      expect(await story.calls(execution_id)).toMatchObject([{ outcome: 'SUCCEEDED', ...expected }])
    }
    const cancelled = await start(acting, SUPERVISED)
    await story.work()
    await story.approve(cancelled)
    await story.done(msp.key, 'cancel_execution', { execution_id: cancelled })
    const calls = await story.calls(cancelled)
    expect(calls.at(-1)).toMatchObject({ tool_name: 'ticket.add_note', outcome: 'SKIPPED' })
    for (const call of calls) expect(call).toMatchObject(named(msp.admin, acting))
  })
})
