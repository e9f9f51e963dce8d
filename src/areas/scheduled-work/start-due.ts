/** Due entries: the loop that queues them, and the job that starts the agent of one. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkModel } from '../../connectors/model.ts'
import { psaOf } from '../../connectors/psa.ts'
import { inTransaction } from '../../db/transaction.ts'
import { ApiError } from '../../errors/errors.ts'
import { transact } from '../../gateway/transaction.ts'
import { enqueueAll } from '../../jobs/enqueue.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { readForService, startOf } from '../agents/index.ts'
import { checkSubscription, readTerms } from '../billing/index.ts'
import { enqueueExecution, liveExecution, startExecution } from '../executions/index.ts'
import {
  type ClaimedEntry,
  claim,
  findDue,
  holdForQueue,
  holdsClaim,
  releaseLost,
  type Settlement,
  settle,
} from './due.ts'
import { ATTEMPTS, retryAt, startRefusal } from './rules.ts'

const failed = (execution_message: string): Settlement => ({ status: 'FAILED', execution_message })

/**
 * Starts the execution and completes the entry in one transaction, so that a crash leaves neither or both. The PSA is
 * asked while no transaction is open.
 */
// Contract silent: an entry is COMPLETED once its execution is accepted, or is found live; how that ends, the execution
// tells.
async function start(ctx: UnboundJobContext, entry: ClaimedEntry): Promise<void> {
  if (!(await holdsClaim(ctx, entry))) return
  const { ticket_id, additional_custom_instructions, asked_by_user_ids } = entry
  const agent = await readForService(ctx, entry.workflow_id)
  const refusal = startRefusal(agent)
  if (refusal !== null || !agent) return await settle(ctx, entry, failed(refusal ?? ''))
  const live = await liveExecution(ctx, { agent_id: agent.id, entity_id: ticket_id })
  if (live) {
    const { execution_id, temporal_run_id: execution_temporal_run_id } = live
    const keeps = additional_custom_instructions ? ' It keeps the instructions that it has.' : ''
    const execution_message = `An execution of the agent was live on the ticket already.${keeps}`
    const reached = { execution_id, execution_temporal_run_id, execution_message }
    return await settle(ctx, entry, { status: 'COMPLETED', ...reached })
  }
  checkModel(ctx, agent)
  await checkSubscription(ctx, await readTerms(ctx))
  const ticket = await psaOf(ctx).ticket(ticket_id)
  if (!ticket) return await settle(ctx, entry, failed('The ticket is gone from the PSA.'))
  const execution_id = await enqueueExecution(ctx)
  const execution_message = 'The execution was accepted.'
  const accepted = { execution_id, execution_temporal_run_id: null, execution_message }
  await settle(ctx, entry, { status: 'COMPLETED', ...accepted })
  const { number: entity_number, psa_company_id } = ticket
  const given = { entity_id: ticket_id, entity_number, psa_company_id, additional_custom_instructions }
  const starting = startOf(agent, { ...given, trigger: 'SCHEDULED_WORK' })
  await startExecution(ctx, execution_id, { ...starting, asked_by_user_ids })
}

const REFUSALS = new Set(['model_not_configured', 'subscription_inactive', 'credits_exhausted'])

/** The settlement of an entry whose start was refused, or failed. */
function settlementOf(error: unknown, { attempt }: ClaimedEntry, now: Date): Settlement {
  const { code, message } = error instanceof ApiError ? error : { code: null, message: '' }
  if (code !== null && REFUSALS.has(code)) return failed(message)
  const reason =
    code === 'upstream_unavailable' ? message.replace(/\.$/, '') : 'The service could not start the agent'
  const held_until = retryAt(attempt, now)
  if (!held_until) return failed(`${reason}, ${ATTEMPTS} times.`)
  return { status: 'PENDING', held_until, execution_message: `${reason}. It is tried again.` }
}

/** The job of a due entry. */
export const START_ENTRY = {
  name: 'scheduled-work.start',
  payload: z.object({ entry_id: z.int(), attempt: z.int() }),
  tenancy: 'tenant',
} as const

export async function startEntry(
  ctx: UnboundJobContext,
  { entry_id, attempt }: z.output<typeof START_ENTRY.payload>,
): Promise<void> {
  const entry = await claim(ctx, { id: entry_id, attempt })
  if (!entry) return
  try {
    await transact(ctx, () => start(ctx, entry), { write_is_last: true })
  } catch (error) {
    ctx.log.warn({ err: error, entry_id }, 'a due entry could not be started')
    await settle(ctx, entry, settlementOf(error, entry, ctx.now))
  }
}

const QUEUE_MS = 10_000
const DAY_MS = 86_400_000

/** Queues the tenant's entries, and returns how many. */
async function queueEntries(ctx: ServiceContext, ids: readonly number[]): Promise<number> {
  return await inTransaction(ctx, QUEUE_MS, async () => {
    const held = await holdForQueue(ctx, ids)
    // Jobs start in this order. The queue would forget one that is older by weeks.
    const earliest = ctx.now.getTime() - DAY_MS
    const jobs = held.map(({ id: entry_id, attempt, scheduled_for }) => ({
      payload: { entry_id, attempt },
      start_after: new Date(Math.max(earliest, scheduled_for.getTime())),
    }))
    await enqueueAll(ctx, START_ENTRY, jobs)
    return held.length
  })
}

interface Options {
  /** Only the entries of this tenant. */
  tenant_id?: string | null
}

/** Queues a job for every entry that is due, also after downtime: tenants take turns at the workers. */
export async function queueDue(
  { services, log, signal }: LoopContext,
  { tenant_id = null }: Options = {},
): Promise<void> {
  const { sql } = services.database
  const whose = { environment: services.environment, tenant_id }
  await releaseLost(sql, services.now(), whose)
  for (let queued = 1; queued > 0 && !signal.aborted; ) {
    queued = 0
    for (const { ids, ...tenancy } of await findDue(sql, services.now(), whose)) {
      const ctx = serviceContext(services, 'scheduled-work.queue', randomUUID(), tenancy)
      try {
        queued += await queueEntries(ctx, ids)
      } catch (error) {
        log.error({ err: error, ...tenancy }, 'due entries could not be queued')
      }
    }
  }
}
