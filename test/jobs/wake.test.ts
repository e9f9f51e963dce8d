import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { systemJob } from '../../src/jobs/job.ts'
import { createWaker, JOB_CHANNEL } from '../../src/jobs/wake.ts'
import { statementsOf } from '../setup/statements.ts'
import { until } from '../setup/until.ts'
import { jobService } from './service.ts'

async function service(work: () => void = () => {}) {
  const job = systemJob({ name: 'notes.write', payload: z.object({}), handler: async () => work() })
  const { app, database, call } = await jobService([job])
  onTestFinished(() => app.close(1000))
  return { app, database, enqueueOne: () => call((ctx) => enqueue(ctx, job, {})) }
}

test('a worker is told of a job: it does not wait for the next look', async () => {
  let done = 0
  const { app, enqueueOne } = await service(() => void done++)
  app.work()
  await enqueueOne()
  await until(() => done === 1)
  const started = performance.now()
  for (let number = 2; number <= 20; number++) {
    await enqueueOne()
    await until(() => done === number)
  }
  // Nineteen looks, each two seconds after the one before, would take 38 seconds.
  expect(performance.now() - started).toBeLessThan(15_000)
})

test('the transaction that enqueues a job does not notify: one of its own does afterwards', async () => {
  const { database, enqueueOne } = await service()
  const told: string[] = []
  const connected = Promise.withResolvers<void>()
  const stop = database.listen(JOB_CHANNEL, {
    connected: connected.resolve,
    notified: (queue) => told.push(queue),
  })
  await connected.promise
  const sent = await statementsOf(
    database,
    async () => {
      await enqueueOne()
      await until(() => told.length > 0)
    },
    /pg_notify/,
  )
  await stop()
  expect(sent).toHaveLength(1)
  expect(sent[0]?.values).toEqual([['test/notes.write']])
  expect(told).toEqual(['test/notes.write'])
})

test('what is to be told while a notification is under way is told by the next one, once', async () => {
  const asked: unknown[] = []
  const answers: (() => void)[] = []
  const wake = createWaker({
    rows: (_statement, values) => {
      asked.push(...values)
      return new Promise((resolve) => answers.push(() => resolve([])))
    },
  })
  for (const queue of ['a', 'b', 'c', 'b']) wake(queue)
  expect(asked).toEqual([['a']])
  answers[0]?.()
  await until(() => asked.length === 2)
  expect(asked).toEqual([['a'], ['b', 'c']])
  answers[1]?.()
})
