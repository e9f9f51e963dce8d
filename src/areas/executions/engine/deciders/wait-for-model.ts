/** Waits for a model that is not available: the run is left, and taken up again later. Nothing is held meanwhile but its slot. */
import { scoped, sql } from '../../../../db/db.ts'
import { statement } from '../../../../db/sql.ts'
import { enqueue } from '../../../../jobs/enqueue.ts'
import { ENVIRONMENT_OF, TENANT_OF } from '../../../../jobs/queue.ts'
import { JOB_CHANNEL } from '../../../../jobs/wake.ts'
import { fail } from '../lifecycle/finish.ts'
import { askAgainAt } from '../rules/model-wait.ts'
import type { Step } from '../rules/step.ts'
import { RUN_EXECUTION } from '../run/job.ts'
import { releaseLease } from '../run/lease.ts'
import { type RunContext, type RunState, withRunLock } from '../run/run-lock.ts'
import { recordEvents } from '../run/timeline.ts'

const STORE = scoped(
  'executions.store_model_wait',
  `update execution_work w set model_waits_since = $4::timestamptz, model_tries = $5
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3`,
)

/** Stores since when the run waits for its model, in the transaction in which it is locked. */
async function storeWait({ ctx, execution, agent }: RunState, since: Date | null, tries: number) {
  await sql(ctx, STORE, [execution.execution_id, since, tries])
  Object.assign(agent, { model_waits_since: since, model_tries: tries })
}

/** Leaves the run until the model is asked again, or fails it if it has waited long enough. */
export async function waitForModel(
  run: RunState,
  { retry_after_ms, ...failure }: Extract<Step, { do: 'WAIT_FOR_MODEL' }>,
): Promise<'STOP'> {
  const { ctx, execution, agent, deadline } = run
  const now = ctx.services.now()
  const { model_waits_since, model_tries: tries } = agent
  const since = model_waits_since ?? now
  const start_after = askAgainAt({ since, tries, now, deadline, retry_after_ms, spread: Math.random() })
  if (start_after === null) {
    await fail(run, { ...failure, failure_kind: 'PLATFORM' })
    return 'STOP'
  }
  await withRunLock(run, async () => {
    await storeWait(run, since, tries + 1)
    const text = `${failure.error} The work waits for it, and goes on as soon as it answers.`
    if (model_waits_since === null) await recordEvents(ctx, run.run, [{ kind: 'MESSAGE', text }])
    await releaseLease(ctx, execution.execution_id)
    // Contract silent: a run that waits for its model keeps its place among the executions at work.
    await enqueue(ctx, RUN_EXECUTION, { execution_id: execution.execution_id }, { start_after })
  })
  return 'STOP'
}

/** Takes note that the model answers again, in the transaction in which the run is locked. True if the run waited for it. */
export async function modelAnswered(run: RunState): Promise<boolean> {
  if (run.agent.model_waits_since === null) return false
  await storeWait(run, null, 0)
  await recordEvents(run.ctx, run.run, [{ kind: 'MESSAGE', text: 'The model answers again.' }])
  return true
}

const IS_LATER = `j.name = '${RUN_EXECUTION.name}' and j.state < 'active' and not j.blocked and j.start_after > now()`

// A locked job is under way to a worker, or woken by another run.
/** Of all tenants: the model is one. The notification is sent only if a run is woken. */
const WAKE = statement(
  'executions.wake_model_waits',
  `with later as materialized (
     select j.id, ${TENANT_OF('j')} as tenant_id, j.data -> 'payload' ->> 'execution_id' as execution_id
     from pgboss.job j where ${IS_LATER} and ${ENVIRONMENT_OF('j')} = $1
   ), waiting as materialized (
     select j.id from later l
     join execution_work w on w.tenant_id = l.tenant_id and w.environment = $1 and w.execution_id = l.execution_id
       and w.model_waits_since is not null
     join pgboss.job j on j.id = l.id and ${IS_LATER}
     for update of j skip locked
   ), woken as (
     update pgboss.job j set start_after = now() from waiting w
     where j.id = w.id and ${IS_LATER} returning j.id
   )
   select pg_notify('${JOB_CHANNEL}', '${RUN_EXECUTION.name}') from (select from woken limit 1) as one`,
)

/** Has every run of the environment that waits for the model taken up at once, by any process. */
export async function wakeModelWaits({ services, log }: RunContext): Promise<void> {
  await services.database.sql
    .rows(WAKE, [services.environment])
    // They are taken up later without it.
    .catch((err) => log.warn({ err }, 'the runs that wait for the model were not woken'))
}
