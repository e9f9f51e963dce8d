/** What happens to a run while it waits for technicians. */
import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { connect } from '../setup/agent-bodies.ts'
import { describeApi, outcome } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { playModel } from '../setup/model.ts'
import { expireOverdue, journeyMsp, LEAD, NOTE, READ, STATUS, SUPERVISED, storyOf, TICKET } from './story.ts'
import { expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

describeApi('the journey of a run that waits, while', (api) => {
  async function waiting(input: object = SUPERVISED, actions: readonly object[] = [READ, NOTE, STATUS]) {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions })
    const { execution_id } = await story.run(agent_id, input)
    await story.work()
    return { msp, story, agent_id, execution_id }
  }

  it('its agent is changed and paused: the work goes on as it was planned', async () => {
    const { msp, story, agent_id, execution_id } = await waiting()
    const actions = [{ type: 'ticket.set_status', params: { status: 'Closed' } }]
    await story.done(msp.owner, 'update_agent', { agent_id, input: { actions, name: 'Closer' } })
    await story.done(msp.owner, 'pause_agent', { agent_id })
    for (const kind of ['PLAN', 'WRITE', 'WRITE'])
      expect(await story.approve(execution_id)).toMatchObject({ kind, status: 'APPROVED' })
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
    expect([(await story.notes()).length, (await story.ticket())?.status]).toEqual([1, 'In progress'])
    await expectWholeTrail(story, msp, execution_id)
  })

  it('its ticket goes: the approved write fails, and the execution says so', async () => {
    const { msp, story, execution_id } = await waiting()
    await story.approve(execution_id)
    await msp.database.prisma.psaTicket.deleteMany({ where: { tenant_id: msp.tenant_id, ticket_id: TICKET } })
    expect(await story.approve(execution_id)).toMatchObject({ kind: 'WRITE', status: 'APPROVED' })
    const execution = await story.execution(execution_id)
    expect(execution).toMatchObject({
      status: 'FAILED',
      resolution: 'NONE',
      failure_kind: 'AGENT',
      hours_saved: 0,
    })
    expect(execution.error).toEqual(expect.stringMatching(/not_found/))
    expect((await story.calls(execution_id)).at(-1)).toMatchObject({ outcome: 'FAILED' })
    await expectWholeTrail(story, msp, execution_id)
  })

  it('it is handed to another technician, who alone decides', async () => {
    const { msp, story, execution_id } = await waiting(SUPERVISED, [NOTE])
    const { id: til_request_id } = await story.open(execution_id)
    const input = { technician_ids: [LEAD], comment: 'Yours.' }
    await story.done(msp.admin, 'reassign_til_request', { til_request_id, input })
    const approve = (caller: typeof msp.user) =>
      api.call(caller, 'approve_til_request', { til_request_id, input: {} })
    // The USER saw the request as one of its technicians alone.
    expect(outcome(await approve(msp.user))).toEqual([404, 'til_request_not_found'])
    expect(outcome(await approve(msp.admin))).toEqual([200, undefined])
    const again = await approve(msp.admin)
    expect([...outcome(again), again.error?.details]).toMatchObject([
      409,
      'til_request_closed',
      { status: 'APPROVED', decided_by_name: expect.any(String) },
    ])
    expect(await story.work()).toBe(1)
    await story.approve(execution_id)
    expect(await story.notes()).toHaveLength(1)
    await expectWholeTrail(story, msp, execution_id)
  })

  it('its decision is delivered twice with one key: it counts once', async () => {
    const { msp, story, execution_id } = await waiting(SUPERVISED, [NOTE])
    const { id: til_request_id } = await story.open(execution_id)
    const approve = () =>
      api.call(
        msp.user,
        'approve_til_request',
        { til_request_id, input: {} },
        { 'idempotency-key': `approve-${til_request_id}` },
      )
    const [first, second] = [await approve(), await approve()]
    expect([first.status, second.status, second.data]).toEqual([200, 200, first.data])
    expect(await story.work()).toBe(1)
    expect(await story.runs(execution_id)).toHaveLength(2)
  })

  it('nobody supervises it, and then somebody does: from its next write on', async () => {
    const { msp, story, agent_id, execution_id } = await waiting({}, [NOTE])
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', supervised: false })
    const { execution_id: next } = await story.run(agent_id)
    const reached = await api.call(msp.key, 'run_agent_now', {
      agent_id,
      input: { entity_id: TICKET, ...SUPERVISED },
    })
    expect([reached.data, reached.warnings.length]).toMatchObject([
      { execution_id: next, already_live: true, supervised: true },
      1,
    ])
    await story.work()
    expect(await story.execution(next)).toMatchObject({ status: 'WAITING_FOR_APPROVAL', supervised: true })
    await story.approve(next)
    await story.approve(next)
    expect(await story.execution(next)).toMatchObject({ status: 'COMPLETED', supervised: true })
    await expectWholeTrail(story, msp, next)
  })

  it('nobody answers its question in time: the model is told, and goes on', async () => {
    const msp = await journeyMsp()
    await connect(msp, 'halo-psa')
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({
      autonomy_type: 'AGENTIC',
      toolbox: { tools: ['contact.read'] },
      integrations: { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] },
    })
    const model = await playModel([
      { calls: [{ tool: 'technician.ask', args: { question: 'Which Jane?' } }] },
      { calls: [{ tool: 'run.finish', args: { message: 'Nobody knows.', resolution: 'NONE' } }] },
    ])
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    await story.work()
    const { id: til_request_id, expires_at } = await story.open(execution_id)
    clock.turn(Date.parse(expires_at) - clock.now().getTime() + 1000)
    await expireOverdue()
    await story.work()
    expect(await story.done(msp.key, 'til_request', { til_request_id })).toMatchObject({ status: 'EXPIRED' })
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toMatch(/in time/)
    expect(await story.execution(execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'NONE',
      message_for_dashboard: 'Nobody knows.',
      run_count: 2,
    })
    await expectWholeTrail(story, msp, execution_id)
  })
})
