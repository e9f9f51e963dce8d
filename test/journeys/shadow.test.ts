import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { describeApi, outcome } from '../setup/api.ts'
import { journeyMsp, LEAD, NOTE, READ, STATUS, storyOf } from './story.ts'
import { expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

describeApi('the journey of an agent in shadow mode', (api) => {
  it('writes nothing, records what it would have asked, and writes once it is enforced', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const settings = { supervised: true, supervisor_technician_ids: [LEAD], estimated_minutes_saved: 30 }
    const agent_id = await story.createAgent({
      actions: [READ, NOTE, STATUS],
      agent_settings: { ...settings, supervision_mode: 'SHADOW' },
    })
    const { execution_id } = await story.run(agent_id)
    await story.work()
    const execution = await story.execution(execution_id)
    expect(execution).toMatchObject({
      status: 'COMPLETED',
      resolution: 'NONE',
      run_count: 1,
      pending_til_request_count: 0,
      hours_saved: 0,
      credits_consumed: 1,
      supervised: true,
      processed_sub_entity_ids: [],
    })
    const requests = await story.requests(execution_id)
    expect(
      requests.map(({ kind, status }: Record<string, string>) => `${kind} ${status}`).toSorted(),
    ).toEqual(['PLAN SHADOWED', 'WRITE SHADOWED', 'WRITE SHADOWED'])
    for (const { id: til_request_id } of requests) {
      const late = await api.call(msp.admin, 'approve_til_request', { til_request_id, input: {} })
      expect(outcome(late)).toEqual([409, 'til_request_closed'])
    }
    expect(await story.calls(execution_id)).toMatchObject([
      { tool_name: 'ticket.read', outcome: 'SUCCEEDED' },
      { tool_name: 'ticket.add_note', outcome: 'SKIPPED', til_request_id: expect.any(String) },
      { tool_name: 'ticket.set_status', outcome: 'SKIPPED', til_request_id: expect.any(String) },
    ])
    expect([await story.notes(), (await story.ticket())?.status]).toEqual([[], 'New'])
    await expectWholeTrail(story, msp, execution_id)

    const agent_settings = { ...settings, supervision_mode: 'ENFORCED' }
    await story.done(msp.owner, 'update_agent', { agent_id, input: { agent_settings } })
    const enforced = (await story.run(agent_id)).execution_id
    await story.work()
    for (const kind of ['PLAN', 'WRITE', 'WRITE']) {
      const { id: til_request_id, ...request } = await story.open(enforced)
      expect(request.kind).toBe(kind)
      await story.done(msp.admin, 'approve_til_request', { til_request_id, input: {} })
      await story.work()
    }
    expect(await story.execution(enforced)).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
    expect(await story.notes()).toHaveLength(1)
    await expectWholeTrail(story, msp, enforced)
  })
})
