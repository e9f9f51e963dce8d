/** Running a script, and cancelling a run. */
import { scope } from '../../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../../access/viewer.ts'
import { rmmOf } from '../../../connectors/rmm.ts'
import type { System } from '../../../connectors/systems.ts'
import { ApiError, bodyProblem, found as existing, invalid } from '../../../errors/errors.ts'
import { record } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { newId } from '../../../lib/ids.ts'
import { isObject } from '../../../lib/is-object.ts'
import { builder } from '../../../schema/builder.ts'
import { change, targetOf } from '../../../schema/changes/change.ts'
import { lockExecution } from '../../executions/index.ts'
import { lockWaiting, requestApproval, withdrawRequest } from '../../til-requests/index.ts'
import { area } from '../area.ts'
import { requireConnected } from '../connected.ts'
import { refusalOf, waitingRun } from './approval.ts'
import { type Examined, examine, storedScript, type Wanted } from './examine.ts'
import { tellExecution } from './finish.ts'
import { RUN } from './queries.ts'
import { needsApproval } from './rules/steps.ts'
import type { ScriptRunRow } from './run.ts'
import { queueRun, storeRun } from './store.ts'
import { runInWords } from './wording.ts'

const RunOfScript = builder.inputType('RunOfScript', {
  description: 'The device and the values with which a script runs.',
  fields: (t) => ({
    device_id: t.id({
      required: true,
      min_length: 1,
      max_length: 200,
      description: 'The device, by its id in the RMM.',
    }),
    parameters: t.field({
      type: 'JSON',
      description:
        'The values of the parameters, by name; the secret ones too, which are stored encrypted, given to the RMM alone, and ' +
        'shown as `"[secret]"`. Left out: none.',
    }),
    timeout_seconds: t.int({
      min: 1,
      max: 3600,
      description: 'Seconds after the start after which the run is TIMED_OUT. Left out: those of the script.',
    }),
  }),
})

interface Asked extends Wanted {
  timeout_seconds: number | null
}

/** True if the rules of the script bind the caller: on the API-request channel, and for a key without an acting user. */
const isBound = (ctx: Context): boolean => {
  const { channel, person } = callerOf(ctx)
  return channel === 'API_REQUEST' || person === null
}

/** The run that is asked for, once nothing refuses it. */
async function possible(ctx: Context, asked: Asked): Promise<Examined> {
  const script = existing(await storedScript(ctx, asked.script_id), 'rmm_script_not_found', asked.script_id)
  await requireConnected(ctx, script.system as System)
  const unsupported = await ctx.services.connectors.unsupportedCalls(ctx)
  if (unsupported.rmm.has('startScript')) throw new ApiError('not_supported_by_system')
  const examined = await examine(ctx, rmmOf(ctx), asked, { by: 'CALLER', is_bound: isBound(ctx) })
  if ('code' in examined) throw refusalOf(examined, (field) => field)
  return examined
}

/** Asks the approvers for the run. The arguments of the request are those of the call, without secrets. */
async function requestFor(
  ctx: Context,
  { script, device, checked }: Examined,
  asked: Asked,
): Promise<string> {
  const shown = { device_id: device.device_id, device_name: device.name, parameters: checked.shown }
  const { timeout_seconds } = asked
  return await requestApproval(ctx, {
    operation: 'run_rmm_script',
    title: `Run script: ${script.name}`,
    summary: `${recordedName(callerOf(ctx))} asks for this run. ${runInWords(script, shown)}`,
    arguments: {
      script_id: script.id,
      input: {
        device_id: device.device_id,
        parameters: checked.shown,
        ...(timeout_seconds !== null && { timeout_seconds }),
      },
    },
    risk: script.risk === 'READ_ONLY' || script.risk === 'CHANGES_STATE' ? 'CHANGE' : 'DESTRUCTIVE',
    group: 'DEVICES',
  })
}

/** Stores the run, QUEUED or waiting for the approvers. */
async function ask(ctx: Context, asked: Asked): Promise<ScriptRunRow> {
  const examined = await possible(ctx, asked)
  const { script } = examined
  const waits = isBound(ctx) && needsApproval(script)
  const til_request_id = waits ? await requestFor(ctx, examined, asked) : null
  const run = await storeRun(ctx, examined, {
    id: newId('rsr'),
    status: waits ? 'PENDING_APPROVAL' : 'QUEUED',
    timeout_seconds: asked.timeout_seconds ?? script.default_timeout_seconds,
    requested_by_name: recordedName(callerOf(ctx)),
    is_bound: isBound(ctx),
    til_request_id,
  })
  if (!waits) await queueRun(ctx, run.id)
  await record(ctx, {
    action: 'rmm_script_run.requested',
    targets: [targetOf(RUN, RUN.named(run))],
    after: RUN.recorded?.(run) ?? run,
  })
  return run
}

/** Sends the run that waited for the request, which is approved. */
async function goOn(ctx: Context, til_request_id: string): Promise<ScriptRunRow> {
  const waiting = existing(await waitingRun(ctx, til_request_id), 'rmm_script_run_not_found', til_request_id)
  return await change(ctx, RUN, waiting, {
    verb: 'approved',
    from: ['PENDING_APPROVAL'],
    to: 'QUEUED',
    decide: () => ({ status: 'QUEUED' as const }),
    beforeWrite: () => queueRun(ctx, waiting.id),
  })
}

const COMMON = { type: RUN.type, access: scope('rmm_scripts:run'), etag: RUN.etag } as const

area.mutation('run_rmm_script', (t) =>
  t.field({
    ...COMMON,
    description:
      'Runs a script on a device. A person, or a key with an acting user, starts it at once: QUEUED. For a call through the ' +
      'API-request channel and a key without an acting user the script has to be enabled for agents, and unless its `approval` is ' +
      'BY_RISK and its `risk` READ_ONLY the run waits: PENDING_APPROVAL, with the `til_request_id` of the request. The body that ' +
      'is stored now runs, and no other.',
    rest: { method: 'POST', path: '/rmm-scripts/{script_id}/run' },
    errors: [
      'rmm_script_not_found',
      'script_removed',
      'script_not_enabled',
      'integration_not_connected',
      'not_supported_by_system',
      'upstream_unavailable',
    ],
    args: {
      script_id: t.arg({ type: 'ID', required: true, description: 'The `id` of the script.' }),
      input: t.arg({ type: RunOfScript, required: true }),
    },
    resolve: (_root, { script_id, input }, ctx) => {
      if (ctx.asked) return goOn(ctx, ctx.asked.til_request_id) as never
      const { device_id, parameters, timeout_seconds = null } = input
      const values: unknown = parameters ?? {}
      if (!isObject(values))
        throw invalid([bodyProblem('parameters', 'type', 'must be an object of values by name')])
      return ask(ctx, {
        script_id: String(script_id),
        device_id: String(device_id),
        parameters: values,
        timeout_seconds,
      }) as never
    },
  }),
)

const CANCELLABLE = ['PENDING_APPROVAL', 'QUEUED', 'CANCELLED'] as const

/** Cancels the run, and the request that it waits for. */
async function cancel(ctx: Context, run_id: string): Promise<ScriptRunRow> {
  const seen = await RUN.select(ctx, run_id, new Set(['execution_id', 'til_request_id']))
  const execution = seen.execution_id === null ? null : await lockExecution(ctx, seen.execution_id)
  if (seen.til_request_id !== null) await lockWaiting(ctx, seen.til_request_id)
  const by_name = recordedName(callerOf(ctx))
  return await change(ctx, RUN, RUN.lock(ctx, run_id), {
    verb: 'cancelled',
    from: CANCELLABLE,
    to: 'CANCELLED',
    decide: () => ({ status: 'CANCELLED' as const, secrets: null, finished_at: ctx.now }),
    async beforeWrite(run) {
      if (run.status === 'PENDING_APPROVAL' && run.til_request_id !== null)
        return await withdrawRequest(ctx, run.til_request_id, 'CANCELLED', `${by_name} cancelled the run.`)
      await tellExecution(ctx, { run: { ...run, status: 'CANCELLED' }, execution })
    },
  })
}

area.mutation('cancel_rmm_script_run', (t) =>
  t.field({
    ...COMMON,
    description:
      'Cancels a run that is PENDING_APPROVAL or QUEUED; its request to technicians is cancelled with it. A run that was sent to ' +
      'the RMM cannot be stopped: 409. A run that is CANCELLED already is answered as it is.',
    rest: { method: 'POST', path: '/rmm-script-runs/{run_id}/cancel' },
    errors: ['rmm_script_run_not_found', 'script_run_not_cancellable', 'version_conflict'],
    args: { run_id: t.arg(RUN.key) },
    resolve: (_root, { run_id }, ctx) => cancel(ctx, String(run_id)) as never,
  }),
)
