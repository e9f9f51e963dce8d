import { expect, it } from 'vitest'
import { VALID } from '../../setup/agent-bodies.ts'
import { describeApi } from '../../setup/api.ts'
import { entitiesSeen, raised, typesRaised } from '../../setup/raised.ts'
import { world } from '../../setup/world.ts'
import { agentsOfPeople } from './people.ts'

const { AGENTIC } = VALID

describeApi('the events of agents', (api) => {
  it('tell of a new agent by the id that the database gave it, and of each change of it', async () => {
    const msp = await world()
    const { data } = await api.call(msp.admin, 'create_agent', { input: AGENTIC })
    const agent_id = data.id
    const input = { name: 'Sorter', description: null, entity_type: 'TICKET' }
    await api.call(msp.admin, 'update_agent', { agent_id, input })
    await api.call(msp.admin, 'restore_agent_revision', { agent_id, revision: 1 })
    for (const verb of ['activate', 'pause', 'archive'])
      await api.call(msp.admin, `${verb}_agent`, { agent_id })
    const event = (verb: string, name: string, state: string, changed_fields: string[]) => ({
      type: `agent.${verb}`,
      entity_id: String(agent_id),
      agent_id,
      data: { agent_id, name, state, changed_fields },
    })
    expect(await raised(msp)).toEqual([
      event('created', 'Triage', 'DRAFT', []),
      event('updated', 'Sorter', 'DRAFT', ['name', 'description']),
      event('updated', 'Triage', 'DRAFT', ['name', 'description']),
      event('activated', 'Triage', 'ACTIVE', ['state']),
      event('paused', 'Triage', 'PAUSED', ['state']),
      event('archived', 'Triage', 'ARCHIVED', ['state']),
    ])
  })

  it('tell of an agent that is created ACTIVE twice: it is there, and it runs', async () => {
    const msp = await world()
    const { data } = await api.call(msp.admin, 'create_agent', { input: { ...AGENTIC, activate: true } })
    const events = await raised(msp)
    expect(events.map(({ type }) => type)).toEqual(['agent.created', 'agent.activated'])
    for (const { entity_id, data: told } of events)
      expect([entity_id, told]).toEqual([
        String(data.id),
        { agent_id: data.id, name: 'Triage', state: 'ACTIVE', changed_fields: [] },
      ])
  })

  it('are not raised if nothing changes, for a replay, for a refusal, or for shares', async () => {
    const msp = await world()
    const key = { 'idempotency-key': 'once' }
    const { data } = await api.call(msp.admin, 'create_agent', { input: AGENTIC }, key)
    await api.call(msp.admin, 'create_agent', { input: AGENTIC }, key)
    const agent_id = data.id
    await api.call(msp.admin, 'update_agent', { agent_id, input: { name: 'Triage' } })
    await api.call(msp.admin, 'pause_agent', { agent_id })
    const shares = [{ user_id: msp.user.id, can_edit: true }]
    expect((await api.call(msp.admin, 'set_agent_shares', { agent_id, input: { shares } })).status).toBe(200)
    expect(await typesRaised(msp)).toEqual(['agent.created'])
  })

  it('are seen by whoever sees the agent', async () => {
    const msp = await agentsOfPeople()
    for (const agent_id of [1, 2, 3, 4, 5]) await api.call(msp.owner, 'archive_agent', { agent_id })
    expect(await entitiesSeen(msp, 'agent.archived', msp.user)).toEqual(['1', '2', '3'])
    expect(await entitiesSeen(msp, 'agent.archived', msp.viewer)).toEqual(['5'])
  })
})
