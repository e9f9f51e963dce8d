/**
 * Sends a run to the RMM and follows it. Each step is stored before the next: a worker that takes the run over from a lost
 * worker knows whether the run was sent, or asks the RMM.
 */

import { PortRefusal, PortUnavailable } from '../../../connectors/port.ts'
import { type Rmm, type RmmScriptRun, rmmOf } from '../../../connectors/rmm.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { JobContext, UnboundJobContext } from '../../../jobs/job.ts'
import { type StoredScript, storedScript } from './examine.ts'
import { end, endingOf, lockOpen } from './finish.ts'
import {
  claim,
  completed,
  endRun,
  failed,
  hasUnshown,
  later,
  storeMark,
  storeSent,
  storeShown,
  storeUnsent,
  type WorkContext,
} from './progress.ts'
import { RUN } from './queries.ts'
import { SECRET, secretNames } from './rules/parameters.ts'
import { deadlineOf, nextStep, pauseSeconds, recovered, startProblem } from './rules/steps.ts'
import type { ScriptRunRow } from './run.ts'
import { type StoringContext, secretsOf } from './store.ts'

interface Ordered {
  run: ScriptRunRow
  script: StoredScript
}

/** Starts the script in the RMM; a refusal of the RMM ends the run. */
async function send(
  ctx: WorkContext,
  rmm: Rmm,
  { run, script }: Ordered,
): Promise<'SENT' | 'REFUSED' | 'UNANSWERED'> {
  const secrets = secretsOf(ctx, run)
  const { device_id, id } = run
  const without_value = Object.entries(run.parameters).some(
    ([name, value]) => value === SECRET && !Object.hasOwn(secrets, name),
  )
  if (without_value) {
    await failed(ctx, run, 'secret_required')
    return 'REFUSED'
  }
  const order = {
    device_id,
    script_id: script.external_id,
    parameters: { ...run.parameters, ...secrets },
    secret_parameters: [...new Set([...secretNames(script), ...Object.keys(secrets)])],
    run_as_user: script.run_as_user,
  }
  ctx.signal.throwIfAborted()
  try {
    await rmm.startScript(order, id)
  } catch (error) {
    if (isOutage(error)) {
      if (isNotMade(error)) await storeUnsent(ctx, run)
      return 'UNANSWERED'
    }
    if (!(error instanceof PortRefusal)) throw error
    await failed(ctx, run, refusalCode(error))
    return 'REFUSED'
  }
  await storeSent(ctx, run)
  return 'SENT'
}

const isOutage = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'upstream_unavailable'

/** True if the RMM was certainly not asked: the run is sent anew, with another mark. */
const isNotMade = (error: unknown): boolean => {
  const cause = error instanceof ApiError ? error.originalError : null
  return cause instanceof PortUnavailable && cause.not_made
}

const refusalCode = ({ reason }: PortRefusal): string =>
  reason === 'NOT_SUPPORTED'
    ? 'not_supported_by_system'
    : reason === 'SCRIPT_NOT_FOUND'
      ? 'script_removed'
      : reason.toLowerCase()

const startOf = ({ run, script }: Ordered) => ({
  device_id: run.device_id,
  script_id: script.external_id,
  mark: run.mark ?? '',
  idempotency_key: run.id,
})

/** True if the time of the run is over. */
const isLate = ({ started_at, timeout_seconds }: ScriptRunRow, now: Date): boolean =>
  started_at !== null && now >= deadlineOf({ started_at, timeout_seconds })

/** Ends the run if the RMM has its end or its time is over; otherwise it goes on later. */
async function follow(
  ctx: WorkContext,
  { run }: Ordered,
  shown: RmmScriptRun | 'NONE' | 'AMBIGUOUS' | null,
): Promise<void> {
  const now = ctx.services.now()
  if (shown && typeof shown !== 'string' && shown.end)
    return await endRun(ctx, run, endingOf(ctx, run, shown.end))
  if (isLate(run, now))
    return shown === 'AMBIGUOUS'
      ? await failed(ctx, run, 'outcome_unknown')
      : await endRun(ctx, run, { status: 'TIMED_OUT' })
  const started_at = run.started_at ?? now
  const left = (deadlineOf({ ...run, started_at }).getTime() - now.getTime()) / 1000
  await later(ctx, run, Math.min(pauseSeconds(started_at, now), left))
}

/** Looks for a run that was sent. */
async function find(ctx: WorkContext, rmm: Rmm, ordered: Ordered): Promise<void> {
  const { run } = ordered
  const shown = await rmm.startedRun(startOf(ordered))
  if (typeof shown !== 'string') await storeShown(ctx, run, shown.run_id)
  await follow(ctx, ordered, shown)
}

/** Looks for a run that a lost worker may have sent. */
async function recover(ctx: WorkContext, rmm: Rmm, ordered: Ordered): Promise<void> {
  const { run } = ordered
  const shown = await rmm.startedRun(startOf(ordered))
  const found = typeof shown === 'string' ? shown : 'RUN'
  const outcome = found === 'RUN' ? 'MADE' : await rmm.outcomeOf(run.id)
  switch (recovered(found, outcome, run.started_at ?? run.created_at, ctx.services.now())) {
    case 'ADOPT':
      return await find(ctx, rmm, ordered)
    case 'SEND':
      return await sendIfPossible(ctx, rmm, ordered)
    case 'WAIT':
      return await later(ctx, run, RECOVER_SECONDS)
    case 'UNKNOWN':
      return await failed(ctx, run, 'outcome_unknown')
  }
}

const RECOVER_SECONDS = 5

/** Sends a run that was certainly not sent, if its script and its device still allow it, and its time is not over. */
async function sendIfPossible(ctx: WorkContext, rmm: Rmm, ordered: Ordered): Promise<void> {
  const { run, script } = ordered
  if (isLate(run, ctx.services.now())) return await failed(ctx, run, 'upstream_unavailable')
  const problem = startProblem(
    run,
    await rmm.script(script.external_id),
    await rmm.listedDevice(run.device_id),
  )
  if (problem) return await failed(ctx, run, problem)
  await sendAndFind(ctx, rmm, ordered)
}

async function sendAndFind(ctx: WorkContext, rmm: Rmm, ordered: Ordered): Promise<void> {
  const sent = await send(ctx, rmm, ordered)
  if (sent === 'SENT') return await find(ctx, rmm, ordered)
  if (sent === 'UNANSWERED') await later(ctx, ordered.run, RECOVER_SECONDS)
}

/** Marks the point before the start; null if another worker has marked one. */
async function mark(ctx: WorkContext, rmm: Rmm, { run, script }: Ordered): Promise<Ordered | null> {
  const point = await rmm.markBeforeStart(run.device_id, script.external_id)
  return (await storeMark(ctx, run, point)) ? { script, run: { ...run, mark: point } } : null
}

const CLAIM_AGAIN_SECONDS = 5

async function claimAndStart(ctx: WorkContext, rmm: Rmm, ordered: Ordered): Promise<void> {
  const { run, script } = ordered
  if (await hasUnshown(ctx, run)) return await later(ctx, run, CLAIM_AGAIN_SECONDS)
  const problem = startProblem(
    run,
    await rmm.script(script.external_id),
    await rmm.listedDevice(run.device_id),
  )
  if (problem) return await failed(ctx, run, problem)
  const claimed = await claim(ctx, run)
  if (claimed === 'LATER') return await later(ctx, run, CLAIM_AGAIN_SECONDS)
  const marked = claimed && (await mark(ctx, rmm, { run: claimed, script }))
  if (marked) await sendAndFind(ctx, rmm, marked)
}

async function markAndStart(ctx: WorkContext, rmm: Rmm, ordered: Ordered): Promise<void> {
  if (isLate(ordered.run, ctx.services.now())) return await failed(ctx, ordered.run, 'upstream_unavailable')
  const marked = await mark(ctx, rmm, ordered)
  if (marked) await sendIfPossible(ctx, rmm, marked)
}

/** Minutes in which a queued run waits for a RMM that is away. */
const AWAY_MINUTES = 15
const AGAIN_SECONDS = 10

/** Goes on later with a run whose RMM is away, or ends it if it has waited long enough. */
async function afterOutage(ctx: WorkContext, run_id: string): Promise<void> {
  const run = await RUN.find(ctx, run_id as never)
  const step = run && nextStep(run)
  if (!run || !step) return
  const now = ctx.services.now()
  const is_away_long = now.getTime() - run.updated_at.getTime() > AWAY_MINUTES * 60_000
  if (step === 'CLAIM' ? is_away_long : step === 'MARK' && isLate(run, now))
    return await failed(ctx, run, 'upstream_unavailable')
  if ((step === 'FIND' || step === 'FOLLOW') && isLate(run, now))
    return await endRun(ctx, run, { status: 'TIMED_OUT' })
  if (step === 'RECOVER' && is_away_long && isLate(run, now)) return await failed(ctx, run, 'outcome_unknown')
  await later(ctx, run, AGAIN_SECONDS)
}

async function takeStep(ctx: WorkContext, ordered: Ordered, step: NonNullable<ReturnType<typeof nextStep>>) {
  const { run } = ordered
  const rmm = rmmOf({ ...ctx, now: ctx.services.now(), fresh: true })
  switch (step) {
    case 'CLAIM':
      return await claimAndStart(ctx, rmm, ordered)
    case 'MARK':
      return await markAndStart(ctx, rmm, ordered)
    case 'RECOVER':
      return await recover(ctx, rmm, ordered)
    case 'FIND':
      return await find(ctx, rmm, ordered)
    case 'FOLLOW':
      return await follow(ctx, ordered, await rmm.scriptRun(run.device_id, run.external_run_id as string))
  }
}

/** Takes the run as far as it goes at present. An error of the service itself ends the run with the last attempt. */
export async function workOn(unbound: UnboundJobContext, { run_id }: { run_id: string }): Promise<void> {
  const ctx = unbound as WorkContext
  const run = await RUN.find(ctx, run_id as never)
  const step = run && nextStep(run)
  const script = run && (await storedScript(ctx, run.script_id))
  if (!run || !script || !step) return
  try {
    await takeStep(ctx, { run, script }, step)
  } catch (error) {
    if (isOutage(error)) return await afterOutage(ctx, run_id)
    if (ctx.attempt <= RETRIES || ctx.signal.aborted) throw error
    ctx.log.error({ err: error, run_id }, 'a run of a script failed')
    await completed(ctx, () => giveUp(ctx, { run_id }))
  }
}

/** Attempts after the first. */
export const RETRIES = 5

/** Ends a run whose job is given up. */
export async function giveUp(job: JobContext, { run_id }: { run_id: string }): Promise<void> {
  const ctx = job as JobContext & StoringContext
  const run = await RUN.find(ctx, run_id as never)
  const open = run && (await lockOpen(ctx, run))
  if (!open) return
  const error_code =
    open.run.sent_at === null && open.run.mark !== null ? 'outcome_unknown' : 'internal_error'
  await end(ctx, open, { status: 'FAILED', error_code })
}
