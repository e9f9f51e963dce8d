/** Random histories of events against the table of statuses and the database at once. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { takeUp } from '../../../../src/areas/executions/engine/lifecycle/take-up.ts'
import { lockExecution, transition } from '../../../../src/areas/executions/engine/lifecycle/transition.ts'
import {
  isFinal,
  isRetryable,
  type LifeEvent,
  nextStatus,
  type Status,
} from '../../../../src/areas/executions/engine/rules/transitions.ts'
import type { RunContext } from '../../../../src/areas/executions/engine/run/run-lock.ts'
import { lockSlots } from '../../../../src/areas/executions/engine/run/slots.ts'
import { resumeAfterDecision } from '../../../../src/areas/executions/index.ts'
import { JOBS } from '../../../../src/composition/jobs.ts'
import { inTransaction } from '../../../../src/db/transaction.ts'
import { contextOf, type StoredAttempt } from '../../../../src/jobs/attempt.ts'
import { apis } from '../../../setup/api.ts'
import { testApp } from '../../../setup/app.ts'
import { addPsaTickets } from '../../../setup/psa.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]

const MOVES = ['SKIP', 'ASK_APPROVAL', 'ASK_INPUT', 'COMPLETE', 'FAIL', 'TIME_OUT'] as const
type Command = (typeof MOVES)[number] | 'PICK_UP' | 'RESUME' | 'CANCEL' | 'RETRY'
const COMMANDS: readonly Command[] = [...MOVES, 'PICK_UP', 'RESUME', 'CANCEL', 'RETRY']

/** The context of a worker of the tenant. */
async function workerOf({ tenant_id, environment }: Msp, id: string): Promise<RunContext> {
  const { services } = (await testApp()).app
  const job = JOBS.find(({ name }) => name === 'executions.run') as (typeof JOBS)[number]
  const { signal } = new AbortController()
  const data = { tenancy: { tenant_id, environment }, payload: {} }
  const stored = { id, data, retryCount: 0, signal } as StoredAttempt
  return contextOf(services, undefined as never, job, stored) as RunContext
}

const moveBy = (ctx: RunContext, execution_id: string, event: LifeEvent): Promise<boolean> =>
  inTransaction(ctx, 10_000, async () => {
    await lockSlots(ctx)
    const execution = await lockExecution(ctx, execution_id)
    if (!execution || nextStatus(execution.status, event) === null) return false
    await transition(ctx, execution, event)
    return true
  })

interface Model {
  status: Status
  runs: number
  /** True once a worker has taken up the run. */
  held: boolean
  /** Workers that lost it one after another. */
  losses: number
}

const MAX_LOSSES = 5

/** Makes the event happen, and answers whether it did. */
async function happen(msp: Msp, execution_id: string, command: Command, step: number): Promise<boolean> {
  const ctx = await workerOf(msp, `job_${step}`)
  ctx.now = ctx.services.now()
  switch (command) {
    case 'PICK_UP':
      return ![null, 'ENDED'].includes((await takeUp(ctx, execution_id)) as never)
    case 'RESUME':
      return await inTransaction(ctx, 10_000, async () => {
        const execution = await lockExecution(ctx, execution_id)
        const decision = { til_request_id: null, asked_in: null, text: '' }
        return !!execution && (await resumeAfterDecision(ctx, execution, decision)) !== null
      })
    case 'CANCEL':
      return (await api.call(msp.key, 'cancel_execution', { execution_id })).status === 200
    case 'RETRY':
      return (await api.call(msp.key, 'retry_execution', { execution_id })).status === 200
    default:
      return await moveBy(ctx, execution_id, command)
  }
}

/** What must hold of the stored execution at every moment. */
async function check(msp: Msp, execution_id: string, { status, runs }: Model): Promise<void> {
  const { prisma } = msp.database
  const where = { tenant_id: msp.tenant_id, execution_id }
  const execution = await prisma.execution.findFirstOrThrow({ where })
  const stored = await prisma.executionRun.findMany({ where, orderBy: { sequence: 'asc' } })
  expect([execution.status, execution.run_count, stored.length]).toEqual([status, runs, runs])
  expect(execution.finished_at !== null).toBe(isFinal(status))
  const open = stored.filter(({ ended_at }) => ended_at === null)
  expect(open).toHaveLength(status === 'RUNNING' ? 1 : 0)
  expect(stored.every(({ supervised }) => supervised === execution.supervised)).toBe(true)
  const work = await prisma.executionWork.findFirst({ where })
  expect(work?.slot ?? null).toBe(status === 'RUNNING' ? 'HELD' : null)
}

it('an execution moves as its table says, whatever happens to it in whatever order', async () => {
  const msp = await chainMsp()
  const command = fc.constantFrom(...COMMANDS)
  let tickets = 0
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 12 }), fc.boolean(), async (history, supervised_run) => {
      const ticket_id = `history_${tickets++}`
      await addPsaTickets(msp, [{ ticket_id }])
      const execution_id = await start(api, msp, ticket_id, { supervised_run })
      const model: Model = { status: 'NEW', runs: 0, held: false, losses: 0 }
      for (const [step, each] of history.entries()) {
        const happened = await happen(msp, execution_id, each, step)
        if (each === 'RETRY') {
          expect(happened).toBe(isRetryable(model.status))
          if (happened) break
        } else if (each === 'PICK_UP' && model.status === 'RUNNING') {
          // Another worker takes the run over, unless too many were lost by it.
          if (model.held) model.losses++
          model.held = true
          if (model.losses === MAX_LOSSES) model.status = 'FAILED'
          expect(happened).toBe(model.losses < MAX_LOSSES)
        } else {
          const next = nextStatus(model.status, each)
          const again = each === 'CANCEL' && model.status === 'CANCELLED'
          expect([each, model.status, happened]).toEqual([each, model.status, next !== null || again])
          if (next === 'RUNNING')
            Object.assign(model, { runs: model.runs + 1, held: each === 'PICK_UP', losses: 0 })
          model.status = next ?? model.status
        }
        await check(msp, execution_id, model)
      }
      await api.call(msp.key, 'cancel_execution', { execution_id })
    }),
    { numRuns: 25 },
  )
})
