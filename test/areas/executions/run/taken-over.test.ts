/** Runs whose worker is lost: another one goes on, and no write is made twice. */
import { beforeAll, describe, expect, it } from 'vitest'
import { RUN_EXECUTION } from '../../../../src/areas/executions/engine/run/job.ts'
import { JOBS } from '../../../../src/composition/jobs.ts'
import { inTransaction } from '../../../../src/db/transaction.ts'
import { contextOf, type StoredAttempt } from '../../../../src/jobs/attempt.ts'
import { apis } from '../../../setup/api.ts'
import { testApp } from '../../../setup/app.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRun, performRuns, takeRunJobs } from '../../../setup/runs.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, entriesOf, executionOf, NOTE, STATUS, start, withPsa } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]

/** What a call of a worker comes to whose process is gone. */
const FOREVER = new Promise<never>(() => {})

it.each(['before', 'after'] as const)(
  'a write whose worker is killed %s the PSA made it is made once',
  async (moment) => {
    const msp = await chainMsp([NOTE, STATUS])
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    const killed = Promise.withResolvers<void>()
    const services = await withPsa((psa) => ({
      addNote: async (...args) => {
        if (moment === 'after') await psa.addNote(...args)
        killed.resolve()
        return await FOREVER
      },
    }))
    void performRun(job, { services })
    await killed.promise
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'RUNNING' })
    await performRun(job, { attempt: 2 })
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      run_count: 1,
      credits_consumed: 2,
    })
    const calls = await api.call(msp.key, 'execution_tool_calls', { execution_id })
    expect(calls.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
  },
)

it('a worker that was taken for lost writes nothing more', async () => {
  const msp = await chainMsp([NOTE, STATUS])
  const execution_id = await start(api, msp)
  const [job] = await takeRunJobs(msp)
  if (!job) throw new Error('No job')
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = await withPsa((psa) => ({
    addNote: async (...args) => {
      reached.resolve()
      await goOn.promise
      return await psa.addNote(...args)
    },
  }))
  const first = performRun(job, { services: slow })
  await reached.promise
  await performRun(job, { attempt: 2 })
  const done = await executionOf(api, msp, execution_id)
  goOn.resolve()
  await first
  expect(done).toMatchObject({ status: 'COMPLETED', credits_consumed: 2 })
  expect(await executionOf(api, msp, execution_id)).toEqual(done)
  expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
})

it('a run that is cancelled during a call makes no other, and the call is in the trail', async () => {
  const msp = await chainMsp([NOTE, STATUS])
  const execution_id = await start(api, msp)
  const services = await withPsa((psa) => ({
    addNote: async (...args) => {
      const note = await psa.addNote(...args)
      await api.call(msp.key, 'cancel_execution', { execution_id })
      return note
    },
  }))
  await performRuns(msp, { services })
  expect(await executionOf(api, msp, execution_id)).toMatchObject({
    status: 'CANCELLED',
    credits_consumed: 1,
  })
  expect(await psaOfTenant(msp).ticket('4711')).toMatchObject({ status: 'New' })
  const calls = await api.call(msp.key, 'execution_tool_calls', { execution_id })
  expect(calls.data).toMatchObject([{ tool_name: 'ticket.add_note', outcome: 'SUCCEEDED' }])
})

it('an error of the service itself ends an execution after five attempts', async () => {
  const msp = await chainMsp([NOTE])
  const execution_id = await start(api, msp)
  const [job] = await takeRunJobs(msp)
  if (!job) throw new Error('No job')
  const services = await withPsa(() => ({ addNote: () => Promise.reject(new Error('a bug')) }))
  for (let attempt = 1; attempt < 5; attempt++)
    await expect(performRun(job, { services, attempt })).rejects.toThrow('a bug')
  await performRun(job, { services, attempt: 5 })
  expect(await executionOf(api, msp, execution_id)).toMatchObject({
    status: 'FAILED',
    failure_kind: 'PLATFORM',
    run_count: 1,
    error: 'internal_error: The service itself failed.',
  })
  expect(await entriesOf(api, msp, execution_id)).toMatchObject([{ error_code: 'not_made' }])
})

describe('a run that loses its workers', () => {
  /** A worker is lost while it makes a note: the first one that it makes, or a later one. */
  async function lose(job: Awaited<ReturnType<typeof takeRunJobs>>[number], attempt: number, note = 1) {
    const killed = Promise.withResolvers<void>()
    let notes = 0
    const services = await withPsa((psa) => ({
      addNote: async (...args) => {
        if (++notes < note) return await psa.addNote(...args)
        killed.resolve()
        return await FOREVER
      },
    }))
    void performRun(job, { services, attempt })
    await killed.promise
  }

  async function begun(actions: object[]) {
    const msp = await chainMsp(actions)
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    return { msp, execution_id, job }
  }

  it('at the same call is given up after three', async () => {
    const { msp, execution_id, job } = await begun([NOTE])
    for (let attempt = 1; attempt <= 3; attempt++) await lose(job, attempt)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'RUNNING' })
    await performRun(job, { attempt: 4 })
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'FAILED',
      failure_kind: 'PLATFORM',
      run_count: 1,
      error: expect.stringMatching(/^worker_lost: /),
    })
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([
      { outcome: 'SKIPPED', error_code: 'not_made' },
    ])
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
  })

  it('and gets on between them goes on', async () => {
    const { msp, execution_id, job } = await begun([NOTE, NOTE, NOTE])
    for (let attempt = 1; attempt <= 2; attempt++) await lose(job, attempt)
    for (let attempt = 3; attempt <= 4; attempt++) await lose(job, attempt, 2)
    await performRun(job, { attempt: 5 })
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(3)
  })

  it('and then others that settle its calls, leaves a call that nobody can tell of', async () => {
    const { msp, execution_id, job } = await begun([NOTE])
    await lose(job, 1)
    await api.call(msp.key, 'cancel_execution', { execution_id })
    const run = JOBS.find(({ name }) => name === RUN_EXECUTION.name)
    if (!run) throw new Error('No job')
    const { services } = (await testApp()).app
    const { signal } = new AbortController()
    const stored: StoredAttempt = { id: 'job', data: job.data, retryCount: 4, lost: 4, signal }
    const ctx = contextOf(services, undefined as never, run, stored)
    await inTransaction(ctx, 60_000, async () => await run.onGivenUp?.(ctx, { execution_id }))
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'CANCELLED' })
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([{ error_code: 'outcome_unknown' }])
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id, execution_id }
    expect(await prisma.executionWork.findFirstOrThrow({ where })).toMatchObject({ slot: null })
  })

  it('is not one whose workers stop', async () => {
    const { msp, execution_id, job } = await begun([NOTE])
    for (let attempt = 1; attempt <= 8; attempt++) {
      const stop = new AbortController()
      const services = await withPsa(() => ({
        addNote: () => {
          stop.abort(new Error('the process stops'))
          return FOREVER
        },
      }))
      await expect(performRun(job, { services, attempt, signal: stop.signal })).rejects.toThrow('stops')
    }
    await performRun(job, { attempt: 9 })
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
  })
})
