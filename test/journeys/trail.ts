/** What holds of the trail of any execution, however its journey went. */
import { expect } from 'vitest'
import { clock } from '../setup/app.ts'
import { closeChain } from '../setup/audit-chain.ts'
import { days, type Msp } from '../setup/world.ts'
import type { Story as WholeStory } from './story.ts'

/** The moves by which a trail is read. */
type Story = Omit<WholeStory, 'work'>

interface Run {
  temporal_run_id: string
  sequence: number
  status: string
  started_at: string
  ended_at: string
  resumed_by_til_request_id: string | null
  supervised: boolean
}

interface Request {
  id: string
  status: string
  initiating_temporal_run_id: string
  resumed_temporal_run_id: string | null
}

/** Tools that reach no other system, whose calls cost nothing. */
const OF_THE_RUN = ['run.propose_plan', 'technician.ask']

const DECIDED = ['APPROVED', 'REJECTED', 'ANSWERED', 'EXPIRED']

const secondsOf = ({ started_at, ended_at }: Run): number =>
  (Date.parse(ended_at) - Date.parse(started_at)) / 1000

/** Each pause ends a run, and each decision begins the next one. */
async function expectRuns(story: Story, execution_id: string): Promise<void> {
  const execution = await story.execution(execution_id)
  const runs: Run[] = await story.runs(execution_id)
  const requests: Request[] = await story.requests(execution_id)
  expect(runs.map(({ sequence }) => sequence)).toEqual(runs.map((_, index) => index + 1))
  expect(runs).toHaveLength(execution.run_count)
  for (const run of runs)
    expect(run).toMatchObject({ supervised: execution.supervised, ended_at: expect.any(String) })
  expect(runs.slice(0, -1).map(({ status }) => status)).toEqual(runs.slice(1).map(() => 'PAUSED'))
  const seconds = runs.reduce((sum, run) => sum + secondsOf(run), 0)
  expect(execution.seconds_spent).toBeCloseTo(seconds, 2)
  const resuming = requests.filter(({ resumed_temporal_run_id }) => resumed_temporal_run_id)
  expect(runs.slice(1).map((run) => [run.resumed_by_til_request_id, run.temporal_run_id])).toEqual(
    resuming.map(({ id, resumed_temporal_run_id }) => [id, resumed_temporal_run_id]),
  )
  expect(runs.slice(0, resuming.length).map(({ temporal_run_id }) => temporal_run_id)).toEqual(
    resuming.map(({ initiating_temporal_run_id }) => initiating_temporal_run_id),
  )
  for (const { status } of resuming) expect(DECIDED).toContain(status)
  expect(execution.pending_til_request_count).toBe(
    requests.filter(({ status }) => status === 'PENDING').length,
  )
}

/** The timeline is in order, begins and ends with the work, and names entries of the audit log. */
async function expectTimeline(story: Story, execution_id: string): Promise<void> {
  const [execution, timeline] = [await story.execution(execution_id), await story.timeline(execution_id)]
  const calls: { id: string }[] = await story.calls(execution_id)
  const times = timeline.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted())
  expect(timeline.at(-1)).toMatchObject({ kind: 'STATUS_CHANGED', at: execution.finished_at })
  expect(timeline.at(-1).text).toContain(execution.status)
  const named = timeline.flatMap(({ tool_call_id }: { tool_call_id: string | null }) => tool_call_id ?? [])
  expect(named.toSorted()).toEqual(calls.map(({ id }) => id).toSorted())
}

/** Every day of the tenant's audit log verifies, each entry in it. */
export async function expectVerifiedAuditLog(story: Story, msp: Msp): Promise<void> {
  while ((await closeChain(msp)) > 0);
  const entries: { occurred_at: string }[] = await story.done(msp.key, 'audit_log', { page_size: 200 })
  const counts = new Map<string, number>()
  for (const { occurred_at } of entries) {
    const day = occurred_at.slice(0, 10)
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  expect(counts.size).toBeGreaterThan(0)
  for (const [day, count] of counts)
    expect(await story.done(msp.admin, 'verify_audit_log', { day })).toMatchObject({
      day,
      status: 'VERIFIED',
      entries: count,
      verified_entries: count,
      unclosed_entries: 0,
      fault: null,
    })
}

/** The bills and the performance count the tenant's executions as they ended. */
async function expectFigures(story: Story, msp: Msp): Promise<void> {
  const from = new Date(clock.now().getTime() - days(10)).toISOString()
  const executions: Record<string, number | string>[] = await story.done(msp.key, 'executions')
  const sum = (field: string) => executions.reduce((total, one) => total + Number(one[field]), 0)
  const count = (field: string, ...values: string[]) =>
    executions.filter((one) => values.includes(String(one[field]))).length
  // A caller's figures may be a few seconds old: another key's are new.
  const key = await msp.newKey()
  const summary = await story.done(key, 'performance_summary', { from })
  expect(summary).toMatchObject({
    total_executions: executions.length,
    successful_executions: count('status', 'COMPLETED'),
    failed_executions: count('status', 'FAILED', 'TIMED_OUT'),
    fully_resolved_executions: count('resolution', 'FULL'),
    partially_resolved_executions: count('resolution', 'PARTIAL'),
    credits_consumed: sum('credits_consumed'),
  })
  expect(summary.total_seconds_spent).toBeCloseTo(sum('seconds_spent'), 2)
  expect(summary.total_hours_saved).toBeCloseTo(sum('hours_saved'), 5)
  const usage = await story.done(key, 'billing_usage', { granularity: 'MONTH', from })
  expect(usage.total_credits).toBe(sum('credits_consumed'))
}

/** The ended execution left a trail in which everything agrees, and figures that count it. */
export async function expectWholeTrail(story: Story, msp: Msp, execution_id: string): Promise<void> {
  const execution = await story.execution(execution_id)
  expect(execution.finished_at).toEqual(expect.any(String))
  await expectRuns(story, execution_id)
  await expectTimeline(story, execution_id)
  const calls: { outcome: string; tool_name: string }[] = await story.calls(execution_id)
  const made = calls.filter(
    ({ outcome, tool_name }) => outcome === 'SUCCEEDED' && !OF_THE_RUN.includes(tool_name),
  )
  expect(execution.credits_consumed).toBe(made.length)
  await expectFigures(story, msp)
  await expectVerifiedAuditLog(story, msp)
}
