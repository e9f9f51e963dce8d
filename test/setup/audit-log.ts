/** Tool calls and activities for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Entry = Partial<Prisma.AuditEntryCreateManyInput>
type Activity = Partial<Prisma.ActivityEntryCreateManyInput>

/** Successful reads of tickets, in the order of their `sequence`. The executions exist already. */
export async function addEntries(
  { tenant_id, environment, database }: Msp,
  entries: readonly (Entry & { id: string; agent_id: number; execution_id: string })[],
): Promise<void> {
  await database.prisma.auditEntry.createMany({
    data: entries.map((entry) => ({
      tenant_id,
      environment,
      occurred_at: clock.now(),
      agent_name: `Agent ${entry.agent_id}`,
      temporal_run_id: `run_${entry.execution_id}_1`,
      tool_name: 'ticket.read',
      tool_title: 'Read ticket',
      access: 'READ',
      outcome: 'SUCCEEDED',
      arguments: {},
      correlation_id: entry.execution_id,
      ...entry,
    })),
  })
}

/** Changes of settings. */
export async function addActivities(
  { tenant_id, environment, database }: Msp,
  activities: readonly (Activity & { id: string })[],
): Promise<void> {
  await database.prisma.activityEntry.createMany({
    data: activities.map((activity) => ({
      tenant_id,
      environment,
      occurred_at: clock.now(),
      action: 'settings.updated',
      actor_type: 'USER',
      actor_id: 'usr_1',
      actor_name: 'Ada',
      targets: [{ type: 'settings', id: 'settings', name: 'Settings' }],
      context: { ip: null, user_agent: null, request_id: 'r', channel: null, acting_user_id: null },
      ...activity,
    })),
  })
}

/** The activities of a tenant, from the first on. */
export const activitiesOf = ({ database, tenant_id }: Pick<Msp, 'database' | 'tenant_id'>) =>
  database.prisma.activityEntry.findMany({ where: { tenant_id }, orderBy: { occurred_at: 'asc' } })

export const countActivities = ({ database, tenant_id }: Pick<Msp, 'database' | 'tenant_id'>) =>
  database.prisma.activityEntry.count({ where: { tenant_id } })

/** Deletes from a log, as retention does. */
export const asRetention = (
  { database }: Msp,
  deletion: (tx: Prisma.TransactionClient) => Promise<unknown>,
): Promise<unknown> =>
  database.prisma.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('select allow_retention()')
    await deletion(tx)
  })
