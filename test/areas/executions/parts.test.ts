import { describe, expect, it } from 'vitest'
import { addExecutions } from '../../setup/agents.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { graphql } from '../../setup/graphql.ts'
import { countStatements } from '../../setup/statements.ts'
import { addEvents, addRuns, addTilRequests } from '../../setup/til-requests.ts'
import type { Caller } from '../../setup/world.ts'
import { at, list, read, sharedRuns } from './runs.ts'

const PARTS = ['runs', 'timeline', 'til_requests']

const part = (api: Api, caller: Caller, of: string, execution_id: string) =>
  api.call(caller, `execution_${of}`, { execution_id })

describeApi('an execution', (api) => {
  it('has its runs, the first one first', async () => {
    const msp = await sharedRuns()
    await addTilRequests(msp, [{ id: 'til_1', execution_id: 'a1', agent_id: 1 }])
    await addRuns(msp, [
      {
        execution_id: 'a1',
        sequence: 2,
        supervised: true,
        status: 'RUNNING',
        started_at: at(2),
        resumed_by_til_request_id: 'til_1',
      },
      {
        execution_id: 'a1',
        sequence: 1,
        supervised: true,
        status: 'PAUSED',
        started_at: at(0),
        ended_at: at(1),
      },
      { execution_id: 'a2', sequence: 1 },
    ])
    expect((await part(api, msp.user, 'runs', 'a1')).data).toEqual([
      {
        temporal_run_id: 'run_a1_1',
        sequence: 1,
        status: 'PAUSED',
        supervised: true,
        started_at: at(0).toISOString(),
        ended_at: at(1).toISOString(),
        resumed_by_til_request_id: null,
      },
      {
        temporal_run_id: 'run_a1_2',
        sequence: 2,
        status: 'RUNNING',
        supervised: true,
        started_at: at(2).toISOString(),
        ended_at: null,
        resumed_by_til_request_id: 'til_1',
      },
    ])
  })

  it('has its timeline, from the beginning on', async () => {
    const msp = await sharedRuns()
    await addTilRequests(msp, [{ id: 'til_1', execution_id: 'a1', agent_id: 1 }])
    const event = { execution_id: 'a1', at: at(1) }
    await addEvents(msp, [
      { ...event, sequence: 2, kind: 'TOOL_CALL', tool_call_id: 'aud_1', text: 'Looked.' },
      { ...event, sequence: 3, kind: 'APPROVAL_REQUESTED', til_request_id: 'til_1' },
      { ...event, sequence: 1, kind: 'PLAN', text: 'Look, then write.' },
    ])
    const common = { at: at(1).toISOString(), temporal_run_id: 'run_a1_1' }
    const nothing = { text: null, tool_call_id: null, til_request_id: null }
    expect((await part(api, msp.user, 'timeline', 'a1')).data).toEqual([
      { ...common, ...nothing, id: 'evt_a1_1', kind: 'PLAN', text: 'Look, then write.' },
      { ...common, ...nothing, id: 'evt_a1_2', kind: 'TOOL_CALL', text: 'Looked.', tool_call_id: 'aud_1' },
      { ...common, ...nothing, id: 'evt_a1_3', kind: 'APPROVAL_REQUESTED', til_request_id: 'til_1' },
    ])
  })

  it.each(PARTS)('has %s for whoever sees its agent, and for nobody else', async (of) => {
    const msp = await sharedRuns()
    expect(outcome(await part(api, msp.user, of, 'a1'))).toEqual([200, undefined])
    expect(outcome(await part(api, msp.user, of, 'c1'))).toEqual([200, undefined])
    const hidden = await part(api, msp.user, of, 'd1')
    const missing = await part(api, msp.user, of, 'none')
    expect(outcome(hidden)).toEqual([404, 'execution_not_found'])
    expect(hidden.error?.message).toBe(missing.error?.message)
    expect(outcome(await part(api, msp.admin, of, 'd1'))).toEqual([200, undefined])
  })

  it('counts its requests that wait for a decision, alone and in the list', async () => {
    const msp = await sharedRuns()
    const request = { execution_id: 'a1', agent_id: 1 }
    await addTilRequests(msp, [
      { ...request, id: 'til_1' },
      { ...request, id: 'til_2' },
      { ...request, id: 'til_3', status: 'APPROVED', closed_at: at(1) },
      { id: 'til_4', execution_id: 'a2', agent_id: 1 },
    ])
    const count = async (id: string) => (await read(api, msp.user, id)).data.pending_til_request_count
    expect([await count('a1'), await count('a2'), await count('c1')]).toEqual([2, 1, 0])
    const { data } = await list(api, msp.user)
    expect(data.map((row: Record<string, unknown>) => row.pending_til_request_count)).toEqual([1, 0, 2])
  })
})

describe('the parts of executions in the graph', () => {
  const QUERY = `{ executions(page_size: 2) { items { execution_id
    runs(page_size: 5) { items { temporal_run_id } } timeline(page_size: 5) { items { id } }
    til_requests(page_size: 5) { items { id } } } } }`

  it('are one statement each for a page of executions', async () => {
    const msp = await sharedRuns()
    const created_at = new Date('2026-09-01T00:00:00Z')
    await addExecutions(msp, [
      { execution_id: 'x1', agent_id: 1, created_at },
      { execution_id: 'x2', agent_id: 1, created_at },
    ])
    for (const execution_id of ['x1', 'x2']) {
      await addRuns(
        msp,
        [1, 2].map((sequence) => ({ execution_id, sequence })),
      )
      await addEvents(
        msp,
        [1, 2].map((sequence) => ({ execution_id, sequence })),
      )
      await addTilRequests(msp, [{ id: `til_${execution_id}`, execution_id, agent_id: 1 }])
    }
    const { data } = await graphql(msp.key, QUERY)
    expect(data.executions.items).toEqual(
      ['x2', 'x1'].map((id) => ({
        execution_id: id,
        runs: { items: [{ temporal_run_id: `run_${id}_1` }, { temporal_run_id: `run_${id}_2` }] },
        timeline: { items: [{ id: `evt_${id}_1` }, { id: `evt_${id}_2` }] },
        til_requests: { items: [{ id: `til_${id}` }] },
      })),
    )
    expect(await countStatements(msp.database, () => graphql(msp.key, QUERY))).toBe(5)
  })

  it('need the scopes of their areas', async () => {
    const msp = await sharedRuns()
    const key = await msp.newKey({ scopes: ['executions:read'] })
    const query = (field: string) => `{ execution(execution_id: "a1") { ${field} { items { id } } } }`
    expect((await graphql(key, query('runs'))).data.execution.runs.items).toEqual([])
    expect((await graphql(key, query('til_requests'))).code).toBe('insufficient_scope')
  })
})
