/** Own rows of the audit log, for the generated suites. */
import { addActivities, addEntries } from '../audit-log.ts'
import type { Msp } from '../world.ts'

interface Own {
  /** The part of ids that is the same for rows of one call. */
  id: string
  mark: string
  agent_id: number
  system: string
}

/** A tool call and an activity. The agent and the execution exist already. */
export async function ownLogRows(
  msp: Msp,
  { id, mark, agent_id, system }: Own,
): Promise<Record<string, string>> {
  // Entries of scheduled work, which have numbers, are named by the argument `entry_id` too.
  const entry_id = String(agent_id)
  const tool = { tool_name: mark, tool_title: mark, result_summary: mark, system }
  await addEntries(msp, [{ id: entry_id, agent_id, execution_id: `exe_${id}`, ...tool }])
  await addActivities(msp, [{ id: `act_${id}`, targets: [{ type: 'agent', id, name: mark }] }])
  return { entry_id }
}
