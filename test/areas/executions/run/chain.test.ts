import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../../setup/api.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRuns } from '../../../setup/runs.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, executionOf, start } from './chain.ts'

beforeAll(installQueues)

describeApi('a chain of actions', (api) => {
  it('is made in order on the ticket, and leaves a complete trail', async () => {
    const msp = await chainMsp()
    const execution_id = await start(api, msp)
    expect(await performRuns(msp)).toBe(1)
    const psa = psaOfTenant(msp)
    const notes = await psa.notesOf('4711')
    expect(notes).toMatchObject([{ text: 'We are on it.', is_internal: true, author_name: 'Chain' }])
    expect(await psa.ticket('4711')).toMatchObject({ status: 'In progress' })
    const execution = await executionOf(api, msp, execution_id)
    expect(execution).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      run_count: 1,
      error: null,
      failure_kind: null,
      hours_saved: 0.5,
      credits_consumed: 2,
      message_for_dashboard: 'All 2 actions were made.',
      processed_sub_entity_ids: [notes[0]?.note_id],
    })
    expect(execution.finished_at).not.toBeNull()
    const runs = await api.call(msp.key, 'execution_runs', { execution_id })
    expect(runs.data).toMatchObject([{ sequence: 1, status: 'COMPLETED', ended_at: execution.finished_at }])
    const timeline = await api.call(msp.key, 'execution_timeline', { execution_id })
    expect(timeline.data.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual([
      ['STATUS_CHANGED', 'The work began.'],
      ['TOOL_CALL', 'Add note: done'],
      ['TOOL_CALL', 'Change status: done'],
      ['STATUS_CHANGED', 'The work ended: COMPLETED.'],
    ])
    const calls = await api.call(msp.key, 'execution_tool_calls', { execution_id })
    expect(calls.data).toMatchObject([
      { tool_name: 'ticket.set_status', outcome: 'SUCCEEDED', arguments: { ticket_id: '4711' } },
      { tool_name: 'ticket.add_note', outcome: 'SUCCEEDED', arguments: { ticket_id: '4711' } },
    ])
    expect(timeline.data[1].tool_call_id).toBe(calls.data[1].id)
  })
})
