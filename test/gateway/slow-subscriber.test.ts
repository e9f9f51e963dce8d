/** A subscriber whose client takes its updates more slowly than they come. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { LiveBatch } from '../../src/db/live/events.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { startApp } from '../setup/app.ts'
import { subscribe } from '../setup/streams.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'

const UPDATES = `subscription ($after: Cursor) {
  execution_updates(after: $after) { id execution { execution_id a: error b: error c: error d: error } }
}`

/** Four of them are more than what the sockets on both sides hold back. */
const LONG = 'x'.repeat(3_000_000)
const WAITING_AT_MOST = 1000

/** A tenant with executions, and a subscriber who takes nothing of what has changed until it is let. */
async function blockedSubscriber(overrides: Record<string, string> = {}) {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  const own = { agent_id: 1, status: 'NEW' as const }
  await addExecutions(msp, [
    { ...own, execution_id: 'long', error: LONG },
    { ...own, execution_id: 'short' },
    { ...own, execution_id: 'last' },
  ])
  const { app, base } = await startApp(msp.database, overrides)
  onTestFinished(() => app.close(0))
  const { change_feed: changes } = app.services
  const { follow } = changes
  const told: (() => void)[] = []
  changes.follow = (tenancy, follower) =>
    follow(tenancy, (batch: LiveBatch) => {
      told.push(() => follower(batch))
      follower(batch)
    })
  const change = async (execution_id: string) => {
    const before = told.length
    const where = { tenant_id: msp.tenant_id, execution_id }
    await msp.database.prisma.execution.updateMany({ where, data: { status: 'RUNNING' } })
    await until(() => told.length > before)
  }
  const { promise, resolve: letRead } = Promise.withResolvers<void>()
  const stream = await subscribe(msp.key, UPDATES, { base, read_from: promise })
  await change('long')
  await change('short')
  return { msp, base, changes, change, stream, letRead, tellAgain: () => told.at(-1)?.() }
}

it('a slow subscriber is told so when 1,000 batches wait for it, and goes on after what it has got', async () => {
  const { msp, base, changes, change, stream, letRead, tellAgain } = await blockedSubscriber()
  await change('last')
  for (let n = 0; n <= WAITING_AT_MOST; n++) tellAgain()
  letRead()
  await stream.ended
  expect([stream.code(), stream.isComplete()]).toEqual(['subscriber_too_slow', false])
  expect(stream.updates().length).toBeLessThan(3)
  expect(changes.followers(msp)).toBe(0)
  const rest = await subscribe(msp.key, UPDATES, { base, variables: { after: stream.ids().at(-1) } })
  await until(() => rest.updates().at(-1)?.execution.execution_id === 'last')
})

it('a slow subscriber is told so when an update has waited too long for it', async () => {
  const { change, stream, letRead, tellAgain } = await blockedSubscriber({ SUBSCRIBER_LAG_MS: '100' })
  await change('last')
  await sleep(120)
  tellAgain()
  letRead()
  await stream.ended
  expect(stream.code()).toBe('subscriber_too_slow')
})

it('a slow subscriber gets everything while fewer wait', async () => {
  const { change, stream, letRead, tellAgain } = await blockedSubscriber()
  for (let n = 0; n < WAITING_AT_MOST - 2; n++) tellAgain()
  letRead()
  await change('last')
  await stream.reaches(3)
  expect(stream.code()).toBeUndefined()
})
