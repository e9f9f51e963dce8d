/** The cost of finding quiet tickets among many: an index is read, and of it what is found. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasQuiet, quietTickets } from '../../../src/areas/callbacks/index.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { type Measuring, startMeasuring } from '../../lists/deep-pages.ts'
import { addAgents } from '../../setup/agents.ts'
import { testApp } from '../../setup/app.ts'
import { costOf, PLAN_MODES } from '../../setup/plans.ts'
import { statementsOf } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'

const TICKETS = 20_000
const STALLED = 40

// A third of them are closed, and the others in two statuses. Few were quiet for a day, and fewer of those in New.
const FILL = `insert into callback_entity (tenant_id, environment, entity, version, is_announced, callback_id, source, seen_at,
    open_status, quiet_since)
  select $1, $2, 'TICKET/' || n, '{}', true, 'c', 'POLL', now(), case n % 3 when 0 then null when 1 then 'New' else 'Waiting' end,
    case when n % 3 = 0 then null else now() - case when n <= $4 then interval '2 days' else interval '1 hour' end end
  from generate_series(1, $3::int) n`

const WORKED_ON = `insert into execution (tenant_id, environment, execution_id, agent_id, trigger, entity_type, entity_id, status,
    created_at, updated_at)
  select $1, $2, 'exe_' || n, 1 + n % 2, 'TRIGGERED', 'TICKET', (1 + n % $3::int)::text, 'COMPLETED', now(), now()
  from generate_series(1, $3::int) n`

describe.runIf(process.env.DATABASE_URL)('among many tickets', () => {
  let measuring: Measuring
  let msp: Msp

  beforeAll(async () => {
    measuring = await startMeasuring()
    msp = await world(measuring.database)
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const { client } = measuring
    const { tenant_id, environment } = msp
    await client.query(FILL, [tenant_id, environment, TICKETS, 3 * STALLED])
    // Triggers keep rollups, which nothing reads here.
    await client.query('alter table execution disable trigger user')
    await client.query(WORKED_ON, [tenant_id, environment, TICKETS])
    await client.query('vacuum analyze callback_entity, execution')
  }, 120_000)
  afterAll(() => measuring.close())

  const limit = (agent_ids: number[] | null) => {
    const before = new Date(Date.now() - 86_400_000)
    return { status: 'New', before, agent_ids }
  }

  async function expectFew(work: () => Promise<unknown>): Promise<void> {
    const sent = await statementsOf(msp.database, work)
    expect(sent).toHaveLength(1)
    for (const statement of sent)
      for (const mode of PLAN_MODES) {
        const { rows } = await costOf(measuring.client, statement, mode)
        expect(rows).toBeLessThanOrEqual(6 * STALLED)
      }
  }

  test.each([
    ['of all agents', null],
    ['of an agent', [1]],
    ['of an agent that there is not', [3]],
  ])('the quiet ones %s are found by the index alone', async (_name, agent_ids) => {
    const { tenant_id, environment, database } = msp
    const services = { ...(await testApp()).app.services, database }
    const ctx = serviceContext(services, 'test', 'test', { tenant_id, environment })
    const found = await quietTickets(ctx, [limit(agent_ids)], 50)
    expect(found.length).toBe({ null: STALLED, 1: STALLED / 2, 3: 0 }[String(agent_ids)])
    await expectFew(() => quietTickets(ctx, [limit(agent_ids)], 50))
  })

  test.each([[null], [[1]], [[3]]])('a tenant with quiet ones is known by the index alone', async (ids) => {
    const { tenant_id, environment, database } = msp
    const services = { ...(await testApp()).app.services, database }
    const ctx = serviceContext(services, 'test', 'test', { tenant_id, environment })
    const find = () => hasQuiet(ctx, [limit(ids)])
    expect(await find()).toBe(String(ids) !== '3')
    await expectFew(find)
  })
})
