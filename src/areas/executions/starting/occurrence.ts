/** The job of one occurrence of an agent's schedule. */
import type { z } from 'zod'
import { psaOf } from '../../../connectors/psa.ts'
import { isConflict } from '../../../db/errors.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { ApiError } from '../../../errors/errors.ts'
import { tenantJob, type UnboundJobContext } from '../../../jobs/job.ts'
import {
  type AgentRow,
  type Entity,
  entitiesOf,
  RUN_OCCURRENCE,
  readForService,
  startOf,
} from '../../agents/index.ts'
import { checkSubscription, readTerms } from '../../billing/index.ts'
import { liveEntityIds } from '../live.ts'
import { enqueueExecution, startExecution } from './start.ts'

/** The agent, while its schedule may start it. */
async function readScheduled(ctx: UnboundJobContext, agent_id: number): Promise<AgentRow | null> {
  const agent = await readForService(ctx, agent_id)
  return agent?.state === 'ACTIVE' && agent.trigger_type === 'SCHEDULED' ? agent : null
}

/** True if the subscription lets agents run. */
async function mayRun(ctx: UnboundJobContext): Promise<boolean> {
  try {
    await checkSubscription(ctx, await readTerms(ctx))
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // Contract silent: nothing is made up of what is due while the subscription lets no agent run.
    ctx.log.info({ reason: error.code }, 'an occurrence started nothing')
    return false
  }
}

const START_MS = 10_000

/** Starts the agent on the entity, unless an execution of it is live there. */
async function startOn(ctx: UnboundJobContext, agent: AgentRow, entity: Entity): Promise<void> {
  try {
    await inTransaction(ctx, START_MS, async () => {
      await startExecution(
        ctx,
        await enqueueExecution(ctx),
        startOf(agent, { ...entity, trigger: 'SCHEDULED' }),
      )
    })
  } catch (error) {
    if (!isConflict(error)) throw error
  }
}

/** Starts everything that the occurrence starts in the transaction that completes the job: once, or not at all. */
async function runOccurrenceOf(
  ctx: UnboundJobContext,
  { agent_id, occurrence_at, since }: z.output<typeof RUN_OCCURRENCE.payload>,
): Promise<void> {
  const scheduled = await readScheduled(ctx, agent_id)
  if (!scheduled || !(await mayRun(ctx))) return
  const live = await liveEntityIds(ctx, agent_id)
  const occurrence = { occurrence_at: new Date(occurrence_at), since: new Date(since) }
  const entities = await entitiesOf(psaOf(ctx), scheduled, occurrence, live, ctx.now)
  await ctx.inTurn(() =>
    ctx.commit(async () => {
      const agent = await readScheduled(ctx, agent_id)
      if (agent) for (const entity of entities) await startOn(ctx, agent, entity)
    }),
  )
}

export const runOccurrence = tenantJob({
  ...RUN_OCCURRENCE,
  transaction: false,
  // The PSA may be away for some minutes.
  retry_delay_seconds: 10,
  timeout_seconds: 300,
  concurrency: 50,
  waits: true,
  handler: runOccurrenceOf,
})
