import { describe, expect, it } from 'vitest'
import { graphql } from '../../setup/graphql.ts'
import { countStatements } from '../../setup/statements.ts'
import { sharedCalls } from './calls.ts'

const ONE = '{ execution(execution_id: "exe_2") { execution_id tool_calls { items { id } } } }'
const ALL = '{ executions { items { execution_id tool_calls(page_size: 5) { items { id agent_name } } } } }'

describe('the tool calls of an execution, in the graph', () => {
  it('are for those who see its agent', async () => {
    const msp = await sharedCalls()
    expect((await graphql(msp.user, ONE)).code).toBe('execution_not_found')
    for (const caller of [msp.viewer, msp.admin, msp.key])
      expect((await graphql(caller, ONE)).data.execution.tool_calls.items).toEqual([{ id: 'b1' }])
  })

  it('are refused without the scope, and read in one statement for a whole list', async () => {
    const msp = await sharedCalls()
    const key = await msp.newKey({ scopes: ['executions:read'] })
    expect((await graphql(key, ONE)).code).toBe('insufficient_scope')
    const read = () => graphql(msp.key, ALL)
    const { data } = await read()
    expect(data.executions.items).toHaveLength(4)
    for (const { tool_calls } of data.executions.items) expect(tool_calls.items).toHaveLength(1)
    expect(await countStatements(msp.database, read)).toBe(3)
  })
})
