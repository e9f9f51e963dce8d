import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sumOfCredits } from '../../../src/areas/billing/rules.ts'
import { apis } from '../../setup/api.ts'
import { type Msp, world } from '../../setup/world.ts'
import { addAgents, addCredits, addExecutions, at, share, summary, tenancy } from '../performance/rows.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = at('03-26T00:00:00').getTime()

/** Instants of six days, in which clocks go forward, many of them on the borders of days. */
const instant = fc
  .oneof(
    fc.integer({ min: 0, max: 6 * 24 }).map((hours) => hours * HOUR),
    fc.integer({ min: 0, max: 6 * DAY }),
  )
  .chain((ms) => fc.constantFrom(ms, Math.max(0, ms - 1)))
  .map((ms) => new Date(START + ms))
const credits = fc.integer({ min: 0, max: 99_999 }).map((units) => units / 1000)
const rows = fc.record({
  executions: fc.array(fc.record({ agent_id: fc.nat(2), credits_consumed: credits, created_at: instant }), {
    maxLength: 25,
  }),
  entries: fc.array(fc.record({ agent_id: fc.nat(2), credits, at: instant }), { maxLength: 8 }),
})
const question = fc.record({
  window: fc.tuple(instant, instant).filter(([from, to]) => from < to),
  granularity: fc.constantFrom('HOUR', 'DAY', 'WEEK', 'MONTH'),
  group_by: fc.constantFrom(undefined, 'AGENT', 'AUTONOMY_TYPE'),
  autonomy_type: fc.constantFrom(undefined, 'AGENTIC', 'CONVERSATIONAL'),
})
const zones = fc.constantFrom(null, 'Europe/London', 'Asia/Kathmandu', 'America/St_Johns')

type Rows = typeof rows extends fc.Arbitrary<infer Value> ? Value : never

async function put(msp: Msp, { executions, entries }: Rows, timezone: string | null): Promise<void> {
  const { prisma } = msp.database
  const where = tenancy(msp)
  await prisma.execution.deleteMany({ where })
  await prisma.creditEntry.deleteMany({ where })
  await prisma.settings.updateMany({ where, data: { timezone } })
  await addExecutions(msp, executions)
  await addCredits(msp, entries)
}

interface Bucket {
  start: string
  end: string
  credits: number
  executions: number
  chat_messages: number
  groups: { credits: number }[] | null
}

/** The figures of a bucket by looking at every row of the agents. */
function scanned({ executions, entries }: Rows, { start, end }: Bucket, agents: readonly number[]) {
  const [from, to] = [new Date(start), new Date(end)]
  const own = executions.filter(
    ({ agent_id, created_at }) => agents.includes(agent_id) && from <= created_at && created_at < to,
  )
  const chats = entries.filter(
    (entry) => agents.includes(entry.agent_id) && from <= entry.at && entry.at < to,
  )
  return {
    credits: sumOfCredits([
      ...own.map((each) => each.credits_consumed),
      ...chats.map((each) => each.credits),
    ]),
    executions: own.length,
    chat_messages: chats.length,
  }
}

describe.each(apis)('billing usage of any rows, through $name,', (api) => {
  it('is what a scan says of each bucket, and adds up to the performance summary', async () => {
    const msp = await world()
    await addAgents(msp, [
      { id: 0, created_by_user_id: msp.user.id },
      { id: 1, autonomy_type: 'CONVERSATIONAL' },
      { id: 2 },
    ])
    await share(msp, 1, msp.user)
    const KINDS: Record<string, number[]> = { AGENTIC: [0, 2], CONVERSATIONAL: [1] }
    await fc.assert(
      fc.asyncProperty(
        rows,
        zones,
        fc.array(question, { minLength: 1, maxLength: 4 }),
        async (given, zone, asked) => {
          await put(msp, given, zone)
          for (const { window, granularity, group_by, autonomy_type } of asked) {
            const [from, to] = window.map((each) => each.toISOString())
            const kind = autonomy_type && { autonomy_type }
            for (const [caller, visible] of [
              [msp.key, [0, 1, 2]],
              [msp.user, [0, 1]],
            ] as const) {
              const args = { from, to, granularity, ...(group_by && { group_by }), ...kind }
              const { data } = await api.call(caller, 'billing_usage', args)
              const agents = visible.filter((id) => !autonomy_type || KINDS[autonomy_type]?.includes(id))
              for (const bucket of data.buckets as Bucket[]) {
                expect(bucket).toMatchObject(scanned(given, bucket, agents))
                if (group_by)
                  expect(sumOfCredits((bucket.groups ?? []).map((each) => each.credits))).toBe(bucket.credits)
              }
              const totals = (await summary(api, caller, { from, to, ...kind })).data
              expect(data.total_credits).toBe(totals.credits_consumed)
              if (autonomy_type !== 'CONVERSATIONAL') {
                const executions = data.buckets.map((bucket: Bucket) => bucket.executions)
                expect(executions.reduce((a: number, b: number) => a + b, 0)).toBe(totals.total_executions)
              }
            }
          }
        },
      ),
      { numRuns: 12 },
    )
  })
})
