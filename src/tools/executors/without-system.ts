/** Tools whose calls reach no system. */

import { requireFound, ToolFailure } from '../failure.ts'
import { keptResult } from '../kept-results.ts'
import { partOf } from '../result-parts.ts'
import { readsFrom } from '../tool-context.ts'

/** No adapter of the service makes such calls. */
const notAvailable = readsFrom(() => Promise.reject(new ToolFailure('tool_not_available')))

/** The run itself does what the tool is for, and asks nothing of a system. */
const ofTheRun = readsFrom(() => Promise.reject(new Error('A tool of the run reached the systems')))

export const RUN_EXECUTORS = {
  'technician.ask': ofTheRun,
  'run.propose_plan': ofTheRun,
  'run.finish': ofTheRun,
  'run.wait': ofTheRun,
  'conversation.reply': ofTheRun,
  'run.read_result': readsFrom(
    async (_ports, { call_id, offset }: { call_id: string; offset: number }, { ctx, run }) => ({
      call_id,
      ...partOf(requireFound(await keptResult(ctx, run, call_id), 'result_not_found'), offset),
    }),
  ),
}

export const UNAVAILABLE_EXECUTORS = {
  'network.list_devices': notAvailable,
  'incident.search': notAvailable,
  'incident.isolate_device': notAvailable,
  'stock.search': notAvailable,
  'mail.search': notAvailable,
  'mail.release': notAvailable,
  'mail.block_sender': notAvailable,
  'technician.replace_schedule': notAvailable,
  'technician.delete': notAvailable,
  'web.search': notAvailable,
}

/** False for a tool whose calls no adapter of the service makes, whatever the tenant has connected. */
export const isAvailable = ({ name }: { name: string }): boolean =>
  !Object.hasOwn(UNAVAILABLE_EXECUTORS, name)
