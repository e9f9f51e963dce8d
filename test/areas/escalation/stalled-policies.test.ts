/** The policies of stalled tickets, many of these, and several processes that look for them. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { FIND_STALLED } from '../../../src/areas/escalation/declared.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { clock } from '../../setup/app.ts'
import { performAtOnce } from '../../setup/due.ts'
import { addPolicies, escalationsOf } from '../../setup/escalations.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { countStatements } from '../../setup/statements.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTicket, happen } from '../callbacks/events.ts'
import { knownOf, look, OF_NEW, pass, queue, ticketOf, withTickets } from './quiet-tickets.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const RACES = Number(process.env.TEST_RACES ?? 5)

describe('the policy of a stalled ticket', () => {
  const openedBy = async (msp: Msp) =>
    (await escalationsOf(msp)).map(({ policy_name, agent_id }) => [policy_name, agent_id])

  /** Ticket 1 on which agent 1 worked, and then agent 2. */
  async function withAgents(policies: readonly object[]): Promise<Msp> {
    const msp = await withTickets(policies)
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    await addExecutions(msp, [
      { execution_id: 'exe_1', agent_id: 1, entity_id: '1', created_at: new Date(clock.now().getTime() - 2) },
      { execution_id: 'exe_2', agent_id: 2, entity_id: '1', created_at: clock.now() },
      { execution_id: 'exe_3', agent_id: 1, entity_id: '2', created_at: clock.now() },
    ])
    pass(60)
    return msp
  }

  const named = (name: string, agent_ids: number[] = [], policy: object = {}) => ({
    ...OF_NEW,
    is_default: false,
    name,
    agent_ids,
    ...policy,
  })

  test('is that of the agent that worked on it last', async () => {
    const msp = await withAgents([
      { is_default: true },
      named('first', [1]),
      named('all'),
      named('last', [2]),
    ])
    await look(msp)
    expect(await openedBy(msp)).toEqual([['last', 2]])
  })

  test('is one for all agents if the agent has none', async () => {
    const msp = await withAgents([{ is_default: true }, named('first', [1]), named('all')])
    await look(msp)
    expect(await openedBy(msp)).toEqual([['all', 2]])
  })

  test('is the default at last', async () => {
    const msp = await withAgents([
      { ...OF_NEW, name: 'default', agent_ids: [1], is_default: true },
      named('first', [1]),
    ])
    await look(msp)
    expect(await openedBy(msp)).toEqual([['default', 2]])
  })

  test('is none of another agent: the PSA is not asked', async () => {
    const msp = await withAgents([{ is_default: true }, named('first', [1])])
    expect(await look(msp)).toEqual([])
    await addPolicies(msp, [named('last', [2])])
    expect(await look(msp)).toEqual(['1'])
    expect(await openedBy(msp)).toEqual([['last', 2]])
  })

  test('is one whose minutes and statuses hold', async () => {
    const msp = await withTickets([
      { ...OF_NEW, name: 'later', stalled_minutes: 90 },
      named('other status', [], { stalled_statuses: ['In progress'] }),
      named('sooner', [], { stalled_minutes: 30 }),
    ])
    pass(30)
    await look(msp)
    expect(await openedBy(msp)).toEqual([['sooner', null]])
  })
})

describe('many quiet tickets', () => {
  test('are asked for 50 at a time, the longest quiet first', async () => {
    const msp = await withTickets()
    const { database, tenant_id, environment } = msp
    const ids = Array.from({ length: 60 }, (_, index) => String(100 + index))
    await addPsaTickets(
      msp,
      ids.map((ticket_id) => ({ ticket_id })),
    )
    const common = {
      tenant_id,
      environment,
      version: {},
      is_announced: true,
      callback_id: 'c',
      open_status: 'New',
    }
    const since = clock.now().getTime() - 60_000
    await database.prisma.callbackEntity.createMany({
      data: ids.map((id, index) => ({
        ...common,
        source: 'POLL' as const,
        entity: `TICKET/${id}`,
        seen_at: clock.now(),
        quiet_since: new Date(since + index),
      })),
    })
    pass(60)
    expect(await look(msp)).toEqual(ids.slice(0, 50))
    expect(await look(msp)).toEqual(['1', ...ids.slice(50)])
    expect(await escalationsOf(msp)).toHaveLength(61)
  })

  test('cost two statements a minute where none is quiet for so long', async () => {
    const msp = await withTickets([OF_NEW], ['1', '2', '3'])
    pass(30)
    expect(await countStatements(msp.database, () => queue(msp))).toBe(2)
  })

  test('cost one statement a minute where no policy has the trigger', async () => {
    const msp = await withTickets([{}], ['1', '2', '3'])
    pass(600)
    expect(await countStatements(msp.database, () => queue(msp))).toBe(1)
  })
})

describe.runIf(process.env.DATABASE_URL)('at once', () => {
  const jobs = ({ database, tenant_id }: Msp) => database.prisma.$queryRaw<object[]>`
    select id from pgboss.job where name = ${FIND_STALLED.name} and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}`

  test('several processes that look enqueue one job', async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await withTickets()
      pass(60)
      await Promise.all(Array.from({ length: 4 }, () => queue(msp)))
      expect(await jobs(msp)).toHaveLength(1)
    }
  })

  test('several jobs of a tenant open one escalation for a ticket', async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await withTickets()
      pass(60)
      await queue(msp)
      await performAtOnce(msp, FIND_STALLED.name, 4)
      expect(await escalationsOf(msp)).toHaveLength(1)
    }
  })

  test('a look and an event of a touch leave the ticket as the event told', async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await withTickets()
      pass(60)
      await queue(msp)
      await changeTicket(msp, { updated_at: clock.now() })
      await Promise.all([performAtOnce(msp, FIND_STALLED.name), happen(msp, [{}])])
      expect((await knownOf(msp)).quiet_since).toEqual((await ticketOf(msp)).updated_at)
      expect(await escalationsOf(msp)).toEqual([])
    }
  })
})
