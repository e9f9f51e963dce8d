/** Twenty tickets that arrive at once, and the processes that decide about them. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { DECIDE } from '../../src/areas/dispatch/declared.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import { startApp } from '../setup/app.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { setDispatch } from '../setup/dispatch.ts'
import { addPsaTechnicians, addPsaTickets } from '../setup/psa.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'
import { startWorkers, WORKERS } from './workers.ts'

const TICKETS = Array.from({ length: 20 }, (_, index) => `t${index}`)
const TECHNICIANS = [1, 2, 3, 4]
const DECIDED_MS = 120_000
const TEST_MS = DECIDED_MS + 60_000

type Settings = NonNullable<Parameters<typeof setDispatch>[1]>

/** The number of tickets that each technician got, after three processes have decided about all of them. */
async function sharesOf(settings: Settings): Promise<number[]> {
  const url = (await cloneUrl()) ?? ''
  const database = await openTestDatabase(url)
  await installJobs(database, 'test', JOBS)
  const { app } = await startApp(database)
  const { tenant_id, environment, ...msp } = await world(database)
  const office = { tenant_id, environment, ...msp }
  await addTechnicians(
    office,
    TECHNICIANS.map((id) => ({ id, psa_id: 10 + id, is_ready: true })),
  )
  await setDispatch(office, { respect_schedules: false, ...settings })
  await addPsaTechnicians(
    office,
    TECHNICIANS.map((id) => ({ psa_id: 10 + id })),
  )
  await addPsaTickets(
    office,
    TICKETS.map((ticket_id) => ({ ticket_id })),
  )
  const ctx = serviceContext(app.services, 'test', 'test', { tenant_id, environment })
  await inTransaction(ctx, 10_000, async () => {
    for (const ticket_id of TICKETS) await enqueue(ctx, DECIDE, { ticket_id })
  })
  const workers = startWorkers(url, 'runs')
  onTestFinished(async () => {
    workers.kill()
    await app.close(1000)
    await database.close()
  })
  const { dispatchDecision } = database.prisma
  const status = settings.mode === 'AUTO' ? 'APPLIED' : 'SUGGESTED'
  const decided = () => dispatchDecision.findMany({ where: { tenant_id, status } })
  await until(async () => (await decided()).length === TICKETS.length, DECIDED_MS)
  expect(workers.running()).toBe(WORKERS)
  const chosen = (await decided()).map(({ chosen_technician_id }) => chosen_technician_id)
  return TECHNICIANS.map((id) => chosen.filter((one) => one === id).length)
}

describe.runIf(process.env.DATABASE_URL)('of twenty tickets at once, on three processes,', () => {
  it.each<Settings>([
    { strategy: 'BEST_FIT', mode: 'SUGGEST' },
    { strategy: 'ROUND_ROBIN', mode: 'SUGGEST' },
    { strategy: 'ROUND_ROBIN', mode: 'AUTO' },
  ])('every technician gets as many by $strategy in mode $mode', { timeout: TEST_MS }, async (settings) => {
    expect(await sharesOf(settings)).toEqual([5, 5, 5, 5])
  })

  // A ticket that the PSA shows already may still count as pending for a moment: it counts twice, and never not at all.
  it('every technician gets nearly as many by BEST_FIT in mode AUTO', { timeout: TEST_MS }, async () => {
    const shares = await sharesOf({ strategy: 'BEST_FIT', mode: 'AUTO' })
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(TICKETS.length)
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(2)
  })
})
