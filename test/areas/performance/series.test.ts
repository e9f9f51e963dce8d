import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Api, type Arguments, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, world } from '../../setup/world.ts'
import { addAgents, addCredits, addExecutions, at, share, summary, tenancy } from './rows.ts'

const FIGURES = [
  'total_executions',
  'successful_executions',
  'failed_executions',
  'fully_resolved_executions',
  'partially_resolved_executions',
  'total_hours_saved',
  'total_seconds_spent',
  'credits_consumed',
]

type Figures = Record<string, number>

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

const added = (rows: readonly Figures[]): Figures =>
  Object.fromEntries(
    FIGURES.map((name) => [name, rounded(rows.reduce((sum, row) => sum + (row[name] ?? Number.NaN), 0))]),
  )

const only = (row: Figures): Figures =>
  Object.fromEntries(FIGURES.map((name) => [name, rounded(row[name] ?? Number.NaN)]))

const timeseries = (api: Api, caller: Caller, args: Arguments = {}) =>
  api.call(caller, 'performance_timeseries', args)

const byAgent = (api: Api, caller: Caller, args: Arguments = {}) =>
  api.call(caller, 'performance_by_agent', { page_size: 200, ...args })

const DAY = 86_400_000
const START = at('03-27T00:00:00').getTime()

const instant = fc
  .oneof(
    fc.integer({ min: 0, max: 5 * 24 }).map((hours) => hours * 3_600_000),
    fc.integer({ min: 0, max: 5 * DAY }),
  )
  .map((ms) => new Date(START + ms))
const amount = fc.integer({ min: 0, max: 99_999 }).map((units) => units / 1000)
const execution = fc.record({
  agent_id: fc.integer({ min: 1, max: 3 }),
  // At most one of an agent is live on a ticket, and to sums a live one is like one that was skipped.
  status: fc.constantFrom('SKIPPED', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'),
  resolution: fc.constantFrom('NONE', 'PARTIAL', 'FULL'),
  entity_id: fc.option(fc.constantFrom('a', 'b', 'c')),
  seconds_spent: amount,
  hours_saved: amount,
  credits_consumed: amount,
  created_at: instant,
})
const rows = fc.record({
  executions: fc.array(execution, { maxLength: 30 }),
  entries: fc.array(fc.record({ agent_id: fc.constant(4), at: instant, credits: amount }), { maxLength: 5 }),
})
const asked = fc.record({
  window: fc.tuple(instant, instant).filter(([from, to]) => from < to),
  granularity: fc.constantFrom('HOUR', 'DAY', 'WEEK', 'MONTH'),
  autonomy_type: fc.constantFrom(undefined, 'AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'),
})

describeApi('performance in parts', (api) => {
  it('adds up to the summary of the window, by time and by agent', async () => {
    const msp = await world()
    await msp.database.prisma.settings.updateMany({
      where: tenancy(msp),
      data: { timezone: 'Europe/London' },
    })
    await addAgents(msp, [
      { id: 1, created_by_user_id: msp.user.id },
      { id: 2, autonomy_type: 'CHAINED_ACTIONS' },
      { id: 3, state: 'ARCHIVED' },
      { id: 4, autonomy_type: 'CONVERSATIONAL', entity_type: 'NONE' },
    ])
    await share(msp, 4, msp.user)
    await fc.assert(
      fc.asyncProperty(rows, fc.array(asked, { minLength: 1, maxLength: 4 }), async (put, questions) => {
        const where = tenancy(msp)
        await msp.database.prisma.execution.deleteMany({ where })
        await msp.database.prisma.creditEntry.deleteMany({ where })
        await addExecutions(msp, put.executions)
        await addCredits(msp, put.entries)
        for (const { window, granularity, autonomy_type } of questions) {
          const [from, to] = window.map((each) => each.toISOString())
          const args = { from, to, ...(autonomy_type && { autonomy_type }) }
          for (const caller of [msp.key, msp.user, msp.viewer]) {
            const whole = (await summary(api, caller, args)).data
            const { buckets } = (await timeseries(api, caller, { ...args, granularity })).data
            expect(added(buckets)).toEqual(only(whole))
            expect([buckets[0].start, buckets.at(-1).end]).toEqual([from, to])
            const agents = (await byAgent(api, caller, args)).data
            expect(added(agents)).toEqual(only(whole))
          }
        }
      }),
      { numRuns: 12 },
    )
  })

  it('has every day of the tenant’s zone, those in which nothing was done included', async () => {
    const msp = await world()
    await msp.database.prisma.settings.updateMany({
      where: tenancy(msp),
      data: { timezone: 'Asia/Kathmandu' },
    })
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [{ agent_id: 1, created_at: at('03-02T18:15:00'), status: 'COMPLETED' }])
    const window = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-04T00:00:00.000Z' }
    const { status, data } = await timeseries(api, msp.key, window)
    expect([status, data.granularity, data.window]).toEqual([
      200,
      'DAY',
      { ...window, timezone: 'Asia/Kathmandu' },
    ])
    expect(data.buckets.map((one: Figures) => [one.start, one.end, one.total_executions])).toEqual([
      ['2026-03-01T00:00:00.000Z', '2026-03-01T18:15:00.000Z', 0],
      ['2026-03-01T18:15:00.000Z', '2026-03-02T18:15:00.000Z', 0],
      ['2026-03-02T18:15:00.000Z', '2026-03-03T18:15:00.000Z', 1],
      ['2026-03-03T18:15:00.000Z', '2026-03-04T00:00:00.000Z', 0],
    ])
  })

  it('counts the tickets of each agent, and says when it ran last', async () => {
    const msp = await world()
    await addAgents(msp, [
      { id: 1, name: 'Triage' },
      { id: 2, name: 'Backups' },
      { id: 3, name: 'Chat', autonomy_type: 'CONVERSATIONAL', entity_type: 'NONE' },
    ])
    const ran = ['03-10T10:00:00', '03-11T10:00:00', '03-12T10:00:00', '04-02T10:00:00']
    await addExecutions(
      msp,
      ran.map((time, n) => ({ agent_id: 1, entity_id: n < 2 ? 'a' : 'b', created_at: at(time) })),
    )
    await addCredits(msp, [{ agent_id: 3, at: at('03-05T10:00:00'), credits: 0.25 }])
    const { data } = await byAgent(api, msp.key, { from: '2026-03-01', to: '2026-04-01', sort: 'name' })
    expect(
      data.map((row: Record<string, unknown>) => [
        row.agent_name,
        row.autonomy_type,
        row.total_executions,
        row.unique_tickets,
        row.credits_consumed,
        row.last_run_at,
      ]),
    ).toEqual([
      ['Backups', 'AGENTIC', 0, 0, 0, null],
      ['Chat', 'CONVERSATIONAL', 0, 0, 0.25, '2026-03-05T10:00:00.000Z'],
      ['Triage', 'AGENTIC', 3, 2, 0, '2026-04-02T10:00:00.000Z'],
    ])
  })

  it.each([
    ['performance_timeseries', { from: '2026-03-02', to: '2026-03-02' }, 'invalid_window'],
    ['performance_by_agent', { from: '2026-03-02', to: '2026-03-01' }, 'invalid_window'],
    [
      'performance_timeseries',
      { from: '2026-03-01', to: '2026-03-08T00:00:00.001Z', granularity: 'HOUR' },
      'window_too_large',
      604_800,
    ],
    ['performance_timeseries', { to: '9999-12-31' }, 'window_too_large', 69_120_000],
    [
      'performance_timeseries',
      { from: '0001-01-01', to: '9999-12-31', granularity: 'MONTH' },
      'window_too_large',
      69_120_000,
    ],
  ])('%s refuses %j with 400 %s', async (operation, args, code, max_seconds?: number) => {
    const msp = await world()
    const { status, error } = await api.call(msp.key, operation, args)
    expect([status, error?.code, error?.details.max_seconds]).toEqual([400, code, max_seconds])
  })

  it('reaches back as far as figures are kept, and as far ahead', async () => {
    clock.freeze()
    const msp = await world()
    const daysFromNow = (count: number) => new Date(clock.now().getTime() + count * DAY).toISOString()
    const whole = { from: '2000-01-01', to: daysFromNow(399) }
    const { status, data, warnings } = await timeseries(api, msp.key, whole)
    expect([status, data.buckets.at(-1).end, warnings.length]).toEqual([200, whole.to, 1])
    expect(data.buckets.length).toBeGreaterThan(799)
  })

  it('costs two statements, however many buckets and agents there are', async () => {
    const msp = await world()
    const month = { from: '2026-03-01', to: '2026-04-01' }
    const counts = async () => [
      await countStatements(msp.database, () => timeseries(api, msp.user, month)),
      await countStatements(msp.database, () => byAgent(api, msp.user, month)),
    ]
    await counts()
    const before = await counts()
    await addAgents(
      msp,
      Array.from({ length: 20 }, (_, id) => ({ id, created_by_user_id: msp.user.id })),
    )
    await addExecutions(
      msp,
      Array.from({ length: 100 }, (_, n) => ({
        agent_id: n % 20,
        created_at: at(`03-${10 + (n % 20)}T10:00`),
      })),
    )
    expect(await counts()).toEqual(before)
  })
})
