/** The runs, timelines and requests to technicians of the demo agree with its executions. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import {
  type ExecutionRun,
  TilReasonCode,
  type TilRequest,
  TilRequestKind,
  TilRequestStatus,
  type TimelineEvent,
} from '../../src/db/generated/client/client.ts'
import { argumentsHash } from '../../src/lib/arguments-hash.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import { demoDatabase, NIGHT as NOW } from '../setup/demo.ts'
import { misplacedInstants, olderThanReferred } from '../setup/demo-times.ts'

let database: Database

beforeAll(async () => {
  database = await demoDatabase(NOW)
})
afterAll(() => database.close())

const distinct = (values: readonly unknown[]): unknown[] => [...new Set(values)].sort()

const WAITING = ['WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT']

const lastStatusOf = (status: string): string => (WAITING.includes(status) ? 'PAUSED' : status)

const ascends = (times: readonly Date[]): boolean =>
  times.every((at, index) => index === 0 || at >= (times[index - 1] as Date))

test('every execution that was picked up has its runs, of which each but the last was resumed', async () => {
  const executions = await database.prisma.execution.findMany({
    include: { runs: { orderBy: { sequence: 'asc' } } },
  })
  expect(executions.length).toBeGreaterThan(2000)
  for (const { runs, ...execution } of executions) {
    const { execution_id, run_count, started_at, finished_at, updated_at, status, supervised } = execution
    const [first, last] = [runs.at(0), runs.at(-1)] as [ExecutionRun | undefined, ExecutionRun | undefined]
    expect([execution_id, runs.map(({ sequence }) => sequence)]).toEqual([
      execution_id,
      Array.from({ length: run_count }, (_, index) => index + 1),
    ])
    if (!first || !last) continue
    expect(first.started_at).toEqual(started_at)
    expect(last.status, execution_id).toBe(lastStatusOf(status))
    expect(last.ended_at === null, execution_id).toBe(status === 'RUNNING')
    const ended = last.ended_at ?? updated_at
    expect(Math.abs(ended.getTime() - (finished_at ?? updated_at).getTime()), execution_id).toBeLessThan(5)
    expect(distinct(runs.map((run) => run.supervised))).toEqual([supervised])
    expect(ascends(runs.flatMap((run) => [run.started_at, run.ended_at ?? ended])), execution_id).toBe(true)
    expect(runs.slice(0, -1).every((run) => run.status === 'PAUSED')).toBe(true)
  }
})

test('every execution that was picked up has a timeline, in its order', async () => {
  const executions = await database.prisma.execution.findMany({
    where: { started_at: { not: null } },
    include: { timeline: { orderBy: { sequence: 'asc' } }, runs: true },
  })
  for (const { execution_id, timeline, runs, started_at } of executions) {
    expect([execution_id, timeline.map(({ sequence }) => sequence)]).toEqual([
      execution_id,
      timeline.map((_, index) => index + 1),
    ])
    expect(timeline[0]).toMatchObject({ kind: 'STATUS_CHANGED', at: started_at })
    expect(ascends(timeline.map(({ at }: TimelineEvent) => at)), execution_id).toBe(true)
    const ids = runs.map(({ temporal_run_id }) => temporal_run_id)
    expect(ids).toEqual(expect.arrayContaining(distinct(timeline.map((event) => event.temporal_run_id))))
  }
})

test('the timeline of an execution has its tool calls of the last 30 days', async () => {
  const events = await database.prisma.timelineEvent.findMany({ where: { kind: 'TOOL_CALL' } })
  const calls = await database.prisma.auditEntry.findMany()
  expect(calls.length).toBeGreaterThan(3000)
  const told = events.map(({ tool_call_id, execution_id, at }) => [tool_call_id, execution_id, at])
  expect(told.sort()).toEqual(
    calls.map(({ id, execution_id, occurred_at }) => [id, execution_id, occurred_at]).sort(),
  )
})

const requests = () =>
  database.prisma.tilRequest.findMany({
    include: { execution: true, technicians: true, approvals: true, runs: true },
  })

test('there are requests to technicians of every kind, in every status, for every reason', async () => {
  const all = await requests()
  expect(distinct(all.map(({ kind }) => kind))).toEqual(Object.keys(TilRequestKind).sort())
  expect(distinct(all.map(({ status }) => status))).toEqual(Object.keys(TilRequestStatus).sort())
  const reasons = all.flatMap(({ reason_code }) => reason_code ?? [])
  expect(distinct(reasons)).toEqual(Object.keys(TilReasonCode).sort())
})

const DECIDED = ['APPROVED', 'REJECTED', 'ANSWERED']

test('requests carry what their kind and status ask for', async () => {
  for (const request of await requests()) {
    const { id, kind, status, decided_at, closed_at, created_at, expires_at, approvals, technicians } =
      request
    const isDecided = DECIDED.includes(status)
    expect([id, decided_at !== null, approvals.length, request.decided_by_name !== null]).toEqual([
      id,
      isDecided,
      isDecided ? 1 : 0,
      isDecided,
    ])
    expect([id, closed_at === null]).toEqual([id, status === 'PENDING'])
    expect([id, kind === 'QUESTION']).toEqual([id, request.question !== null])
    expect([id, kind === 'PLAN']).toEqual([id, request.plan !== null])
    expect([id, kind === 'API_REQUEST']).toEqual([id, request.call !== null])
    expect([id, status === 'ANSWERED']).toEqual([id, request.answer !== null])
    expect([id, status === 'REJECTED']).toEqual([id, request.decision_comment !== null])
    expect(closed_at === null || closed_at >= created_at, id).toBe(true)
    expect(status === 'EXPIRED' ? expires_at : created_at, id).toEqual(
      status === 'EXPIRED' ? closed_at : created_at,
    )
    const named = technicians.map(({ technician_id }) => technician_id)
    expect(named.length, id).toBeGreaterThan(0)
    for (const { technician_id } of approvals) expect(named, id).toContain(technician_id)
    if (request.arguments !== null) expect(request.arguments_hash).toBe(argumentsHash(request.arguments))
    if (kind === 'WRITE') expect(toolNamed(request.tool_name ?? '')?.title, id).toBe(request.tool_title)
  }
})

test('the requests of an execution agree with its status and its runs', async () => {
  const all = await requests()
  const of = new Map<string, TilRequest[]>()
  for (const { execution, runs, ...request } of all) {
    if (!execution) continue
    of.set(execution.execution_id, [...(of.get(execution.execution_id) ?? []), request])
    expect([request.id, request.resumed_temporal_run_id]).toEqual([
      request.id,
      runs[0]?.temporal_run_id ?? null,
    ])
    expect(request.agent_id).toBe(execution.agent_id)
  }
  for (const { execution_id, status, supervised, run_count } of await database.prisma.execution.findMany()) {
    const own = of.get(execution_id) ?? []
    const open = own.filter((request) => request.status === 'PENDING')
    expect([execution_id, open.length]).toEqual([execution_id, WAITING.includes(status) ? 1 : 0])
    const asking = status === 'WAITING_FOR_INPUT' ? 'QUESTION' : 'WRITE'
    for (const { kind } of open) expect(kind).toBe(asking)
    const write = own.find(({ kind, status: one }) => kind === 'WRITE' && one !== 'SHADOWED')
    const plan = own.find(({ kind }) => kind === 'PLAN')
    if (write) expect(plan && plan.created_at < write.created_at, execution_id).toBe(true)
    if (supervised && run_count > 1) expect(own.length).toBeGreaterThanOrEqual(run_count - 1)
  }
})

test('the audit log and the requests to technicians tell the same of a call that waited', async () => {
  const requests = new Map((await database.prisma.tilRequest.findMany()).map((one) => [one.id, one]))
  const entries = await database.prisma.auditEntry.findMany({ where: { til_request_id: { not: null } } })
  expect(entries.length).toBeGreaterThan(300)
  const statuses: Record<string, string> = { SUCCEEDED: 'APPROVED', DENIED: 'REJECTED' }
  for (const { id, til_request_id, outcome, tool_name, arguments: args, decided_by_name } of entries) {
    const request = requests.get(til_request_id ?? '')
    expect([id, request?.kind, request?.tool_name]).toEqual([id, 'WRITE', tool_name])
    expect([id, request?.arguments]).toEqual([id, args])
    if (outcome === 'PENDING_APPROVAL') continue
    expect([id, request?.status, request?.decided_by_name]).toEqual([id, statuses[outcome], decided_by_name])
  }
})

test('no agent started work after it was paused or archived', async () => {
  const agents = await database.prisma.agent.findMany({
    where: { state: { in: ['PAUSED', 'ARCHIVED'] } },
    include: { executions: true },
  })
  expect(agents.length).toBeGreaterThan(1)
  for (const { updated_at, executions } of agents) {
    expect(executions.length).toBeGreaterThan(0)
    expect(executions.filter(({ created_at }) => created_at > updated_at)).toEqual([])
  }
})

test('no row was changed or came to its end before it was created, in the first minute of a day', async () => {
  expect(await misplacedInstants(database, NOW)).toEqual([])
})

test('no row is older than a row that it refers to, in the first minute of a day', async () => {
  const { found, judged } = await olderThanReferred(database)
  expect(found).toEqual([])
  expect(judged).toBeGreaterThan(60)
})

// If the demo is inserted without checking references, nothing else would find one that is broken.
test('every reference is to a row that exists', async () => {
  const references = await database.prisma.$queryRaw<{ add: string }[]>`
    select format('alter table %s add %s', conrelid::regclass, pg_get_constraintdef(oid)) as add
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`
  expect(references.length).toBeGreaterThan(30)
  for (const { add } of references) await database.prisma.$executeRawUnsafe(add)
})
