import { expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import { type Api, type Arguments, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, world } from '../../setup/world.ts'
import { at } from './rows.ts'

const health = (api: Api, caller: Caller, args: Arguments = {}) => api.call(caller, 'execution_health', args)

const NOTHING = {
  started: 0,
  completed: 0,
  failed: 0,
  timed_out: 0,
  cancelled: 0,
  waiting: 0,
  p50_seconds: 0,
  p95_seconds: 0,
}

interface Bucket {
  start: string
  started: number
}

const busy = (buckets: Bucket[]) =>
  buckets.flatMap(({ start, started }) => (started === 0 ? [] : [[start, started]]))

describeApi('execution health', (api) => {
  it('has every hour of the window, and counts what became of its executions', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const created_at = at('10T10:15:00')
    const ended = [1, 2, 3, 4].map((seconds_spent) => ({ seconds_spent }))
    const statuses = [
      ...['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'].map((status, n) => ({ status, ...ended[n] })),
      ...['SKIPPED', 'NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT'].map((status) => ({
        status,
        seconds_spent: 99,
      })),
    ]
    await addExecutions(msp, [
      ...statuses.map((each, n) => ({ execution_id: `e${n}`, agent_id: 1, created_at, ...each })),
      { execution_id: 'first', agent_id: 1, created_at: at('10T09:30:00'), seconds_spent: 0.125 },
      { execution_id: 'before', agent_id: 1, created_at: at('10T09:29:59.999') },
      { execution_id: 'after', agent_id: 1, created_at: at('10T12:00:00') },
    ] as never)
    const window = { since: '2026-06-10T09:30:00.000Z', until: '2026-06-10T12:00:00.000Z' }
    const { status, data } = await health(api, msp.key, window)
    expect([status, data]).toEqual([
      200,
      {
        window: { ...window, timezone: 'UTC' },
        granularity: 'HOUR',
        buckets: [
          {
            ...NOTHING,
            start: '2026-06-10T09:30:00.000Z',
            started: 1,
            completed: 1,
            p50_seconds: 0.125,
            p95_seconds: 0.125,
          },
          {
            start: '2026-06-10T10:00:00.000Z',
            started: 9,
            completed: 1,
            failed: 1,
            timed_out: 1,
            cancelled: 1,
            waiting: 2,
            p50_seconds: 2,
            p95_seconds: 4,
          },
          { start: '2026-06-10T11:00:00.000Z', ...NOTHING },
        ],
      },
    ])
  })

  it('is of the last 24 hours if nothing is said, with every bucket', async () => {
    const msp = await world()
    clock.frozen_at = at('10T12:00:00')
    const { data } = await health(api, await msp.newKey())
    expect(data.buckets.map(({ start }: Bucket) => start)).toEqual(
      Array.from({ length: 24 }, (_, hour) => new Date(Date.UTC(2026, 5, 9, 12 + hour)).toISOString()),
    )
  })

  it('by days has those of the tenant’s zone, and weeks begin on Monday', async () => {
    const msp = await world()
    await msp.database.prisma.settings.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { timezone: 'America/New_York' },
    })
    await addAgents(msp, [{ id: 1 }])
    const times = [
      '2026-11-01T03:59:59Z',
      '2026-11-01T04:00:00Z',
      '2026-11-02T04:59:59Z',
      '2026-11-02T05:00:00Z',
    ]
    await addExecutions(
      msp,
      times.map((time) => ({ execution_id: time, agent_id: 1, created_at: new Date(time) })),
    )
    const args = { since: '2026-10-31T12:00:00Z', until: '2026-11-04', granularity: 'DAY' }
    const { data } = await health(api, msp.key, args)
    expect([data.granularity, data.window.timezone]).toEqual(['DAY', 'America/New_York'])
    expect(data.buckets.map(({ start, started }: Bucket) => [start, started])).toEqual([
      ['2026-10-31T12:00:00.000Z', 1],
      ['2026-11-01T04:00:00.000Z', 2],
      ['2026-11-02T05:00:00.000Z', 1],
      ['2026-11-03T05:00:00.000Z', 0],
    ])
    const weeks = await health(api, msp.key, { ...args, granularity: 'WEEK' })
    expect(weeks.data.buckets.map(({ start, started }: Bucket) => [start, started])).toEqual([
      ['2026-10-31T12:00:00.000Z', 3],
      ['2026-11-02T05:00:00.000Z', 1],
    ])
  })

  it.each([
    [{ since: '2026-06-01', until: '2026-06-08T00:00:00.001Z' }, 'window_too_large', 604_800],
    [
      { since: '2026-06-01', until: '2026-07-02T00:00:01Z', granularity: 'DAY' },
      'window_too_large',
      2_678_400,
    ],
    [{ since: '2026-06-02', until: '2026-06-01' }, 'invalid_window', 604_800],
  ])('of %j is refused with 400 %s', async (args, code, max_seconds) => {
    const msp = await world()
    const { status, error } = await health(api, msp.key, args)
    expect([status, error?.code, error?.details.max_seconds]).toEqual([400, code, max_seconds])
  })

  it('takes the longest windows, and the ends of time in any zone', async () => {
    const msp = await world()
    await msp.database.prisma.settings.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { timezone: 'America/New_York' },
    })
    const lengths: number[] = []
    for (const args of [
      { since: '2026-06-01', until: '2026-06-08' },
      { since: '2026-06-01', until: '2026-07-02', granularity: 'DAY' },
      { since: '0001-01-01', until: '0001-01-02' },
      { since: '0001-01-01', until: '0001-01-01T12:00:00Z', granularity: 'MONTH' },
      { since: '9999-12-30', until: '9999-12-31T23:59:59.999Z', granularity: 'DAY' },
    ]) {
      const { status, data, warnings } = await health(api, msp.key, args)
      const is_old = args.since.startsWith('0001')
      expect([status, warnings]).toEqual([200, is_old ? [expect.stringMatching(/^window_retention: /)] : []])
      lengths.push(data.buckets.length)
    }
    // In New York the first hours of the first year belong to the month before.
    expect(lengths).toEqual([168, 32, 24, 2, 3])
  })

  it('is of the agents that the caller sees, in one tenant and one environment', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }, { id: 3 }])
    await share(msp, 2, msp.user.id)
    await share(msp, 2, msp.viewer.id)
    const created_at = at('10T10:15:00')
    const three = [1, 2, 3].map((agent_id) => ({ execution_id: `e${agent_id}`, agent_id, created_at }))
    await addExecutions(msp, three)
    for (const each of [await world(), { ...msp, environment: 'elsewhere' }]) {
      await addAgents(each, [{ id: 1 }, { id: 2 }, { id: 3 }])
      await addExecutions(each, three)
    }
    const counts: unknown[] = []
    for (const caller of [msp.owner, msp.key, msp.user, msp.viewer]) {
      const { data } = await health(api, caller, { since: '2026-06-10', until: '2026-06-11' })
      counts.push(busy(data.buckets))
    }
    const start = '2026-06-10T10:00:00.000Z'
    expect(counts).toEqual([3, 3, 2, 1].map((started) => [[start, started]]))
  })

  it('costs two statements beside the credential, however much there is', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }])
    await addExecutions(
      msp,
      Array.from({ length: 200 }, (_, n) => ({
        execution_id: `e${n}`,
        agent_id: 1,
        created_at: new Date(at('10T00:00:00').getTime() + n * 400_000),
      })),
    )
    const args = { since: '2026-06-10', until: '2026-06-11' }
    for (const caller of [msp.key, msp.user]) {
      await health(api, caller, args)
      expect(await countStatements(msp.database, () => health(api, caller, args))).toBe(3)
    }
  })
})
