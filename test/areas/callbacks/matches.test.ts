import { describe, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { addCallbacks, addMatches } from '../../setup/callbacks.ts'
import { graphql } from '../../setup/graphql.ts'
import { countStatements } from '../../setup/statements.ts'
import type { Caller } from '../../setup/world.ts'
import { matchedCallbacks, matchesOf } from './rows.ts'

describeApi('the matches of a callback', (api) => {
  const failed = [
    { field: 'board', operator: 'equals', expected: 'Service desk', actual: null },
    { field: 'age_hours', operator: 'greater_than', expected: 4, actual: 1.5 },
    { field: 'tags', operator: 'contains', expected: ['vip'], actual: ['a', 'b'] },
  ]
  const compared = failed.map((condition) => ({ ...condition, holds: false }))
  const held = { field: 'status', operator: 'is_empty', expected: null, actual: null, holds: true }

  it('answer every field, with the conditions that failed, and those that held', async () => {
    const msp = await matchedCallbacks()
    const comparisons = [held, ...compared]
    const refusal = { code: 'model_not_configured', message: 'There is no model.' }
    await addMatches(msp, [
      {
        callback_id: 'fourth',
        agent_id: 2,
        result: 'SKIPPED',
        reason_code: 'START_REFUSED',
        comparisons,
        refusal_code: refusal.code,
        refusal_message: refusal.message,
      },
      {
        callback_id: 'fourth',
        agent_id: 1,
        result: 'NOT_MATCHED',
        reason_code: 'CONDITION_FAILED',
        comparisons,
      },
    ])
    const nothing = { reason_code: null, failed_conditions: [], comparisons: [], refusal: null }
    const { data, pagination } = await matchesOf(api, msp.key, 'fourth')
    expect([data, pagination]).toEqual([
      [
        {
          agent_id: 1,
          agent_name: 'Agent 1',
          result: 'NOT_MATCHED',
          reason_code: 'CONDITION_FAILED',
          failed_conditions: failed,
          comparisons,
          refusal: null,
          execution_id: null,
        },
        {
          agent_id: 2,
          agent_name: 'Agent 2',
          result: 'SKIPPED',
          reason_code: 'START_REFUSED',
          failed_conditions: [],
          comparisons,
          refusal,
          execution_id: null,
        },
        { agent_id: 4, agent_name: 'Agent 4', result: 'MATCHED', ...nothing, execution_id: 'exe_5' },
      ],
      { next_cursor: null, has_more: false },
    ])
  })

  it('of an older release tell the conditions that failed, as they are stored', async () => {
    const msp = await matchedCallbacks()
    const stored = {
      result: 'NOT_MATCHED',
      reason_code: 'CONDITION_FAILED',
      failed_conditions: failed,
    } as const
    await addMatches(msp, [{ callback_id: 'none', agent_id: 1, ...stored }])
    const { data } = await matchesOf(api, msp.key, 'none')
    expect(data).toMatchObject([{ failed_conditions: failed, comparisons: compared }])
  })

  it('are those with agents that the caller sees', async () => {
    const msp = await matchedCallbacks()
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    const seen = async (caller: Caller, id = 'all') => {
      const { status, data } = await matchesOf(api, caller, id)
      return [status, data.map(({ agent_id }: { agent_id: number }) => agent_id)]
    }
    for (const caller of [msp.owner, msp.admin, msp.key])
      expect(await seen(caller)).toEqual([200, [1, 2, 3, 4]])
    for (const caller of [msp.user, acting]) expect(await seen(caller)).toEqual([200, [1, 3]])
    expect(await seen(msp.viewer)).toEqual([200, [2, 3]])
    // A callback that made only agents run that the caller does not see is there, with no match.
    expect(await seen(msp.user, 'fourth')).toEqual([200, []])
    expect(await seen(msp.key, 'none')).toEqual([200, []])
  })

  it('are narrowed to a result', async () => {
    const msp = await matchedCallbacks()
    const results = async (result: string) =>
      (await matchesOf(api, msp.key, 'all', { result })).data.map((row: { agent_id: number }) => row.agent_id)
    expect([await results('MATCHED'), await results('SKIPPED'), await results('ERROR')]).toEqual([
      [1, 4],
      [2],
      [],
    ])
  })
})

describe('matches in the graph', () => {
  const query = `{ callbacks { items { id matches(page_size: 3) {
    items { id agent_name agent { id state } } pagination { has_more }
  } } } }`

  it('are one statement for all callbacks of a list, and one for all of their agents', async () => {
    const msp = await matchedCallbacks()
    const many = Array.from({ length: 20 }, (_, n) => `n${n}`)
    await addCallbacks(
      msp,
      many.map((id) => ({ id })),
    )
    await addMatches(
      msp,
      many.map((callback_id) => ({ callback_id, agent_id: 1 })),
    )
    const { data } = await graphql(msp.user, query)
    const [all] = data.callbacks.items.filter(({ id }: { id: string }) => id === 'all')
    expect(all.matches).toEqual({
      items: [1, 3].map((id) => ({
        id: `all/${id}`,
        agent_name: `Agent ${id}`,
        agent: { id, state: 'ACTIVE' },
      })),
      pagination: { has_more: false },
    })
    expect(await countStatements(msp.database, () => graphql(msp.user, query))).toBe(4)
  })

  it('lead to their agents with the scope for those', async () => {
    const msp = await matchedCallbacks()
    const key = await msp.newKey({ scopes: ['callbacks:read'] })
    expect((await graphql(key, query)).code).toBe('insufficient_scope')
    const without = query.replace('agent { id state }', '')
    expect((await graphql(key, without)).code).toBeUndefined()
  })
})
