/** Tools whose calls reach no system. */
import { readsFrom } from '../acting.ts'
import { known, ToolFailure } from '../failure.ts'
import { keptResult } from '../kept-results.ts'
import { partOf } from '../results.ts'

/** No system of its kind can be connected. */
const notAvailable = readsFrom(() => Promise.reject(new ToolFailure('tool_not_available')))

/** The run itself does what the tool is for, and asks nothing of a system. */
const ofTheRun = readsFrom(() => Promise.reject(new Error('A tool of the run reached the systems')))

export const RUN_ACTS = {
  'technician.ask': ofTheRun,
  'run.propose_plan': ofTheRun,
  'run.finish': ofTheRun,
  'run.wait': ofTheRun,
  'conversation.reply': ofTheRun,
  'run.read_result': readsFrom(
    async (_ports, { call_id, offset }: { call_id: string; offset: number }, { ctx, run }) => ({
      call_id,
      ...partOf(known(await keptResult(ctx, run, call_id), 'result_not_found'), offset),
    }),
  ),
}

export const UNAVAILABLE_ACTS = {
  'device.search': notAvailable,
  'device.read': notAvailable,
  'device.list_software': notAvailable,
  'device.restart': notAvailable,
  'device.run_script': notAvailable,
  'alert.read': notAvailable,
  'alert.search': notAvailable,
  'alert.close': notAvailable,
  'network.list_devices': notAvailable,
  'incident.search': notAvailable,
  'incident.isolate_device': notAvailable,
  'identity.search': notAvailable,
  'identity.read': notAvailable,
  'identity.list_groups': notAvailable,
  'identity.list_sign_ins': notAvailable,
  'identity.create': notAvailable,
  'identity.reset_password': notAvailable,
  'identity.unlock': notAvailable,
  'identity.disable': notAvailable,
  'identity.revoke_sessions': notAvailable,
  'identity.add_to_group': notAvailable,
  'identity.remove_from_group': notAvailable,
  'identity.assign_licence': notAvailable,
  'licence.list': notAvailable,
  'licence.order': notAvailable,
  'stock.search': notAvailable,
  'mail.search': notAvailable,
  'mail.release': notAvailable,
  'mail.block_sender': notAvailable,
  'document.search': notAvailable,
  'document.read': notAvailable,
  'document.list_folder': notAvailable,
  'document.create': notAvailable,
  'document.update': notAvailable,
  'technician.replace_schedule': notAvailable,
  'technician.delete': notAvailable,
  'chat.send': notAvailable,
  'web.search': notAvailable,
  'escalation.raise': notAvailable,
}
