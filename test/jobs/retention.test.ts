import { beforeAll, expect, test } from 'vitest'
import { JOBS, LOOPS } from '../../src/composition/jobs.ts'
import type { Database } from '../../src/db/database.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { addActivities, addEntries } from '../setup/audit-log.ts'
import { addCallbacks, addCalls, addMatches } from '../setup/callbacks.ts'
import { addDecisions, addFamiliarity } from '../setup/dispatch.ts'
import { addFeedback } from '../setup/feedback.ts'
import { addMemories } from '../setup/memories.ts'
import { addRuns, addScript } from '../setup/rmm-scripts.ts'
import { until } from '../setup/until.ts'
import type { Msp } from '../setup/world.ts'
import { jobService, runJob, TENANCY } from './service.ts'

const DAY = 86_400_000
const ago = (days: number, ms = 0) => new Date(Date.now() - days * DAY + ms)

let prisma: Database['prisma']
let owner: Msp
let other: Msp
let run: (name: string) => Promise<void>

beforeAll(async () => {
  const made = await jobService(JOBS, {
    loops: LOOPS.filter(({ name }) => name === 'audit-log.close_chains'),
  })
  run = (name) => runJob(made, JOBS, name)
  made.app.work()
  prisma = made.database.prisma
  owner = { ...TENANCY, database: made.database } as Msp
  other = { ...owner, tenant_id: 'ten_other' }
  for (const msp of [owner, other]) {
    await addAgents(msp, [{ id: 1 }])
    await addScript(msp)
  }
  return () => made.app.close(1000)
})

/** More rows than a batch has. */
const MANY = Array.from({ length: 2500 }, (_, n) => n)
/** Rows of jobs that `retentionJob` declares: callbacks and activities try its batches. */
const FEW = MANY.slice(0, 3)

test('callbacks of more than 30 days ago are deleted with their matches, of every tenant, however many there are', async () => {
  for (const msp of [owner, other]) {
    await addCallbacks(msp, [
      { id: 'old', received_at: ago(30, -60_000) },
      { id: 'kept', received_at: ago(30, 600_000) },
      { id: 'new', received_at: ago(0) },
    ])
    await addMatches(
      msp,
      ['old', 'kept'].map((callback_id) => ({ callback_id, agent_id: 1, received_at: ago(30) })),
    )
  }
  await addCallbacks(
    owner,
    MANY.map((n) => ({ id: `old_${n}`, received_at: ago(40) })),
  )
  await run('callbacks.delete_old')
  const left = await prisma.callback.findMany({ orderBy: [{ tenant_id: 'asc' }, { id: 'asc' }] })
  expect(left.map(({ tenant_id, id }) => [tenant_id, id])).toEqual(
    [owner, other].flatMap(({ tenant_id }) => [
      [tenant_id, 'kept'],
      [tenant_id, 'new'],
    ]),
  )
  const matches = await prisma.callbackMatch.findMany()
  expect(matches.map(({ callback_id }) => callback_id)).toEqual(['kept', 'kept'])
})

test('calls to other systems of more than 30 days ago are deleted, those of the process’s environment', async () => {
  await addCalls(owner, [...FEW.map(() => ({ at: ago(31) })), { at: ago(30, 600_000), wait_seconds: 7 }])
  await addCalls({ ...owner, environment: 'elsewhere' }, [{ at: ago(31), wait_seconds: 8 }])
  await run('observability.delete_old_calls')
  const left = await prisma.upstreamCall.findMany({ orderBy: { wait_seconds: 'asc' } })
  expect(left.map(({ wait_seconds }) => wait_seconds)).toEqual([7, 8])
})

test('activities of more than 400 days ago are deleted, of every tenant, which nobody else deletes', async () => {
  for (const msp of [owner, other])
    await addActivities(msp, [
      ...MANY.map((n) => ({ id: `old_${n}`, occurred_at: ago(400, -60_000) })),
      { id: 'kept', occurred_at: ago(400, 600_000) },
    ])
  await run('audit-log.delete_old_activities')
  expect((await prisma.activityEntry.findMany()).map(({ id }) => id)).toEqual(['kept', 'kept'])
  await expect(prisma.activityEntry.deleteMany()).rejects.toThrow('only ever inserted')
})

/** The instant of a UTC day that many days ago. */
const onDay = (days: number, time: string) => new Date(`${ago(days).toISOString().slice(0, 10)}T${time}Z`)

test('tool calls of days of which none can be read are deleted, of every tenant, and a checkpoint of each day stays', async () => {
  for (const msp of [owner, other]) {
    await addExecutions(msp, [{ execution_id: 'exe', agent_id: 1 }])
    const of = { agent_id: 1, execution_id: 'exe' }
    await addEntries(msp, [
      ...MANY.map((n) => ({ ...of, id: `old_${n}`, occurred_at: onDay(32, '10:00:00') })),
      { ...of, id: 'last', occurred_at: onDay(31, '23:59:59.999') },
      { ...of, id: 'first', occurred_at: onDay(30, '00:00:00') },
      { ...of, id: 'kept', occurred_at: onDay(29, '00:00:00') },
    ])
  }
  await until(async () => (await prisma.auditEntry.count({ where: { hash: null } })) === 0)
  const whole = await prisma.auditDay.findMany({ orderBy: [{ tenant_id: 'asc' }, { day: 'asc' }] })
  await run('audit-log.delete_old_calls')
  const left = await prisma.auditEntry.findMany({ orderBy: [{ tenant_id: 'asc' }, { occurred_at: 'asc' }] })
  expect(left.map(({ id }) => id)).toEqual(['first', 'kept', 'first', 'kept'])
  const days = await prisma.auditDay.findMany({ orderBy: [{ tenant_id: 'asc' }, { day: 'asc' }] })
  expect(days).toEqual(
    whole.map((day, index) => ({ ...day, deleted_at: index % 4 < 2 ? expect.any(Date) : null })),
  )
  expect(days.map(({ entries }) => entries)).toEqual([2500, 1, 1, 1, 2500, 1, 1, 1])
  await expect(prisma.auditEntry.deleteMany()).rejects.toThrow('only ever inserted')
})

test('memories are deleted 30 days after they were, and those that were not stay', async () => {
  const deleted = { state: 'DELETED' as const, deleted_at: ago(30, -60_000) }
  await addMemories(owner, [
    ...FEW.map((n) => ({ id: `gone_${n}`, ...deleted })),
    { id: 'restorable', state: 'DELETED', deleted_at: ago(30, 600_000) },
    { id: 'active', created_at: ago(500) },
    { id: 'superseded', state: 'SUPERSEDED', created_at: ago(500) },
  ])
  await run('memories.purge')
  const left = await prisma.agentMemory.findMany({ orderBy: { id: 'asc' } })
  expect(left.map(({ id }) => id)).toEqual(['active', 'restorable', 'superseded'])
})

test('feedback of more than 400 days ago is deleted, of every tenant, whatever its status', async () => {
  for (const [mark, msp] of [['a', owner] as const, ['b', other] as const])
    await addFeedback(msp, [
      ...FEW.map((n) => ({ id: `old_${mark}_${n}`, created_at: ago(400, -60_000) })),
      { id: `rated_${mark}`, status: 'REVOKED', rating: 'NEGATIVE', created_at: ago(500) },
      { id: `kept_${mark}`, status: 'EXPIRED', created_at: ago(400, 600_000) },
    ])
  await run('feedback.delete_old_entries')
  const left = await prisma.feedbackEntry.findMany({ orderBy: { id: 'asc' } })
  expect(left.map(({ id }) => id)).toEqual(['kept_a', 'kept_b'])
})

test('decisions of dispatch of more than 400 days ago are deleted, of every tenant, whatever their status', async () => {
  for (const msp of [owner, other])
    await addDecisions(msp, [
      ...FEW.map((n) => ({ id: `old_${n}`, status: 'APPLIED' as const, created_at: ago(400, -60_000) })),
      { id: 'given', status: 'OVERRIDDEN', created_at: ago(500) },
      { id: 'kept', status: 'EXPIRED', created_at: ago(400, 600_000) },
    ])
  await run('dispatch.delete_old_decisions')
  expect((await prisma.dispatchDecision.findMany()).map(({ id }) => id)).toEqual(['kept', 'kept'])
})

test('that a technician had a ticket of a company is forgotten 90 days later', async () => {
  for (const msp of [owner, other])
    await addFamiliarity(msp, [
      ...FEW.map((psa_id) => ({ psa_id, last_at: ago(90, -60_000) })),
      { psa_company_id: 'birch', psa_id: 0, last_at: ago(90, 600_000) },
    ])
  await run('dispatch.delete_old_familiarity')
  const left = await prisma.dispatchFamiliarity.findMany()
  expect(left.map(({ psa_company_id, psa_id }) => [psa_company_id, psa_id])).toEqual([
    ['birch', 0],
    ['birch', 0],
  ])
})

test('runs of scripts of more than 400 days ago are deleted, of every tenant, whatever their status', async () => {
  for (const msp of [owner, other]) {
    await addRuns(msp, [
      ...FEW.map((n) => ({ id: `old_${n}`, created_at: ago(400, -60_000) })),
      { id: 'rejected', status: 'REJECTED', created_at: ago(500) },
      { id: 'kept', status: 'FAILED', created_at: ago(400, 600_000) },
    ])
  }
  await run('rmm-scripts.delete_old_runs')
  expect((await prisma.rmmScriptRun.findMany()).map(({ id }) => id)).toEqual(['kept', 'kept'])
})

/** More runs than a batch of script output has: the output of a run may have 128 KiB. */
const RUNS = MANY.slice(0, 600)

test('what scripts wrote is forgotten 30 days after their end, of every tenant, and their runs stay', async () => {
  await prisma.rmmScriptRun.deleteMany()
  for (const msp of [owner, other]) {
    await addRuns(msp, [
      ...RUNS.map((n) => ({ id: `old_${n}`, created_at: ago(31), finished_at: ago(30, -60_000) })),
      { id: 'error', status: 'FAILED', finished_at: ago(30, -60_000), stderr: 'No such file.' },
      { id: 'kept', created_at: ago(31), finished_at: ago(30, 600_000), stderr: 'Warning.' },
    ])
  }
  await run('rmm-scripts.clear_old_output')
  expect(await prisma.rmmScriptRun.count()).toBe(2 * (RUNS.length + 2))
  const left = await prisma.rmmScriptRun.findMany({
    where: { OR: [{ stdout: { not: null } }, { stderr: { not: null } }] },
  })
  const kept = { id: 'kept', exit_code: 0, stdout: 'Done.', stderr: 'Warning.' }
  expect(left).toEqual([owner, other].map(({ tenant_id }) => expect.objectContaining({ tenant_id, ...kept })))
  const [cleared] = await prisma.rmmScriptRun.findMany({ where: { id: 'old_0' } })
  expect(cleared).toMatchObject({ exit_code: 0, stdout: null, stdout_truncated: false })
  expect(cleared?.updated_at.getTime()).toBeGreaterThan(ago(1).getTime())
})
