import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { JOBS } from '../../src/jobs.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { addActivities, addEntries } from '../setup/audit-log.ts'
import { addCallbacks, addCalls, addMatches } from '../setup/callbacks.ts'
import { addMemories } from '../setup/memories.ts'
import type { Msp } from '../setup/world.ts'
import { jobService, runJob, TENANCY } from './service.ts'

const DAY = 86_400_000
const ago = (days: number, ms = 0) => new Date(Date.now() - days * DAY + ms)

async function service() {
  const made = await jobService(JOBS, pino({ level: 'silent' }))
  onTestFinished(async () => {
    await made.app.close(1000)
    await made.database.close()
  })
  const run = (name: string) => runJob(made, JOBS, name)
  made.app.work()
  const owner = { ...TENANCY, database: made.database } as Msp
  return { prisma: made.database.prisma, run, owner, other: { ...owner, tenant_id: 'ten_other' } }
}

const MANY = Array.from({ length: 2500 }, (_, n) => n)

test('callbacks of more than 30 days ago are deleted with their matches, of every tenant, however many there are', async () => {
  const { prisma, run, owner, other } = await service()
  for (const msp of [owner, other]) {
    await addAgents(msp, [{ id: 1 }])
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

test('calls to other systems of more than 30 days ago are deleted', async () => {
  const { prisma, run, owner } = await service()
  await addCalls(owner, [...MANY.map(() => ({ at: ago(31) })), { at: ago(30, 600_000), wait_seconds: 7 }])
  await run('observability.delete_old_calls')
  const left = await prisma.upstreamCall.findMany()
  expect(left.map(({ wait_seconds }) => wait_seconds)).toEqual([7])
})

test('tool calls of more than 30 days ago are deleted, and activities of more than 400, which nobody else deletes', async () => {
  const { prisma, run, owner, other } = await service()
  for (const msp of [owner, other]) {
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [{ execution_id: 'exe', agent_id: 1 }])
    const of = { agent_id: 1, execution_id: 'exe' }
    await addEntries(msp, [
      ...MANY.map((n) => ({ ...of, id: `old_${n}`, occurred_at: ago(30, -60_000) })),
      { ...of, id: 'kept', occurred_at: ago(30, 600_000) },
    ])
    await addActivities(msp, [
      ...MANY.map((n) => ({ id: `old_${n}`, occurred_at: ago(400, -60_000) })),
      { id: 'kept', occurred_at: ago(400, 600_000) },
    ])
  }
  await run('audit-log.delete_old_calls')
  await run('audit-log.delete_old_activities')
  const left = [await prisma.auditEntry.findMany(), await prisma.activityEntry.findMany()]
  expect(left.map((rows) => rows.map(({ id }) => id))).toEqual([Array(2).fill('kept'), Array(2).fill('kept')])
  for (const deletion of [prisma.auditEntry.deleteMany(), prisma.activityEntry.deleteMany()])
    await expect(deletion).rejects.toThrow('only ever inserted')
})

test('memories are deleted 30 days after they were, and those that were not stay', async () => {
  const { prisma, run, owner } = await service()
  const deleted = { state: 'DELETED' as const, deleted_at: ago(30, -60_000) }
  await addMemories(owner, [
    ...MANY.map((n) => ({ id: `gone_${n}`, ...deleted })),
    { id: 'restorable', state: 'DELETED', deleted_at: ago(30, 600_000) },
    { id: 'active', created_at: ago(500) },
    { id: 'superseded', state: 'SUPERSEDED', created_at: ago(500) },
  ])
  await run('memories.purge')
  const left = await prisma.agentMemory.findMany({ orderBy: { id: 'asc' } })
  expect(left.map(({ id }) => id)).toEqual(['active', 'restorable', 'superseded'])
})
