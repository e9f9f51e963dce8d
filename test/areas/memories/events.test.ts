import { expect, it } from 'vitest'
import { addAgents, share } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { TIMES, times } from '../../setup/at-once.ts'
import { addMemories } from '../../setup/memories.ts'
import { entitiesSeen, raised, typesRaised } from '../../setup/raised.ts'
import { countStatements } from '../../setup/statements.ts'
import { toolCallsFor } from '../../setup/tool-calls.ts'
import { world } from '../../setup/world.ts'

const FACT = { content: 'Invoices go out on Thursdays.', category: 'PROCEDURAL', scope_type: 'TENANT' }

describeApi('the events of memories', (api) => {
  it('tell of a new memory, of its replacement, and of both by their ids', async () => {
    const msp = await world()
    const { data: old } = await api.call(msp.admin, 'create_memory', { input: FACT })
    const input = { content: 'Invoices go out on Fridays.', category: 'SEMANTIC' }
    const { data: newer } = await api.call(msp.key, 'update_memory', { memory_id: old.id, input })
    const of = (
      event: string,
      id: string,
      state: string,
      category: string,
      created_by: string,
      links: object,
    ) => ({
      type: `memory.${event}`,
      entity_id: id,
      agent_id: null,
      data: {
        memory_id: id,
        state,
        category,
        scope_type: 'TENANT',
        scope_id: null,
        created_by,
        supersedes_id: null,
        superseded_by: null,
        test_mode: false,
        ...links,
      },
    })
    expect(await raised(msp)).toEqual([
      of('created', old.id, 'ACTIVE', 'PROCEDURAL', 'USER', {}),
      of('superseded', old.id, 'SUPERSEDED', 'PROCEDURAL', 'USER', { superseded_by: newer.id }),
      of('created', newer.id, 'ACTIVE', 'SEMANTIC', 'API_KEY', { supersedes_id: old.id }),
    ])
  })

  it('are not raised by other changes, by a replay, or if nothing changes', async () => {
    const msp = await world()
    const key = { 'idempotency-key': 'once' }
    const { data } = await api.call(msp.admin, 'create_memory', { input: FACT }, key)
    await api.call(msp.admin, 'create_memory', { input: FACT }, key)
    const memory_id = data.id
    for (const verb of ['pin', 'unpin', 'confirm', 'delete', 'restore'])
      expect((await api.call(msp.admin, `${verb}_memory`, { memory_id })).status).toBe(200)
    await api.call(msp.admin, 'update_memory', { memory_id, input: { content: FACT.content } })
    await api.call(msp.admin, 'update_memory', { memory_id, input: { category: 'SEMANTIC' } })
    expect(await typesRaised(msp)).toEqual(['memory.created'])
  })
})

it('a memory that a run saves twice has one event, which costs no further statement', async () => {
  const msp = await world()
  const { call } = toolCallsFor(msp)
  const memory = { content: 'Alpha closes at noon.', scope_type: 'CLIENT', scope_id: 'psa_a' }
  expect(await countStatements(msp.database, () => call('memory.save', memory, 'k'))).toBe(1)
  const saved = await call('memory.save', memory, 'k')
  expect(await raised(msp)).toMatchObject([
    { type: 'memory.created', entity_id: saved.memory_id, data: { created_by: 'AGENT', scope_id: 'psa_a' } },
  ])
})

it.runIf(process.env.DATABASE_URL)(
  `a memory that is saved ${TIMES} times at once has one event`,
  async () => {
    const msp = await world()
    const { call } = toolCallsFor(msp)
    const memory = { content: 'Alpha closes at noon.', scope_type: 'CLIENT', scope_id: 'psa_a' }
    await times(() => call('memory.save', memory, 'k'))
    expect(await typesRaised(msp)).toEqual(['memory.created'])
  },
)

describeApi('the events of memories of agents', (api) => {
  it('are seen by whoever sees one of the agents', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }, { id: 3 }])
    await share(msp, 3, msp.viewer.id)
    const restricted = [[], [1], [2], [1, 3]]
    await addMemories(
      msp,
      restricted.map((restricted_agent_ids, n) => ({ id: `mem_${n}`, restricted_agent_ids })),
    )
    for (const n of restricted.keys())
      await api.call(msp.owner, 'update_memory', { memory_id: `mem_${n}`, input: { content: 'Other.' } })
    const seen = (caller: typeof msp.user) => entitiesSeen(msp, 'memory.superseded', caller)
    expect(await seen(msp.user)).toEqual(['mem_0', 'mem_1', 'mem_3'])
    expect(await seen(msp.viewer)).toEqual(['mem_0', 'mem_3'])
  })
})
