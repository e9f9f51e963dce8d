/** Workers that look for due entries at once, on PostgreSQL: an embedded database does one thing after another. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { apis } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { queueDueOf, startDueOf, waitingEntries } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { addScheduledWork } from '../../setup/scheduled-work.ts'
import { type Msp, world } from '../../setup/world.ts'
import { executionsOf, installQueues, queued } from '../agents/runnable.ts'

beforeAll(installQueues)

const WORKERS = 10
const MANY = 1000

/** A tenant with so many tickets, and as many entries that are due, the last of them for longest. */
async function dueMsp(count: number): Promise<Msp> {
  onTestFinished(() => clock.reset())
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  const numbers = Array.from({ length: count }, (_, number) => number)
  await addPsaTickets(
    msp,
    numbers.map((number) => ({ ticket_id: `t${number}` })),
  )
  const now = clock.now().getTime()
  await addScheduledWork(
    msp,
    numbers.map((number) => ({
      workflow_id: 1,
      ticket_id: `t${number}`,
      scheduled_for: new Date(now - (number + 1) * 60_000),
    })),
  )
  return msp
}

const entriesOf = ({ database, tenant_id }: Msp) =>
  database.prisma.scheduledWork.findMany({ where: { tenant_id }, orderBy: { scheduled_for: 'asc' } })

describe.runIf(process.env.DATABASE_URL)('workers at once', () => {
  it('start one due entry once', async () => {
    const msp = await dueMsp(1)
    await times(() => startDueOf(msp), WORKERS)
    expect(await entriesOf(msp)).toMatchObject([{ status: 'COMPLETED', attempt: 1 }])
    expect([(await executionsOf(msp)).length, (await queued(msp)).length]).toEqual([1, 1])
  })

  it(`queue ${MANY} entries after downtime once, and start each once, those that were due for longest first`, async () => {
    const msp = await dueMsp(MANY)
    await times(() => queueDueOf(msp), WORKERS)
    expect(await waitingEntries(msp)).toHaveLength(MANY)
    await startDueOf(msp)
    const entries = await entriesOf(msp)
    expect(new Set(entries.map(({ status, attempt }) => `${status} ${attempt}`))).toEqual(
      new Set(['COMPLETED 1']),
    )
    const executions = await executionsOf(msp)
    expect(executions.map(({ execution_id }) => execution_id)).toEqual(
      entries.map(({ execution_id }) => execution_id),
    )
    expect((await queued(msp)).length).toBe(MANY)
  })

  it('and a caller who cancels it: it is started or cancelled, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const msp = await dueMsp(1)
      const [entry] = await entriesOf(msp)
      const [answer] = await Promise.all([
        apis[round % 2]?.call(msp.key, 'cancel_scheduled_work', { entry_id: entry?.id }),
        startDueOf(msp),
      ])
      const [after] = await entriesOf(msp)
      const executions = await executionsOf(msp)
      if (answer?.status === 200) expect([after?.status, executions.length]).toEqual(['CANCELLED', 0])
      else {
        expect(answer?.error?.code).toBe('scheduled_work_not_cancellable')
        expect([after?.status, executions.length]).toEqual(['COMPLETED', 1])
      }
    }
  })

  it('start an agent on a ticket once, whether for two entries or by a caller who runs it now', async () => {
    for (let round = 0; round < 10; round++) {
      const msp = await dueMsp(1)
      const scheduled_for = new Date(clock.now().getTime() - 5 * 60_000)
      await addScheduledWork(msp, [{ workflow_id: 1, ticket_id: 't0', scheduled_for }])
      const [answer] = await Promise.all([
        apis[round % 2]?.call(msp.key, 'run_agent_now', { agent_id: 1, input: { entity_id: 't0' } }),
        startDueOf(msp),
        startDueOf(msp),
      ])
      expect(answer?.status).toBe(200)
      const executions = await executionsOf(msp)
      expect(executions).toHaveLength(1)
      expect(await entriesOf(msp)).toMatchObject([
        { status: 'COMPLETED', execution_id: executions[0]?.execution_id },
        { status: 'COMPLETED', execution_id: executions[0]?.execution_id },
      ])
    }
  })
})
