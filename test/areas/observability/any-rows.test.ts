import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHANGE_TYPES } from '../../../src/areas/change-types/catalogue.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { addCallbacks, addCalls, addMatches } from '../../setup/callbacks.ts'
import { type Msp, world } from '../../setup/world.ts'
import { funnel } from './rows.ts'

const START = Date.UTC(2026, 2, 10)
const HOUR = 3_600_000

/** Instants of three days, many of them on full hours and at the same time as others. */
const instant = fc
  .oneof(
    fc.integer({ min: 0, max: 72 }).map((hours) => hours * HOUR),
    fc.integer({ min: 0, max: 72 * HOUR }),
  )
  .chain((ms) => fc.constantFrom(ms, ms, Math.max(0, ms - 1)))
const seconds = fc.oneof(
  fc.constant(0),
  fc.nat(5000).map((ms) => ms / 1000),
)
const STATUSES = ['RECEIVED', 'FILTERED_OUT', 'QUEUED', 'PROCESSING', 'PROCESSED', 'FAILED'] as const
const outcomeOfMatch = fc.option(
  fc.option(fc.constantFrom('COMPLETED', 'RUNNING', 'SKIPPED', 'WAITING_FOR_INPUT', 'FAILED')),
)
const callback = fc.record({
  received: instant,
  status: fc.oneof(fc.constantFrom(...STATUSES), fc.constant('PROCESSED' as const)),
  change_types: fc.subarray(CHANGE_TYPES.slice(0, 4)),
  entity_type: fc.constantFrom('TICKET' as const, 'CONTACT' as const),
  entity_id: fc.constantFrom('1', '2', '3'),
  delivery: fc.option(fc.integer({ min: -3000, max: 90_000 })),
  sleep_seconds: seconds,
  wait_seconds: seconds,
  psa_wait_seconds: seconds,
  work_seconds: seconds,
  duration: fc.nat(400_000),
  // By agent: no match, a match, or one that started an execution in this status.
  matches: fc.tuple(outcomeOfMatch, outcomeOfMatch),
})
const call = fc.record({
  at: instant,
  system: fc.constantFrom('HALO_PSA', 'SUPEROPS', 'HUDU'),
  wait_seconds: seconds,
  ok: fc.boolean(),
})
const data = fc.record({
  callbacks: fc.array(callback, { maxLength: 60 }),
  calls: fc.array(call, { maxLength: 40 }),
})

type Data = typeof data extends fc.Arbitrary<infer Value> ? Value : never

/** The value at rank ⌈95 % of n⌉; 0 of none. */
function nearestRank(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil((95 * sorted.length) / 100) - 1] ?? 0
}

/** The funnel by looking at every row. */
function scanned({ callbacks, calls }: Data, [since, until]: readonly [number, number], all: boolean) {
  const inside = (ms: number) => since <= ms && ms < until
  const received = callbacks.filter((each) => inside(each.received))
  const of = (...statuses: string[]) => received.filter(({ status }) => statuses.includes(status))
  const processed = of('PROCESSED')
  const limited = received.flatMap(({ psa_wait_seconds: wait }) => (wait > 0 ? [wait] : []))
  const waited = received.filter(({ wait_seconds }) => wait_seconds > 0)
  const psa = calls.filter(({ at, system }) => inside(at) && system !== 'HUDU')
  const matches = received.flatMap((each) => (all ? each.matches : each.matches.slice(0, 1)))
  const evaluated = matches.filter((match) => match !== null).length
  const finished = matches.filter((match) => ['COMPLETED', 'SKIPPED', 'FAILED'].includes(match ?? '')).length
  return {
    callbacks: {
      received: received.length,
      filtered_out: of('FILTERED_OUT').length,
      processed: processed.length,
      failed: of('FAILED').length,
      in_flight: of('RECEIVED', 'QUEUED', 'PROCESSING').length,
      unique_entities: new Set(received.map((each) => `${each.entity_type} ${each.entity_id}`)).size,
      webhook_delivery_p95_seconds: nearestRank(
        received.flatMap(({ delivery }) => (delivery === null ? [] : [Math.max(0, delivery) / 1000])),
      ),
      by_change_type: Object.fromEntries(
        CHANGE_TYPES.map((code) => [
          code,
          received.filter((each) => each.change_types.includes(code)).length,
        ]),
      ),
    },
    concurrency_cap: {
      exhausted_count: waited.length,
      max_wait_seconds: Math.max(0, ...waited.map(({ wait_seconds }) => wait_seconds)),
      p95_wait_seconds: nearestRank(waited.map(({ wait_seconds }) => wait_seconds)),
    },
    events_processed: {
      count: processed.length,
      p95_actual_work_seconds: nearestRank(processed.map(({ work_seconds }) => work_seconds)),
      p95_configured_sleep_seconds: nearestRank(processed.map(({ sleep_seconds }) => sleep_seconds)),
      p95_total_duration_seconds: nearestRank(processed.map(({ duration }) => duration / 1000)),
    },
    psa_api: {
      calls: psa.length,
      failures: psa.filter(({ ok }) => !ok).length,
      p95_wait_seconds: nearestRank(psa.map(({ wait_seconds }) => wait_seconds)),
      limited_count: limited.length,
      max_limit_wait_seconds: Math.max(0, ...limited),
      p95_limit_wait_seconds: nearestRank(limited),
    },
    workflows_triggered: {
      finished,
      useful_vs_evaluated_ratio_pct: evaluated === 0 ? 0 : Math.round((finished / evaluated) * 10_000) / 100,
    },
  }
}

/** The tenant has these rows and no others. */
async function put(msp: Msp, { callbacks, calls }: Data): Promise<void> {
  const { prisma } = msp.database
  const where = { tenant_id: msp.tenant_id }
  await prisma.callback.deleteMany({ where })
  await prisma.execution.deleteMany({ where })
  await prisma.upstreamCall.deleteMany({ where })
  const rows = callbacks.map(({ received, delivery, duration, matches, ...row }, n) => {
    const is_done = row.status === 'PROCESSED' || row.status === 'FAILED'
    const received_at = new Date(START + received)
    return {
      callback: {
        ...row,
        id: `cb_${n}`,
        received_at,
        psa_changed_at: delivery === null ? null : new Date(START + received - delivery),
        processed_at: is_done ? new Date(START + received + duration) : null,
      },
      matches: matches.flatMap((status, index) =>
        status === null ? [] : [{ status, agent_id: index + 1, callback_id: `cb_${n}`, received_at }],
      ),
    }
  })
  await addCallbacks(
    msp,
    rows.map(({ callback }) => callback),
  )
  const matches = rows.flatMap((row) => row.matches)
  const idOf = ({ callback_id, agent_id }: (typeof matches)[number]) => `exe_${callback_id}_${agent_id}`
  await addExecutions(
    msp,
    matches.flatMap((match) =>
      match.status
        ? [
            {
              execution_id: idOf(match),
              agent_id: match.agent_id,
              status: match.status as never,
              created_at: match.received_at,
            },
          ]
        : [],
    ),
  )
  await addMatches(
    msp,
    matches.map(({ status, ...match }) => ({
      ...match,
      ...(status ? { execution_id: idOf({ status, ...match }) } : { result: 'NOT_MATCHED' as const }),
    })),
  )
  await addCalls(
    msp,
    calls.map(({ at, ...each }) => ({ ...each, at: new Date(START + at) })),
  )
}

describeApi('the callback funnel', (api) => {
  describe('of any rows', () => {
    it('is what a scan says for every window and caller, and its states add up', async () => {
      const msp = await world()
      await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
      const window = fc.tuple(instant, instant).filter(([since, until]) => since < until)
      const windows = fc.array(window, { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(data, windows, async (rows, asked) => {
          await put(msp, rows)
          for (const [since, until] of [...asked, [0, 73 * HOUR] as const]) {
            const args = {
              since: new Date(START + since).toISOString(),
              until: new Date(START + until).toISOString(),
            }
            for (const [all, caller] of [
              [true, msp.key],
              [false, msp.user],
            ] as const) {
              const { window: _, ...figures } = (await funnel(api, caller, args)).data
              expect(figures).toEqual(scanned(rows, [since, until], all))
              const { received, filtered_out, processed, failed, in_flight } = figures.callbacks
              expect(filtered_out + processed + failed + in_flight).toBe(received)
            }
          }
        }),
        { numRuns: 25 },
      )
    })
  })
})
