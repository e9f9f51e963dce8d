import { addRevisions, share } from '../agents.ts'
import type { Msp } from '../world.ts'

/** A share and a revision of the agent of the rows. */
export async function addAgentRows(
  msp: Msp,
  { agent_id, user_id, mark }: { agent_id: number; user_id: string; mark: string },
): Promise<void> {
  await share(msp, agent_id, user_id)
  await addRevisions(msp, agent_id, [{ revision: 1, changed_by_name: mark, snapshot: { name: mark } }])
}
