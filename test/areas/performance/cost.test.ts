/** The figures of agents come from rollups, whatever happened in the window. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Measuring, measure, pagesOf, startMeasuring } from '../../lists/deep-pages.ts'
import { type Msp, world } from '../../setup/world.ts'
import { addAgents } from './rows.ts'

const EXECUTIONS = 3000
/** Of so many executions one is for a ticket that the same agent has worked on before. */
const REPEATS_IN = 10
const AGENTS = [1, 2, 3]
const WINDOW = { from: '2026-10-01T00:00:00Z', to: '2026-10-11T00:00:00Z' }

const FILL = `insert into execution (tenant_id, environment, execution_id, agent_id, status, trigger, entity_type,
    entity_id, created_at, updated_at, finished_at)
  select $1, $2, 'exe_' || n, 1 + n % ${AGENTS.length}, 'COMPLETED', 'TRIGGERED', 'TICKET',
    case when n % ${REPEATS_IN} = 0 then n - ${AGENTS.length} else n end, at, at, at
  from generate_series(1, ${EXECUTIONS}) n,
    lateral (select $3::timestamptz + n * interval '4 minutes' as at) instants`

let measuring: Measuring
let msp: Msp

describe.runIf(process.env.DATABASE_URL)('a page of the figures of agents', () => {
  beforeAll(async () => {
    measuring = await startMeasuring()
    msp = await world(measuring.database)
    await addAgents(
      msp,
      AGENTS.map((id) => ({ id, created_by_user_id: id === 1 ? msp.viewer.id : null })),
    )
    const { client } = measuring
    await client.query(FILL, [msp.tenant_id, msp.environment, WINDOW.from])
    for (const table of ['agent', 'execution', 'execution_daily', 'ticket_repeat'])
      await client.query(`analyze ${table}`)
    // A table of so few pages is read whole otherwise.
    await client.query('set enable_seqscan = off')
  })

  afterAll(async () => {
    await measuring.close()
  })

  it('reads days and repeated tickets, not executions', async () => {
    for (const caller of [msp.owner, msp.viewer]) {
      const { whole } = pagesOf(measuring, 'performance_by_agent', caller, WINDOW)
      const { costs } = await measure(measuring, () => whole({ page_size: 50, cursor: null }))
      const rows = Math.max(...costs.map((cost) => cost.rows))
      expect(rows).toBeLessThan(EXECUTIONS / REPEATS_IN + 200)
    }
  })
})
