/** Agents, shares and executions for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Agent = Partial<Prisma.AgentCreateManyInput>
type Execution = Partial<Prisma.ExecutionCreateManyInput>

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
      created_by_name: 'Somebody',
      ...agent,
    })),
  })
}

/** Shares the agent with the user. */
export async function share(msp: Msp, agent_id: number, user_id: string): Promise<void> {
  const { updated_at: _, ...owned } = common(msp)
  await msp.database.prisma.agentShare.create({ data: { ...owned, agent_id, user_id } })
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
