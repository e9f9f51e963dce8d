import type { Prisma } from '../../../src/db/generated/client/client.ts'
import type { Api, Arguments } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import type { Caller, Msp } from '../../setup/world.ts'

type Agent = Partial<Prisma.AgentCreateManyInput> & { id: number }
type Execution = Partial<Prisma.ExecutionCreateManyInput> & { agent_id: number }

export const NOTHING = {
  credits_consumed: 0,
  total_executions: 0,
  successful_executions: 0,
  failed_executions: 0,
  fully_resolved_executions: 0,
  partially_resolved_executions: 0,
  total_hours_saved: 0,
  total_seconds_spent: 0,
  total_tickets_received: 0,
  unique_tickets: 0,
  earliest_execution_at: null,
  earliest_time_entry_at: null,
}

export const tenancy = ({ tenant_id, environment }: Msp) => ({ tenant_id, environment })

export async function addAgents(msp: Msp, agents: readonly Agent[]): Promise<void> {
  const now = clock.now()
  await msp.database.prisma.agent.createMany({
    data: agents.map((agent) => ({
      ...tenancy(msp),
      name: `Agent ${agent.id}`,
      created_by_name: 'Owner',
      created_at: now,
      autonomy_type: 'AGENTIC' as const,
      trigger_type: 'TRIGGERED' as const,
      entity_type: 'TICKET' as const,
      updated_at: now,
      ...agent,
    })),
  })
}

export async function addExecutions(msp: Msp, executions: readonly Execution[]): Promise<void> {
  const now = clock.now()
  await msp.database.prisma.execution.createMany({
    data: executions.map((execution, index) => ({
      ...tenancy(msp),
      execution_id: `exe_${index}`,
      trigger: 'TRIGGERED' as const,
      status: 'SKIPPED' as const,
      entity_type: 'TICKET' as const,
      created_at: now,
      updated_at: now,
      ...execution,
    })),
  })
}

type Entry = { id?: string; agent_id: number; at: Date; credits: number }

export const addCredits = (msp: Msp, entries: readonly Entry[]) =>
  msp.database.prisma.creditEntry.createMany({
    data: entries.map((entry, index) => ({ ...tenancy(msp), id: `ce_${index}`, ...entry })),
  })

export const addTickets = (msp: Msp, quarters: readonly { quarter: Date; count: number }[]) =>
  msp.database.prisma.ticketsReceived.createMany({
    data: quarters.map((each) => ({ ...tenancy(msp), ...each })),
  })

export const share = (msp: Msp, agent_id: number, { id: user_id }: Caller) =>
  msp.database.prisma.agentShare.create({
    data: { ...tenancy(msp), agent_id, user_id, created_at: clock.now() },
  })

export const summary = (api: Api, caller: Caller, args: Arguments = {}) =>
  api.call(caller, 'performance_summary', args)

export const QUARTER = 900_000
export const at = (time: string) => new Date(`2026-${time}Z`)
