/** Entries of scheduled work for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Entry = Partial<Prisma.ScheduledWorkCreateManyInput> & { workflow_id: number }

/** Entries that wait for tomorrow, unless they say something else. */
export async function addScheduledWork(msp: Msp, entries: readonly Entry[]): Promise<void> {
  const now = clock.now()
  await msp.database.prisma.scheduledWork.createMany({
    data: entries.map((entry) => ({
      tenant_id: msp.tenant_id,
      environment: msp.environment,
      ticket_id: '4711',
      scheduled_for: new Date(now.getTime() + 86_400_000),
      created_by: 'Somebody',
      created_at: now,
      updated_at: now,
      ...entry,
    })),
  })
}
