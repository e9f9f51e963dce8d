/** A subscriber whose client takes its updates more slowly than they come. */
import { expect, it, onTestFinished } from 'vitest'
import type { LiveBatch } from '../../src/db/live-events.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { startApp } from '../setup/app.ts'
import { subscribe } from '../setup/streams.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'

const UPDATES = `subscription ($after: Cursor) {
  execution_updates(after: $after) { id execution { status a: error b: error c: error d: error } }
}`

/** Four of them are more than what the sockets on both sides hold back. */
const LONG = 'x'.repeat(4_000_000)
const WAITING_AT_MOST = 1000

/** A tenant with an execution, and the service with what it tells the followers of the tenant's changes. */
async function changingExecution() {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  await addExecutions(msp, [{ execution_id: 'e', agent_id: 1, status: 'NEW' }])
  const { app, base } = await startApp(msp.database)
  onTestFinished(() => app.close(0))
  const { changes } = app.services
  const { follow } = changes
  const told: (() => void)[] = []
  changes.follow = (tenancy, follower) =>
    follow(tenancy, (batch: LiveBatch) => {
      told.push(() => follower(batch))
      follower(batch)
    })
  const change = async (status: 'RUNNING' | 'WAITING_FOR_INPUT' | 'COMPLETED') => {
    const before = told.length
    const where = { tenant_id: msp.tenant_id, execution_id: 'e' }
    await msp.database.prisma.execution.updateMany({ where, data: { status, error: LONG } })
    await until(() => told.length > before)
  }
  return { msp, base, followers: () => changes.followers(msp), change, tellAgain: () => told.at(-1)?.() }
}

it('is told so when 1,000 batches wait for it, and goes on after what it has got', async () => {
  const { msp, base, followers, change, tellAgain } = await changingExecution()
  const slow = Promise.withResolvers<void>()
  const stream = await subscribe(msp.key, UPDATES, { base, read_from: slow.promise })
  await change('RUNNING')
  await change('WAITING_FOR_INPUT')
  await change('COMPLETED')
  for (let n = 0; n <= WAITING_AT_MOST; n++) tellAgain()
  slow.resolve()
  await stream.ended
  expect(stream.code()).toBe('subscriber_too_slow')
  expect(stream.updates().length).toBeLessThan(3)
  expect(followers()).toBe(0)
  const rest = await subscribe(msp.key, UPDATES, { base, variables: { after: stream.ids().at(-1) } })
  await until(() => rest.updates().at(-1)?.execution.status === 'COMPLETED')
})

it('is told nothing of the kind while fewer wait', async () => {
  const { msp, base, change, tellAgain } = await changingExecution()
  const slow = Promise.withResolvers<void>()
  const stream = await subscribe(msp.key, UPDATES, { base, read_from: slow.promise })
  await change('RUNNING')
  await change('COMPLETED')
  for (let n = 0; n < WAITING_AT_MOST - 2; n++) tellAgain()
  slow.resolve()
  await stream.reaches(2)
  expect(stream.code()).toBeUndefined()
})
