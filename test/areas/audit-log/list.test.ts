import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addEntries } from '../../setup/audit-log.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, type Msp } from '../../setup/world.ts'
import { ago, ids, sharedAgents, sharedCalls } from './calls.ts'

const WHOLE = {
  id: 'aud_1',
  agent_id: 1,
  agent_name: 'Triage, as it was called',
  execution_id: 'exe_1',
  temporal_run_id: 'run_1_2',
  tool_name: 'identity.reset_password',
  tool_title: 'Reset password',
  system: 'MICROSOFT_ENTRA_ID',
  access: 'WRITE',
  outcome: 'DENIED',
  arguments: { account_id: 'acc_1', count: 3 },
  arguments_truncated: false,
  arguments_hash: null,
  result_summary: null,
  error_code: 'approval_rejected',
  error_message: 'The technician refused.',
  duration_ms: 1250,
  entity_id: '4711',
  entity_number: 'T-4711',
  psa_company_id: '1041',
  psa_company_name: 'Alder & Finch',
  supervised: true,
  til_request_id: 'til_1',
  decided_by_name: 'Elin Lindqvist',
  acting_user_id: 'usr_1',
  api_key_id: 'key_1',
  api_key_name: 'Partner',
  request_id: 'req_1',
  correlation_id: 'cor_1',
  hash: 'b'.repeat(64),
  previous_hash: 'a'.repeat(64),
} as const

describeApi('the audit log', (api) => {
  it('answers every field, alone and in lists', async () => {
    const msp = await sharedAgents()
    const occurred_at = ago(1)
    const chain = { chain_day: occurred_at, chain_position: 1 }
    await addEntries(msp, [{ ...WHOLE, ...chain, arguments: { ...WHOLE.arguments }, occurred_at }])
    const expected = { ...WHOLE, occurred_at: occurred_at.toISOString(), sequence: expect.any(Number) }
    const list = await api.call(msp.key, 'audit_log')
    expect([list.data, list.warnings]).toEqual([[expected], []])
    const one = await api.call(msp.key, 'audit_log_entry', { entry_id: 'aud_1' })
    expect([one.status, one.data]).toEqual([200, expected])
    const of_execution = await api.call(msp.key, 'execution_tool_calls', { execution_id: 'exe_1' })
    expect(of_execution.data).toEqual([expected])
  })

  it('has the calls of the agents that the caller sees', async () => {
    const msp = await sharedCalls()
    const all = ['d1', 'c1', 'b1', 'a1']
    for (const caller of [msp.owner, msp.admin, msp.key])
      expect(ids(await api.call(caller, 'audit_log'))).toEqual(all)
    expect(ids(await api.call(msp.user, 'audit_log'))).toEqual(['c1', 'a1'])
    expect(ids(await api.call(msp.viewer, 'audit_log'))).toEqual(['c1', 'b1'])
    const acting = await msp.newKey({ acting_user_id: msp.viewer.id })
    expect(ids(await api.call(acting, 'audit_log'))).toEqual(['c1', 'b1'])
    expect(ids(await api.call(msp.viewer, 'audit_log', { agent_id: 1 }))).toEqual([])
    expect(ids(await api.call(msp.viewer, 'audit_log', { execution_id: 'exe_4' }))).toEqual([])
  })

  it('answers an entry of an agent that the caller does not see as one that is not there', async () => {
    const msp = await sharedCalls()
    const nothing = await api.call(msp.user, 'audit_log_entry', { entry_id: 'nothing' })
    expect(outcome(nothing)).toEqual([404, 'audit_log_entry_not_found'])
    const hidden = await api.call(msp.user, 'audit_log_entry', { entry_id: 'b1' })
    expect({ ...hidden.error, details: null }).toEqual({ ...nothing.error, details: null })
    expect(outcome(await api.call(msp.user, 'audit_log_entry', { entry_id: 'c1' }))[0]).toBe(200)
    const calls = await api.call(msp.user, 'execution_tool_calls', { execution_id: 'exe_2' })
    expect(outcome(calls)).toEqual([404, 'execution_not_found'])
    const unknown = await api.call(msp.user, 'execution_tool_calls', { execution_id: 'nothing' })
    expect({ ...calls.error, details: null }).toEqual({ ...unknown.error, details: null })
    expect(ids(await api.call(msp.user, 'execution_tool_calls', { execution_id: 'exe_3' }))).toEqual(['c1'])
  })

  it('orders calls of one instant by their sequence, the later first', async () => {
    const msp = await sharedAgents()
    const occurred_at = ago(1)
    const calls = ['first', 'second', 'third'].map((id) => ({ id, agent_id: 1, execution_id: 'exe_1' }))
    for (const call of calls) await addEntries(msp, [{ ...call, occurred_at }])
    const { data } = await api.call(msp.key, 'audit_log')
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['third', 'second', 'first'])
    const sequences = data.map(({ sequence }: { sequence: number }) => sequence)
    expect(sequences).toEqual([...sequences].sort((a, b) => b - a))
  })

  async function oldAndNew(): Promise<Msp> {
    const msp = await sharedAgents()
    const of = (id: string, day: number) => ({
      id,
      agent_id: 1,
      execution_id: 'exe_1',
      occurred_at: ago(day),
    })
    await addEntries(msp, [of('older', 30.01), of('oldest_kept', 29.99), of('newer', 3)])
    return msp
  }

  it('reaches 30 days back, and says so if more is asked for', async () => {
    const msp = await oldAndNew()
    expect(ids(await api.call(msp.key, 'audit_log'))).toEqual(['newer', 'oldest_kept'])
    const all = await api.call(msp.key, 'audit_log', { from: ago(31).toISOString() })
    expect([ids(all), all.warnings]).toEqual([
      ['newer', 'oldest_kept'],
      [expect.stringMatching(/^window_retention: entries can be read for 30 days, from \d{4}-/)],
    ])
    const some = await api.call(msp.key, 'audit_log', { from: ago(29).toISOString() })
    expect([ids(some), some.warnings]).toEqual([['newer'], []])
    const gone = await api.call(msp.key, 'audit_log_entry', { entry_id: 'older' })
    expect(outcome(gone)).toEqual([404, 'audit_log_entry_not_found'])
    const calls = await api.call(msp.key, 'execution_tool_calls', { execution_id: 'exe_1' })
    expect(ids(calls)).toEqual(['newer', 'oldest_kept'])
    clock.advance(days(1))
    expect(ids(await api.call(msp.key, 'audit_log'))).toEqual(['newer'])
  })

  it('is empty, with the warning, if the window ends before that', async () => {
    const msp = await oldAndNew()
    for (const from of [undefined, ago(40).toISOString()]) {
      const window = { ...(from && { from }), to: ago(30.005).toISOString() }
      const { status, data, pagination, warnings } = await api.call(msp.key, 'audit_log', window)
      expect([status, data, pagination?.has_more, warnings.length]).toEqual([200, [], false, 1])
    }
  })

  it.each([
    ['from after to', 1, 2],
    ['an empty window', 2, 2],
    ['both long ago', 41, 42],
  ])('refuses %s', async (_name, from, to) => {
    const msp = await sharedAgents()
    clock.freeze()
    const window = { from: ago(from).toISOString(), to: ago(to).toISOString() }
    const answer = await api.call(msp.key, 'audit_log', window)
    expect(outcome(answer)).toEqual([400, 'invalid_window'])
    expect(answer.error?.details).toMatchObject(window)
  })

  it('reads an entry in one statement beside the caller, a list of an execution in two', async () => {
    const msp = await sharedCalls()
    const cost = async (operation: string, args: Record<string, string>) => {
      const read = () => api.call(msp.viewer, operation, args)
      await read()
      return await countStatements(msp.database, read)
    }
    expect(await cost('audit_log', {})).toBe(2)
    expect(await cost('audit_log_entry', { entry_id: 'c1' })).toBe(2)
    expect(await cost('execution_tool_calls', { execution_id: 'exe_3' })).toBe(3)
  })
})
