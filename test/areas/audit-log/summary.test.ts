import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addEntries } from '../../setup/audit-log.ts'
import { countStatements } from '../../setup/statements.ts'
import type { Msp } from '../../setup/world.ts'
import { ago, sharedAgents } from './calls.ts'

const OUTCOMES = ['SUCCEEDED', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'DENIED', 'PENDING_APPROVAL'] as const

/** Six calls of agent 1, and one of agent 4. The clock stands still. */
async function calls(): Promise<Msp> {
  clock.freeze()
  const msp = await sharedAgents()
  const of = (agent_id: number) => ({ agent_id, execution_id: `exe_${agent_id}` })
  await addEntries(
    msp,
    OUTCOMES.map((result, index) => ({
      ...of(1),
      id: `aud_${index}`,
      outcome: result,
      occurred_at: ago(index + 0.5),
      tool_name: index < 4 ? 'ticket.read' : 'device.search',
      tool_title: index === 3 ? 'Read a ticket' : index < 4 ? 'Read ticket' : 'Search devices',
      system: index < 4 ? 'HALO_PSA' : null,
    })),
  )
  await addEntries(msp, [{ ...of(4), id: 'aud_other', occurred_at: ago(1) }])
  return msp
}

const group = (key: string | null, label: string, ...counts: [number, number, number, number]) => {
  const [total, succeeded, failed, denied] = counts
  return { key, label, total, succeeded, failed, denied }
}

describeApi('the summary of the audit log', (api) => {
  it.each([
    [
      'TOOL',
      [group('ticket.read', 'Read ticket', 5, 3, 2, 0), group('device.search', 'Search devices', 2, 0, 0, 1)],
    ],
    ['AGENT', [group('1', 'Triage', 6, 2, 2, 1), group('4', 'Agent 4', 1, 1, 0, 0)]],
    ['SYSTEM', [group('HALO_PSA', 'HaloPSA', 4, 2, 2, 0), group(null, 'The service itself', 3, 1, 0, 1)]],
    [
      'OUTCOME',
      [
        group('SUCCEEDED', 'Succeeded', 3, 3, 0, 0),
        group('DENIED', 'Denied', 1, 0, 0, 1),
        group('FAILED', 'Failed', 1, 0, 1, 0),
        group('PENDING_APPROVAL', 'Pending approval', 1, 0, 0, 0),
        group('TIMED_OUT', 'Timed out', 1, 0, 1, 0),
      ],
    ],
  ])('counts by %s, the largest first, in one statement', async (group_by, groups) => {
    const msp = await calls()
    const read = () => api.call(msp.key, 'audit_log_summary', { group_by })
    const { data, warnings } = await read()
    expect([data, warnings]).toEqual([
      {
        window: { from: ago(30).toISOString(), to: clock.now().toISOString(), timezone: 'UTC' },
        group_by,
        groups,
      },
      [],
    ])
    expect(await countStatements(msp.database, read)).toBe(2)
  })

  it('counts by tool if nothing else is said, and only calls of agents that the caller sees', async () => {
    const msp = await calls()
    const { data } = await api.call(msp.user, 'audit_log_summary')
    expect([data.group_by, data.groups[0]]).toEqual(['TOOL', group('ticket.read', 'Read ticket', 4, 2, 2, 0)])
    expect((await api.call(msp.viewer, 'audit_log_summary')).data.groups).toEqual([])
  })

  it('has every day of the window in the zone of the tenant, those without calls too', async () => {
    const msp = await sharedAgents()
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.settings.updateMany({ where, data: { timezone: 'Asia/Kathmandu' } })
    const today = clock.now().toISOString().slice(0, 10)
    const at = (day: number, time: string) =>
      new Date(new Date(`${today}T${time}Z`).getTime() - day * 86_400_000)
    const of = { agent_id: 1, execution_id: 'exe_1' }
    await addEntries(msp, [
      // Midnight there is 18:15 in UTC.
      { ...of, id: 'before', occurred_at: at(4, '18:14:59.999') },
      { ...of, id: 'after', occurred_at: at(4, '18:15:00') },
      { ...of, id: 'late', occurred_at: at(3, '10:00'), outcome: 'FAILED' },
    ])
    const window = { from: at(5, '20:00').toISOString(), to: at(2, '18:15:00').toISOString() }
    const { data } = await api.call(msp.key, 'audit_log_summary', { ...window, group_by: 'DAY' })
    const dayOf = (day: number) => at(day, '00:00').toISOString().slice(0, 10)
    expect(data).toEqual({
      window: { ...window, timezone: 'Asia/Kathmandu' },
      group_by: 'DAY',
      groups: [
        group(dayOf(4), dayOf(4), 1, 1, 0, 0),
        group(dayOf(3), dayOf(3), 2, 1, 1, 0),
        group(dayOf(2), dayOf(2), 0, 0, 0, 0),
      ],
    })
  })

  it('counts the window alone, moves an early start forward, and refuses one that is none', async () => {
    const msp = await calls()
    const window = { from: ago(2).toISOString(), to: ago(1).toISOString() }
    const some = await api.call(msp.key, 'audit_log_summary', { ...window, group_by: 'AGENT' })
    expect(some.data.groups).toEqual([group('1', 'Triage', 1, 1, 0, 0)])
    const early = await api.call(msp.key, 'audit_log_summary', { from: ago(90).toISOString() })
    expect([early.data.window.from, early.warnings.length]).toEqual([ago(30).toISOString(), 1])
    const over = await api.call(msp.key, 'audit_log_summary', { to: ago(31).toISOString(), group_by: 'DAY' })
    expect([over.status, over.data.groups, over.warnings.length]).toEqual([200, [], 1])
    const ahead = { from: ago(1).toISOString(), to: ago(-399).toISOString(), group_by: 'DAY' }
    const { data } = await api.call(msp.key, 'audit_log_summary', ahead)
    expect(data.groups.length).toBeGreaterThanOrEqual(400)
    const far = await api.call(msp.key, 'audit_log_summary', { to: '9999-12-31', group_by: 'DAY' })
    expect(outcome(far)).toEqual([400, 'window_too_large'])
    expect(far.error?.details).toMatchObject({ from: ago(30).toISOString(), max_seconds: 34_560_000 })
    for (const wrong of [{ from: ago(-1).toISOString() }, { from: window.to, to: window.from }])
      expect(outcome(await api.call(msp.key, 'audit_log_summary', wrong))).toEqual([400, 'invalid_window'])
  })
})
