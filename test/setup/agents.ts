/** Agents, shares and executions for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Agent = Partial<Prisma.AgentCreateManyInput>
type Execution = Partial<Prisma.ExecutionCreateManyInput>
type Revision = Partial<Prisma.AgentRevisionCreateManyInput>

const common = ({ tenant_id, environment }: Msp) => ({
  tenant_id,
  environment,
  created_at: clock.now(),
  updated_at: clock.now(),
})

/** Active agents that work on tickets, without a creating user. */
export async function addAgents(msp: Msp, agents: readonly (Agent & { id: number })[]): Promise<void> {
  await msp.database.prisma.agent.createMany({
    data: agents.map((agent) => ({
      ...common(msp),
      name: `Agent ${agent.id}`,
      state: 'ACTIVE',
      autonomy_type: 'AGENTIC',
      trigger_type: 'TRIGGERED',
      entity_type: 'TICKET',
      agent_settings: {},
      created_by_name: 'Somebody',
      ...agent,
    })),
  })
}

/** Shares the agents with the user. */
export async function shareAll(
  msp: Msp,
  agent_ids: readonly number[],
  user_id: string,
  can_edit = false,
): Promise<void> {
  const { updated_at: _, ...owned } = common(msp)
  await msp.database.prisma.agentShare.createMany({
    data: agent_ids.map((agent_id) => ({ ...owned, agent_id, user_id, can_edit })),
  })
}

/** Shares the agent with the user. */
export const share = (msp: Msp, agent_id: number, user_id: string, can_edit = false): Promise<void> =>
  shareAll(msp, [agent_id], user_id, can_edit)

/** Revisions of the agent's configuration, which is its name. */
export async function addRevisions(
  { database, tenant_id, environment }: Msp,
  agent_id: number,
  revisions: readonly (Revision & { revision: number })[],
): Promise<void> {
  await database.prisma.agentRevision.createMany({
    data: revisions.map((revision) => ({
      tenant_id,
      environment,
      agent_id,
      changed_at: clock.now(),
      changed_by_name: 'Somebody',
      changed_paths: ['name'],
      snapshot: { name: `Agent ${agent_id}` },
      ...revision,
    })),
  })
}

/** Completed executions that a change in the PSA triggered. */
export async function addExecutions(
  msp: Msp,
  executions: readonly (Execution & { execution_id: string; agent_id: number })[],
): Promise<void> {
  await msp.database.prisma.execution.createMany({
    data: executions.map((execution) => ({
      ...common(msp),
      status: 'COMPLETED',
      trigger: 'TRIGGERED',
      entity_type: 'TICKET',
      ...execution,
    })),
  })
}
