import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createBoss } from '../../src/jobs/boss.ts'
import { listDeadLetters, retryDeadLetter } from '../../src/jobs/dead-letters.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { type Job, systemJob, tenantJob } from '../../src/jobs/job.ts'
import { until } from '../setup/until.ts'
import { type JobService, jobService, OFTEN, TENANCY } from './service.ts'

const Nothing = z.object({})
const onServer = Boolean(process.env.DATABASE_URL)

async function service(
  jobs: readonly Job[],
  env: Record<string, string> = {},
  log = pino({ level: 'silent' }),
  database?: JobService['database'],
): Promise<JobService & { base: string; close(ms?: number): Promise<void> }> {
  const made = await jobService(jobs, { log, env, intervals: OFTEN, ...(database && { database }) })
  const port = await made.app.server.listen(0, '127.0.0.1')
  let closed: Promise<void> | undefined
  const close = (ms = 1000) => {
    closed ??= made.app.close(ms)
    return closed
  }
  onTestFinished(() => close())
  return { ...made, base: `http://127.0.0.1:${port}`, close }
}

const stateOf = async ({ rows }: JobService, id: string) =>
  (await rows<{ state: string }>('select state::text from pgboss.job where id = $1::uuid', [id]))[0]?.state

/** A job that runs until the test ends it, and notes whether it was aborted by then, and whether its work was stored. */
function slow() {
  const seen = { started: false, aborted: false, stored: null as boolean | null }
  const over = Promise.withResolvers<void>()
  const job = tenantJob({
    name: 'notes.wait',
    payload: Nothing,
    transaction: false,
    handler: async ({ signal, commit }) => {
      seen.started = true
      await over.promise
      seen.aborted = signal.aborted
      const storing = commit(async () => {})
      seen.stored = await storing.then(
        () => true,
        () => false,
      )
      await storing
    },
  })
  return { job, seen, end: over.resolve }
}

test('a process that stops lets the jobs that run end', async () => {
  const { job, seen, end } = slow()
  const made = await service([job])
  made.app.work()
  const id = await made.call((ctx) => enqueue(ctx, job, {}))
  await until(() => seen.started)
  const closed = made.close(40_000)
  await sleep(200)
  end()
  await closed
  expect(seen).toEqual({ started: true, aborted: false, stored: true })
  expect(await stateOf(made, id)).toBe('completed')
})

test('a process that stops gives back the jobs that do not end in time', async () => {
  const { job, seen, end } = slow()
  const made = await service([job])
  made.app.work()
  const id = await made.call((ctx) => enqueue(ctx, job, {}))
  await until(() => seen.started)
  await made.close(100)
  expect(await stateOf(made, id)).toBe('retry')
  end()
  await until(() => seen.stored !== null)
  expect(seen).toEqual({ started: true, aborted: true, stored: false })
  expect(await stateOf(made, id)).toBe('retry')
})

test('an attempt that takes too long is ended, and its job tried again', async () => {
  const attempts: number[] = []
  const job = tenantJob({
    name: 'notes.wait',
    payload: Nothing,
    timeout_seconds: 1,
    transaction: false,
    handler: async ({ attempt, signal }) => {
      attempts.push(attempt)
      if (attempt === 1) await new Promise((done) => signal.addEventListener('abort', done))
    },
  })
  const made = await service([job])
  made.app.work()
  const id = await made.call((ctx) => enqueue(ctx, job, {}))
  await until(async () => (await stateOf(made, id)) === 'completed')
  expect(attempts).toEqual([1, 2])
})

test('the metrics tell what waits, since when, what failed for good, and each attempt', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const job = tenantJob({
    name: 'notes.fail',
    payload: Nothing,
    retries: 0,
    handler: async () => {
      throw new Error('no')
    },
  })
  const made = await service([job], {}, log)
  const metric = async (name: string) => {
    const text = await (await fetch(`${made.base}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1),
    )
  }
  await made.call(async (ctx) => {
    await enqueue(ctx, job, {})
    await enqueue(ctx, job, {})
    await enqueue(ctx, job, {}, { start_after: new Date(Date.now() + 3_600_000) })
  })
  await made.rows(
    "update pgboss.job set start_after = start_after - interval '2 seconds' where start_after < now()",
  )
  expect(await metric('jobs_waiting{job="notes.fail"}')).toBe(2)
  expect(await metric('jobs_oldest_waiting_seconds{job="notes.fail"}')).toBeGreaterThan(1)
  made.app.work()
  await until(async () => (await metric('jobs_dead{job="notes.fail"}')) === 2)
  await until(async () => (await metric('jobs_died_total{job="notes.fail"}')) === 2)
  expect(lines.filter((line) => line.includes('a job died')).length).toBe(2)
  expect(await metric('jobs_waiting{job="notes.fail"}')).toBe(0)
  expect(await metric('job_attempt_duration_seconds_count{job="notes.fail",outcome="failed"}')).toBe(2)
})

test('a job that lost three workers is given up, and what it was for is ended', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const seen = { handled: 0, given_up: [] as unknown[] }
  const job = tenantJob({
    name: 'notes.kill',
    payload: z.object({ note: z.string() }),
    retries: 0,
    handler: async () => {
      seen.handled++
    },
    onGivenUp: async ({ transaction }, payload) => {
      expect(transaction).not.toBeNull()
      seen.given_up.push(payload)
    },
  })
  const made = await service([job], {}, log)
  const id = await made.call((ctx) => enqueue(ctx, job, { note: 'one' }))
  await made.rows(
    `update pgboss.job set state = 'retry', started_on = now(), retry_count = 2, data = data || '{"lost": 2}',
       output = '{"value": {"message": "job heartbeat timeout"}}' where id = $1::uuid`,
    [id],
  )
  const metrics = async () => await (await fetch(`${made.base}/metrics`)).text()
  made.app.work()
  await until(async () => (await metrics()).includes('jobs_died_total{job="notes.kill"} 1'))
  expect(await metrics()).toContain('jobs_given_up_total{job="notes.kill"} 1')
  expect(seen).toEqual({ handled: 0, given_up: [{ note: 'one' }] })
  const given_up = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg.startsWith('a job is given up'))
  expect(given_up).toMatchObject([{ job: 'notes.kill', job_id: id, lost: 3 }])
  const [letter] = await listDeadLetters(made.database.sql, TENANCY.environment, null)
  expect(letter).toMatchObject({ job: 'notes.kill', error: '3 workers were lost with the job' })
  const boss = await createBoss({ database: made.database, migrate: false, works: false })
  await boss.start()
  await retryDeadLetter(boss, letter?.id ?? '')
  await boss.stop({ graceful: false })
  await until(() => seen.handled === 1)
})

test('a worker that was lost long ago counts as lost, and not as an attempt', async () => {
  const seen: object[] = []
  const job = tenantJob({
    name: 'notes.wait',
    payload: Nothing,
    retries: 0,
    handler: async ({ attempt, taken }) => void seen.push({ attempt, taken }),
  })
  const made = await service([job])
  const id = await made.call((ctx) => enqueue(ctx, job, {}))
  await made.rows(
    `update pgboss.job set state = 'active', started_on = now() - interval '1 hour', heartbeat_on = now() - interval '1 hour'
     where id = $1::uuid`,
    [id],
  )
  made.app.work()
  await until(async () => (await stateOf(made, id)) === 'completed')
  expect(seen).toEqual([{ attempt: 1, taken: 2 }])
})

test('a job whose end fails is given up later', async () => {
  const ends: number[] = []
  const job = tenantJob({
    name: 'notes.kill',
    payload: Nothing,
    handler: async () => {},
    onGivenUp: async () => {
      ends.push(ends.length)
      if (ends.length === 1) throw new Error('not yet')
    },
  })
  const made = await service([job])
  const id = await made.call((ctx) => enqueue(ctx, job, {}))
  await made.rows(
    `update pgboss.job set started_on = now(), retry_count = 3, data = data || '{"lost": 3}' where id = $1::uuid`,
    [id],
  )
  made.app.work()
  await until(async () => {
    await made.rows("update pgboss.job set start_after = now() where id = $1::uuid and state = 'retry'", [id])
    return (await stateOf(made, id)) === 'failed'
  })
  expect(ends).toEqual([0, 1])
})

test('of several processes one at a time exports the load of the queues, and each death is reported by one', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const job = tenantJob({
    name: 'notes.fail_once',
    payload: Nothing,
    retries: 0,
    handler: async () => {
      throw new Error('no')
    },
  })
  const first = await service([job], {}, log)
  const second = await service([job], {}, log, first.database)
  const metrics = async (base: string) => await (await fetch(`${base}/metrics`)).text()
  const sum = async (name: string) =>
    (await Promise.all([first, second].map(({ base }) => metrics(base))))
      .flatMap((text) => [...text.matchAll(new RegExp(`^${name}(?:{.*})? (\\S+)$`, 'gm'))])
      .map(([, value]) => Number(value))
  await first.call((ctx) => enqueue(ctx, job, {}))
  expect(await sum('jobs_waiting')).toEqual([1])
  expect(await sum('audit_log_oldest_unclosed_seconds')).toEqual([0])
  for (const { app } of [first, second]) app.work()
  await until(async () => (await sum('jobs_died_total')).length > 0)
  expect(await sum('jobs_died_total')).toEqual([1])
  expect(lines.filter((line) => line.includes('a job died'))).toHaveLength(1)
  const exports = await Promise.all(
    [first, second].map(async ({ base }) => /^jobs_dead{/m.test(await metrics(base))),
  )
  expect(exports.filter(Boolean)).toHaveLength(1)
  const [exporter, other] = exports[0] ? [first, second] : [second, first]
  await exporter.close()
  await until(async () => /^jobs_dead{/m.test(await metrics(other.base)))
})

test('the log names each attempt, and tells nothing of payloads', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const job = tenantJob({
    name: 'notes.fail',
    payload: z.object({ text: z.string() }),
    retries: 0,
    handler: async () => {
      throw new Error('no')
    },
  })
  const made = await service([job], {}, log)
  made.app.work()
  const id = await made.call((ctx) => enqueue(ctx, job, { text: 'a tenant matter' }))
  await until(() => lines.some((line) => line.includes(id)))
  const [line] = lines.map((text) => JSON.parse(text)).filter(({ job_id }) => job_id === id)
  expect(line).toMatchObject({ job: 'notes.fail', attempt: 1, outcome: 'failed', err: { message: 'no' } })
  expect(lines.join('')).not.toContain('a tenant matter')
})

test('a scheduled job is enqueued once, however often its time is found to have come', async () => {
  const job = systemJob({
    name: 'notes.sweep',
    schedule: '* * * * *',
    payload: Nothing,
    transaction: false,
    handler: async () => {},
  })
  const made = await service([job])
  const schedules = () => made.rows<{ name: string; cron: string }>('select name, cron from pgboss.schedule')
  await made.call((ctx) => enqueue(ctx, job, {}))
  await expect(made.call((ctx) => enqueue(ctx, job, {}))).rejects.toThrow('was not stored')
  made.app.work()
  await until(async () => (await schedules()).length === 1)
  expect(await schedules()).toEqual([{ name: 'test/notes.sweep', cron: '* * * * *' }])
})

test('a schedule that is declared no more is removed', async () => {
  const job = systemJob({
    name: 'notes.sweep',
    payload: Nothing,
    transaction: false,
    handler: async () => {},
  })
  const made = await service([job])
  await made.rows(`insert into pgboss.schedule (name, cron) values ('test/notes.sweep', '* * * * *')`)
  made.app.work()
  await until(async () => (await made.rows('select 1 from pgboss.schedule')).length === 0)
})

const onPostgresql = { DATABASE_URL: 'postgres://nobody@localhost/nothing' }

test.runIf(onServer)('a process whose role is worker answers probes and metrics, and runs jobs', async () => {
  const { job, seen, end } = slow()
  end()
  const made = await service([job], { ROLE: 'worker', ...onPostgresql })
  for (const path of ['/livez', '/readyz', '/metrics'])
    expect([path, (await fetch(made.base + path)).status]).toEqual([path, 200])
  for (const path of ['/public-api/health', '/graphql', '/public-api/docs']) {
    const answer = await fetch(made.base + path)
    expect([path, answer.status, (await answer.json()).error.code]).toEqual([path, 404, 'not_found'])
  }
  made.app.work()
  await made.call((ctx) => enqueue(ctx, job, {}))
  await until(() => seen.started)
})

test.runIf(onServer)('a process whose role is api answers calls and leaves the jobs to others', async () => {
  const { job, seen, end } = slow()
  end()
  const made = await service([job], { ROLE: 'api', ...onPostgresql })
  made.app.work()
  const id = await made.call((ctx) => enqueue(ctx, job, {}))
  expect((await fetch(`${made.base}/public-api/health`)).status).toBe(200)
  // A worker would have looked for it.
  await sleep(5 * OFTEN.look_ms)
  expect([seen.started, await stateOf(made, id)]).toEqual([false, 'created'])
})
