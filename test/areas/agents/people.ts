/** Agents by whom they may be changed, and what was recorded of changes. */
import { addAgents, share } from '../../setup/agents.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

/** Agent 1 is the USER's, 2 is shared with the USER to edit, 3 to see, 4 is nobody's of theirs, 5 is the VIEWER's. */
export async function agentsOfPeople(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, created_by_user_id: msp.user.id },
    { id: 2, created_by_user_id: msp.admin.id },
    { id: 3 },
    { id: 4 },
    { id: 5, created_by_user_id: msp.viewer.id },
  ])
  await share(msp, 2, msp.user.id, true)
  await share(msp, 3, msp.user.id)
  return msp
}

export const acting = (msp: Msp, user: Caller): Promise<Caller> => msp.newKey({ acting_user_id: user.id })

export const revisionsOf = ({ database, tenant_id }: Msp, agent_id: number) =>
  database.prisma.agentRevision.findMany({ where: { tenant_id, agent_id }, orderBy: { revision: 'asc' } })
