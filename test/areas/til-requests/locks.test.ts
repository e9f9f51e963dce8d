/** The locks of a step: the execution is locked once, and the slots of its tenant before it or without waiting. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { lockSlots } from '../../../src/areas/executions/engine/run/slots.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { apis } from '../../setup/api.ts'
import { performRuns } from '../../setup/runs.ts'
import { statementsOf } from '../../setup/statements.ts'
import { toolContext } from '../../setup/tool-calls.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { executionOf, NOTE, start, withPsa } from '../executions/run/chain.ts'
import { decisions, openRequest, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]
const { approve } = decisions(api)

/** The statements of the work that lock an execution, by their names. */
const locksOf = async (msp: Msp, work: () => Promise<unknown>) =>
  (await statementsOf(msp.database, work, /from execution e\s[\s\S]*for update of e/)).map(({ name }) => name)

/** Waits until a transaction of this database waits for an advisory lock. */
async function someoneWaits({ database: { prisma } }: Msp): Promise<void> {
  for (;;) {
    const [row] = await prisma.$queryRaw<{ count: number }[]>`select count(*)::int as count
      from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`
    if (row && row.count > 0) return
    await sleep(10)
  }
}

// Statements of a transaction are seen on PostgreSQL alone, and the embedded database has one transaction at a time.
describe.runIf(process.env.DATABASE_URL)('a step', () => {
  it('locks its execution once: of a call that begins to wait, of the decision, and of the call that is made', async () => {
    const msp = await supervisedMsp([NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    const [took, step] = await locksOf(msp, () => performRuns(msp))
    expect([took, step]).toEqual([expect.stringContaining('lock'), expect.stringContaining('lock_run')])
    const request = await openRequest(api, msp, execution_id)
    expect(await locksOf(msp, () => approve(msp.user, request.id))).toEqual([took])
    expect(await locksOf(msp, () => performRuns(msp))).toEqual([took, step])
    await approve(msp.user, (await openRequest(api, msp, execution_id)).id)
    // The call is stored before it is made and after, and then the work ends.
    expect(await locksOf(msp, () => performRuns(msp))).toEqual([took, step, step, step])
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
  })

  it('that begins to wait lets go of its execution while another transaction has the slots', async () => {
    const msp = await supervisedMsp([{ type: 'ticket.read', params: {} }, NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    const [reading, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const services = await withPsa((psa) => ({
      ticket: async (ticket_id) => {
        reading.resolve()
        await read.promise
        return await psa.ticket(ticket_id)
      },
    }))
    const running = performRuns(msp, { services })
    await reading.promise
    const ctx = toolContext(msp)
    await inTransaction(ctx, 30_000, async () => {
      await lockSlots(ctx)
      read.resolve()
      await someoneWaits(msp)
      // The execution is not locked: another transaction locks it without waiting.
      const { prisma } = msp.database
      const [unlocked] = await prisma.$queryRaw<{ status: string }[]>`select status::text as status
        from execution where execution_id = ${execution_id} for update skip locked`
      expect(unlocked).toEqual({ status: 'RUNNING' })
    })
    await running
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
    expect((await openRequest(api, msp, execution_id)).kind).toBe('PLAN')
  })
})
