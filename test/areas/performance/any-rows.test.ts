import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { type Msp, world } from '../../setup/world.ts'
import {
  addAgents,
  addCredits,
  addExecutions,
  addTickets,
  at,
  NOTHING,
  QUARTER,
  share,
  summary,
  tenancy,
} from './rows.ts'

const HOUR = 3_600_000
const START = at('03-10T00:00:00').getTime()

/** Instants of five days, many of them on the borders of days and of each other. */
const instant = fc
  .oneof(
    fc.integer({ min: 0, max: 5 * 24 }).map((hours) => hours * HOUR),
    fc.integer({ min: 0, max: 10 }).map((halves) => halves * 12 * HOUR),
    fc.integer({ min: 0, max: 5 * 24 * HOUR }),
  )
  .chain((ms) => fc.constantFrom(ms, ms, Math.max(0, ms - 1)))
  .map((ms) => new Date(START + ms))
const agent = fc.record({
  autonomy_type: fc.constantFrom('AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'),
  entity_type: fc.constantFrom('TICKET', 'TIME_ENTRY', 'NONE'),
  created_by: fc.constantFrom('user', 'viewer', 'admin', null),
  shared_with: fc.subarray(['user', 'viewer'] as const),
})
const amount = fc.integer({ min: 0, max: 99_999 }).map((units) => units / 1000)
const execution = fc.record({
  agent_id: fc.nat(3),
  // At most one of an agent is live on a ticket, and to sums a live one is like one that was skipped.
  status: fc.constantFrom('COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED'),
  resolution: fc.constantFrom('NONE', 'PARTIAL', 'FULL'),
  entity_id: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
  seconds_spent: amount,
  hours_saved: amount,
  credits_consumed: amount,
  created_at: instant,
  finished_at: fc.option(instant),
})
const entry = fc.record({ agent_id: fc.nat(3), at: instant, credits: amount })
const data = fc.record({
  agents: fc.array(agent, { minLength: 4, maxLength: 4 }),
  executions: fc.array(execution, { maxLength: 30 }),
  entries: fc.array(entry, { maxLength: 6 }),
  tickets: fc.uniqueArray(fc.nat(5 * 24 * 4 - 1), { maxLength: 10 }),
})
const asked = fc.record({
  window: fc.tuple(instant, instant).filter(([from, to]) => from < to),
  autonomy_type: fc.constantFrom(undefined, 'AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'),
})

type Data = typeof data extends fc.Arbitrary<infer Value> ? Value : never

/** The summary by looking at every row. */
function scanned(
  { agents, executions, entries, tickets }: Data,
  who: 'all' | 'user' | 'viewer',
  [from, to]: [Date, Date],
  kind: string | undefined,
) {
  const agentOf = (id: number) => agents[id] as Data['agents'][number]
  const visible = ({ agent_id }: { agent_id: number }) => {
    const { created_by, shared_with } = agentOf(agent_id)
    return who === 'all' || created_by === who || shared_with.includes(who)
  }
  const ofKind = ({ agent_id }: { agent_id: number }) =>
    kind === undefined || agentOf(agent_id).autonomy_type === kind
  const inside = (when: Date) => from <= when && when < to
  const sum = (values: number[]) => Math.round(values.reduce((a, b) => a + b, 0) * 1000) / 1000
  const theirs = executions.filter(visible)
  const counted = theirs.filter((each) => ofKind(each) && inside(each.created_at))
  const completed = counted.filter(({ status }) => status === 'COMPLETED')
  const earliest = (some: Data['executions']) =>
    some
      .flatMap(({ finished_at }) => finished_at?.toISOString() ?? [])
      .sort()
      .at(0) ?? null
  const credits_consumed = sum([
    ...counted.map((each) => each.credits_consumed),
    ...entries
      .filter((each) => visible(each) && ofKind(each) && inside(each.at))
      .map(({ credits }) => credits),
  ])
  if (kind === 'CONVERSATIONAL') return { ...NOTHING, credits_consumed }
  // The quarters of an hour that begin at or after the one of `from`, and before the one of `to`.
  const numberOf = (when: Date) => Math.floor((when.getTime() - START) / QUARTER)
  const received = tickets.filter((quarter) => numberOf(from) <= quarter && quarter < numberOf(to))
  const worksOn = (type: string) => (each: { agent_id: number }) =>
    agentOf(each.agent_id).entity_type === type
  return {
    credits_consumed,
    total_executions: counted.length,
    successful_executions: completed.length,
    failed_executions: counted.filter(({ status }) => ['FAILED', 'TIMED_OUT'].includes(status)).length,
    fully_resolved_executions: counted.filter(({ resolution }) => resolution === 'FULL').length,
    partially_resolved_executions: counted.filter(({ resolution }) => resolution === 'PARTIAL').length,
    total_hours_saved: sum(completed.map((each) => each.hours_saved)),
    total_seconds_spent: sum(counted.map((each) => each.seconds_spent)),
    total_tickets_received: received.length * 3,
    unique_tickets: new Set(counted.filter(worksOn('TICKET')).flatMap(({ entity_id }) => entity_id ?? []))
      .size,
    earliest_execution_at: earliest(theirs),
    earliest_time_entry_at: earliest(theirs.filter(worksOn('TIME_ENTRY'))),
  }
}

/** Replaces the rows of the tenant. */
async function put(msp: Msp, { agents, executions, entries, tickets }: Data): Promise<void> {
  const { prisma } = msp.database
  const where = tenancy(msp)
  for (const table of [prisma.execution, prisma.creditEntry, prisma.ticketsReceived]) {
    await (table as typeof prisma.execution).deleteMany({ where })
  }
  await prisma.executionDaily.deleteMany({ where })
  await prisma.agent.deleteMany({ where })
  const idOf = (name: 'user' | 'viewer' | 'admin') => msp[name].id
  await addAgents(
    msp,
    agents.map(({ created_by, shared_with: _shared, ...each }, id) => ({
      ...each,
      id,
      created_by_user_id: created_by && idOf(created_by),
    })),
  )
  for (const [id, { shared_with }] of agents.entries()) {
    for (const name of shared_with) await share(msp, id, msp[name])
  }
  await addExecutions(
    msp,
    executions.map((each) => ({ ...each, entity_type: agents[each.agent_id]?.entity_type ?? 'NONE' })),
  )
  await addCredits(msp, entries)
  await addTickets(
    msp,
    tickets.map((number) => ({ quarter: new Date(START + number * QUARTER), count: 3 })),
  )
}

describeApi('the performance summary', (api) => {
  describe('of any rows', () => {
    it('is what a scan says, for every window, kind and caller', async () => {
      const msp = await world()
      await fc.assert(
        fc.asyncProperty(data, fc.array(asked, { minLength: 1, maxLength: 5 }), async (rows, questions) => {
          await put(msp, rows)
          for (const { window, autonomy_type } of questions) {
            const [from, to] = window.map((each) => each.toISOString())
            const args = { from, to, ...(autonomy_type && { autonomy_type }) }
            for (const [who, caller] of [
              ['all', msp.key],
              ['user', msp.user],
              ['viewer', msp.viewer],
            ] as const) {
              const { window: _window, ...totals } = (await summary(api, caller, args)).data
              expect(totals).toEqual(scanned(rows, who, window, autonomy_type))
            }
          }
        }),
        { numRuns: 15 },
      )
    })
  })
})
