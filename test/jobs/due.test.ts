/** What is due, in a worker that runs the loops and jobs of the service. */
import { expect, onTestFinished, test } from 'vitest'
import { JOBS, LOOPS } from '../../src/composition/jobs.ts'
import { addAgents } from '../setup/agents.ts'
import { addPsaTickets, psaOfTenant } from '../setup/psa.ts'
import { addScheduledWork } from '../setup/scheduled-work.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { jobService } from './service.ts'

const NOTE = { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'INTERNAL' } }
const HOURLY = { cron: '0 * * * *', timezone: 'Europe/Berlin' }

/** A tenant whose agent 1 is TRIGGERED, whose agent 2 is SCHEDULED, and whose worker works. */
async function working(): Promise<Msp> {
  const { app, database } = await jobService(JOBS, { loops: LOOPS })
  onTestFinished(() => app.close(1000))
  const msp = await world(database)
  const chain = { autonomy_type: 'CHAINED_ACTIONS' as const, actions: [NOTE] }
  await addAgents(msp, [
    { id: 1, ...chain },
    { id: 2, trigger_type: 'SCHEDULED', schedule: HOURLY, ...chain },
  ])
  await addPsaTickets(msp, [{ ticket_id: '4711' }])
  app.work()
  return msp
}

/** The executions of the agent that have ended. */
const ended = ({ database, tenant_id }: Msp, agent_id: number) =>
  database.prisma.execution.findMany({ where: { tenant_id, agent_id, finished_at: { not: null } } })

test('an entry starts when its time comes, and its agent does its work', async () => {
  const msp = await working()
  const scheduled_for = new Date(Date.now() + 1500)
  await addScheduledWork(msp, [{ workflow_id: 1, scheduled_for }])
  await until(async () => (await ended(msp, 1)).length === 1)
  const [execution] = await ended(msp, 1)
  expect(execution).toMatchObject({ status: 'COMPLETED', trigger: 'SCHEDULED_WORK' })
  const [entry] = await msp.database.prisma.scheduledWork.findMany({ where: { tenant_id: msp.tenant_id } })
  expect(entry).toMatchObject({ status: 'COMPLETED', execution_id: execution?.execution_id })
  expect(entry?.executed_at?.getTime()).toBeGreaterThanOrEqual(scheduled_for.getTime())
  expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
})

test('an occurrence starts when its time comes, and its agent does its work', async () => {
  const msp = await working()
  const { agentSchedule } = msp.database.prisma
  const where = { tenant_id: msp.tenant_id, agent_id: 2 }
  // The worker computes the next occurrence, which the test moves to now.
  await until(
    async () => (await agentSchedule.count({ where: { ...where, next_at: { gt: new Date() } } })) === 1,
  )
  await agentSchedule.updateMany({ where, data: { next_at: new Date() } })
  await until(async () => (await ended(msp, 2)).length === 1)
  expect(await ended(msp, 2)).toMatchObject([
    { status: 'COMPLETED', trigger: 'SCHEDULED', entity_id: '4711' },
  ])
  expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
})
