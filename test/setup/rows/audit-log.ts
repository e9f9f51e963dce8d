/** Own rows of the audit log, for the generated suites. */
import { clock } from '../app.ts'
import { addActivities, addEntries } from '../audit-log.ts'
import { days, type Msp } from '../world.ts'

interface Own {
  /** The part of ids that is the same for rows of one call. */
  id: string
  mark: string
  number: number
  agent_id: number
  system: string
}

/** A tool call, an activity, and the chain of today, also if the day ends meanwhile. The agent and the execution exist already. */
export async function ownLogRows(
  msp: Msp,
  { id, mark, number, agent_id, system }: Own,
): Promise<Record<string, string>> {
  // Entries of scheduled work, which have numbers, are named by the argument `entry_id` too.
  const entry_id = String(agent_id)
  const tool = { tool_name: mark, tool_title: mark, result_summary: mark, system }
  await addEntries(msp, [{ id: entry_id, agent_id, execution_id: `exe_${id}`, ...tool }])
  await addActivities(msp, [{ id: `act_${id}`, targets: [{ type: 'agent', id, name: mark }] }])
  const { tenant_id, environment, database } = msp
  const today = { tenant_id, environment, day: clock.now(), entries: number, last_hash: mark }
  const tomorrow = { ...today, day: new Date(clock.now().getTime() + days(1)) }
  await database.prisma.auditDay.createMany({ data: [today, tomorrow] })
  return { entry_id }
}
