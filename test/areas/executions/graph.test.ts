import { describe, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { apis } from '../../setup/api.ts'
import { graphql } from '../../setup/graphql.ts'
import { countStatements } from '../../setup/statements.ts'
import { world } from '../../setup/world.ts'
import { at, sharedRuns } from './runs.ts'

describe('executions in the graph', () => {
  const executions = (args: string) =>
    `executions${args} { items { execution_id agent_name } pagination { next_cursor has_more } }`

  it('refuse an empty list of statuses', async () => {
    const msp = await world()
    const [api] = apis
    const answer = await api?.call(msp.key, 'executions', { status: [] })
    expect(answer?.error?.details.field_errors).toMatchObject([{ field: 'status', code: 'length' }])
  })

  it('of each agent are one statement for a list of agents, newest first, and go on by cursor', async () => {
    const msp = await sharedRuns()
    await addExecutions(msp, [{ execution_id: 'a3', agent_id: 1, created_at: at(5) }])
    const query = (page_size: number) => `{ agents(sort: name, page_size: ${page_size}) {
      items { id ${executions('(page_size: 2)')} } } }`
    const { data } = await graphql(msp.key, query(50))
    expect(data.agents.items.map(({ executions: { items } }: never) => items)).toEqual([
      [
        { execution_id: 'a3', agent_name: 'Agent 1' },
        { execution_id: 'a2', agent_name: 'Agent 1' },
      ],
      [{ execution_id: 'b1', agent_name: 'Agent 2' }],
      [{ execution_id: 'c1', agent_name: 'Agent 3' }],
      [{ execution_id: 'd1', agent_name: 'Agent 4' }],
    ])
    const [first, second] = data.agents.items
    expect(first.executions.pagination).toEqual({ has_more: true, next_cursor: expect.any(String) })
    expect(second.executions.pagination).toEqual({ has_more: false, next_cursor: null })
    const next = (id: number) =>
      `{ agent(agent_id: ${id}) { ${executions(`(cursor: "${first.executions.pagination.next_cursor}")`)} } }`
    const rest = await graphql(msp.key, next(1))
    expect(rest.data.agent.executions.items).toEqual([{ execution_id: 'a1', agent_name: 'Agent 1' }])
    expect((await graphql(msp.key, next(2))).code).toBe('invalid_cursor')
  })

  it('of twenty agents are two statements beside the credential, with the agents', async () => {
    const msp = await world()
    const agents = Array.from({ length: 20 }, (_, n) => n + 1)
    await addAgents(
      msp,
      agents.map((id) => ({ id })),
    )
    await addExecutions(
      msp,
      agents.flatMap((agent_id) =>
        Array.from({ length: 7 }, (_, n) => ({ execution_id: `e${agent_id}-${n}`, agent_id })),
      ),
    )
    const query = `{ agents(page_size: 20) { items { ${executions('(page_size: 5)')} } } }`
    const { data } = await graphql(msp.key, query)
    expect(data.agents.items.map(({ executions: { items } }: never) => (items as []).length)).toEqual(
      Array(20).fill(5),
    )
    expect(await countStatements(msp.database, () => graphql(msp.key, query))).toBe(3)
  })

  it('have their agent, in one statement for the whole page', async () => {
    const msp = await sharedRuns()
    const query = '{ executions { items { execution_id agent { id name shared_with_me last_run_at } } } }'
    const { data } = await graphql(msp.user, query)
    const first = { id: 1, name: 'Agent 1', shared_with_me: false, last_run_at: at(5).toISOString() }
    const third = { id: 3, name: 'Agent 3', shared_with_me: true, last_run_at: at(3).toISOString() }
    expect(data.executions.items).toEqual([
      { execution_id: 'a2', agent: first },
      { execution_id: 'c1', agent: third },
      { execution_id: 'a1', agent: first },
    ])
    expect(await countStatements(msp.database, () => graphql(msp.user, query))).toBe(3)
  })

  it('and agents are walked to from each other with the scopes of both', async () => {
    const msp = await sharedRuns()
    const ofAgent = `{ agent(agent_id: 1) { id ${executions('')} } }`
    const ofExecution = '{ execution(execution_id: "a1") { execution_id agent { id } } }'
    const [agents, runs, both] = await Promise.all([
      msp.newKey({ scopes: ['agents:read'] }),
      msp.newKey({ scopes: ['executions:read'] }),
      msp.newKey({ scopes: ['agents:read', 'executions:read'] }),
    ])
    expect(await graphql(agents, ofAgent)).toEqual({ data: { agent: null }, code: 'insufficient_scope' })
    expect(await graphql(runs, ofExecution)).toEqual({
      data: { execution: null },
      code: 'insufficient_scope',
    })
    expect((await graphql(both, ofAgent)).data.agent.executions.items).toHaveLength(2)
    expect((await graphql(both, ofExecution)).data.execution.agent).toEqual({ id: 1 })
  })
})
