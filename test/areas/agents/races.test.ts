/** Changes of one agent, twenty at once, on PostgreSQL: an embedded database does one thing after another. */
import { beforeAll, describe, expect, it } from 'vitest'
import { addAgents, addExecutions, addRevisions } from '../../setup/agents.ts'
import { apis } from '../../setup/api.ts'
import { counted, TIMES, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { world } from '../../setup/world.ts'
import { revisionsOf } from './people.ts'
import { executionsOf, installQueues, queued, run, runnableMsp } from './runnable.ts'

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('one activation is recorded', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, state: 'DRAFT' }])
    const answers = await times(() => api.call(msp.owner, 'activate_agent', { agent_id: 1 }))
    expect(counted(answers)).toEqual({ 200: TIMES })
    expect(new Set(answers.map(({ etag }) => etag)).size).toBe(1)
    expect((await activitiesOf(msp)).map(({ action }) => action)).toEqual(['agent.activated'])
  })

  it('an agent that is archived stays so, whatever else is asked of it', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const operations = ['activate_agent', 'pause_agent', 'archive_agent']
    const answers = await times((index) => api.call(msp.owner, operations[index % 3] ?? '', { agent_id: 1 }))
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
    const { data } = await api.call(msp.owner, 'agent', { agent_id: 1 })
    const recorded = await activitiesOf(msp)
    expect([data.state, data.revision]).toEqual(['ARCHIVED', recorded.length + 1])
    expect(recorded.filter(({ action }) => action === 'agent.archived')).toHaveLength(1)
  })

  it('one change with the tag that all have read', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const { etag } = await api.call(msp.owner, 'agent', { agent_id: 1 })
    const headers = { 'if-match': etag ?? '' }
    const answers = await times((index) =>
      index % 2
        ? api.call(msp.owner, 'pause_agent', { agent_id: 1 }, headers)
        : api.call(
            msp.owner,
            'set_agent_shares',
            { agent_id: 1, input: { shares: [{ user_id: msp.user.id }] } },
            headers,
          ),
    )
    expect(counted(answers)).toEqual({ 200: 1, version_conflict: TIMES - 1 })
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('shares are those of one call, never a mixture', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const people = [
      [{ user_id: msp.user.id, can_edit: true }],
      [
        { user_id: msp.viewer.id, can_edit: false },
        { user_id: msp.admin.id, can_edit: true },
      ],
    ]
    const answers = await times((index) =>
      api.call(msp.owner, 'set_agent_shares', { agent_id: 1, input: { shares: people[index % 2] } }),
    )
    expect(counted(answers)).toEqual({ 200: TIMES })
    const { data } = await api.call(msp.owner, 'agent_shares', { agent_id: 1 })
    expect([1, 2]).toContain(data.shares.length)
    const latest = answers.find((answer) => answer.data.revision === data.revision)
    expect(latest?.data).toEqual(data)
    expect(await activitiesOf(msp)).toHaveLength(data.revision - 1)
  })

  it('a revision is restored once, and each change of the configuration has a revision of its own', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, name: 'Now' }])
    await addRevisions(msp, 1, [
      { revision: 1, snapshot: { name: 'One' } },
      { revision: 2, snapshot: { name: 'Two' } },
    ])
    await msp.database.prisma.agent.updateMany({ where: { tenant_id: msp.tenant_id }, data: { revision: 2 } })
    const answers = await times((index) =>
      api.call(msp.owner, 'restore_agent_revision', { agent_id: 1, revision: 1 + (index % 2) }),
    )
    expect(counted(answers)).toEqual({ 200: TIMES })
    const { data } = await api.call(msp.owner, 'agent', { agent_id: 1 })
    const revisions = await revisionsOf(msp, 1)
    expect(revisions.map(({ revision }) => revision)).toEqual(
      Array.from({ length: data.revision }, (_, index) => index + 1),
    )
    const latest = revisions.at(-1)
    expect(latest?.snapshot ?? latest?.difference).toMatchObject({ name: data.name })
    expect(await activitiesOf(msp)).toHaveLength(data.revision - 2)
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} runs at once through $name:`, (api) => {
  beforeAll(installQueues)

  it('one execution is live on a ticket, and everybody gets it', async () => {
    const msp = await runnableMsp()
    const answers = await times(() => run(api, msp.owner, 1))
    expect(counted(answers)).toEqual({ 200: TIMES })
    expect(answers.filter(({ data }) => !data.already_live)).toHaveLength(1)
    const [execution, ...others] = await executionsOf(msp)
    expect(others).toEqual([])
    expect(new Set(answers.map(({ data }) => data.execution_id))).toEqual(new Set([execution?.execution_id]))
    expect(await queued(msp)).toEqual([execution?.execution_id])
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('supervision is switched on once', async () => {
    const msp = await runnableMsp()
    await addExecutions(msp, [{ execution_id: 'live', agent_id: 1, entity_id: '4711', status: 'RUNNING' }])
    const answers = await times((index) => run(api, msp.owner, 1, { supervised_run: index % 2 === 0 }))
    expect(counted(answers)).toEqual({ 200: TIMES })
    const warned = answers.filter(({ warnings }) => warnings.length > 0)
    expect(warned.map(({ warnings }) => warnings)).toEqual([['supervision_switched_on: live']])
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('none starts once the agent is archived', async () => {
    const msp = await runnableMsp()
    const answers = await times((index) =>
      index === 10
        ? api.call(msp.owner, 'archive_agent', { agent_id: 2 })
        : api.call(msp.owner, 'run_agent_now', { agent_id: 2 }),
    )
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
    const started = answers.filter(({ data }) => data?.execution_id).length
    expect(await executionsOf(msp)).toHaveLength(started)
    expect((await api.call(msp.owner, 'run_agent_now', { agent_id: 2 })).status).toBe(409)
  })
})
