/** Starts the agents of due entries. */
import { randomUUID } from 'node:crypto'
import { checkModel } from '../../connectors/model.ts'
import { psaOf } from '../../connectors/psa.ts'
import { ApiError } from '../../errors.ts'
import { transact } from '../../gateway/transaction.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { readForService, startOf } from '../agents/index.ts'
import { checkSubscription, readTerms } from '../billing/index.ts'
import { enqueueExecution, liveExecution, startExecution } from '../executions/index.ts'
import { type ClaimedEntry, claimDue, holdsClaim, releaseLost, type Settlement, settle } from './due.ts'
import { ATTEMPTS, retryAt, startRefusal } from './rules.ts'

const failed = (execution_message: string): Settlement => ({ status: 'FAILED', execution_message })

/**
 * Starts the execution and completes the entry in one transaction, so that a crash leaves neither or both. The PSA is
 * asked while no transaction is open.
 */
// Contract silent: an entry is COMPLETED once its execution is accepted, or is found live; how that ends, the execution
// tells.
async function start(ctx: ServiceContext, entry: ClaimedEntry): Promise<void> {
  if (!(await holdsClaim(ctx, entry))) return
  const { ticket_id, additional_custom_instructions } = entry
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
  await startExecution(ctx, execution_id, startOf(agent, { ...given, trigger: 'SCHEDULED_WORK' }))
}

const REFUSALS = new Set(['model_not_configured', 'subscription_inactive', 'credits_exhausted'])

/** The settlement of an entry whose start was refused, or failed. */
function settlementOf(error: unknown, { attempt }: ClaimedEntry, now: Date): Settlement {
  const code = error instanceof ApiError ? error.code : null
  if (code !== null && REFUSALS.has(code)) return failed((error as ApiError).message)
  const reason =
    code === 'upstream_unavailable' ? 'The PSA did not answer' : 'The service could not start the agent'
  const held_until = retryAt(attempt, now)
  if (!held_until) return failed(`${reason}, ${ATTEMPTS} times.`)
  return { status: 'PENDING', held_until, execution_message: `${reason}. It is tried again.` }
}

async function startClaimed({ services, log }: LoopContext, entry: ClaimedEntry): Promise<void> {
  const { tenant_id, environment, id: entry_id } = entry
  const ctx = serviceContext(services, 'scheduled-work.start', randomUUID(), { tenant_id, environment })
  try {
    await transact(ctx, () => start(ctx, entry), { write_is_last: true })
  } catch (error) {
    log.warn({ err: error, tenant_id, entry_id }, 'a due entry could not be started')
    await settle(ctx, entry, settlementOf(error, entry, ctx.now))
  }
}

/** Entries that a process starts at once: most of the time of a start it waits for the PSA. */
const AT_ONCE = 4

interface Options {
  /** Only the entries of this tenant. */
  tenant_id?: string | null
  at_once?: number
}

/** Starts every entry that is due, the one that has been due for longest first. */
export async function startDue(
  ctx: LoopContext,
  { tenant_id = null, at_once = AT_ONCE }: Options = {},
): Promise<void> {
  const { services, signal } = ctx
  const { sql } = services.database
  const whose = { environment: services.environment, tenant_id }
  await releaseLost(sql, services.now(), whose)
  const claim = () => (signal.aborted ? null : claimDue(sql, services.now(), whose))
  const first = await claim()
  if (!first) return
  const starting = Array.from({ length: at_once }, async (_, lane) => {
    for (let entry = lane === 0 ? first : await claim(); entry; entry = await claim())
      await startClaimed(ctx, entry)
  })
  const results = await Promise.allSettled(starting)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
