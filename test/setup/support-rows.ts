/** Rows of support requests. */
import { newReference } from '../../src/areas/escalation/support/reference.ts'
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

export async function addSupportRequests(
  { database, tenant_id, environment }: Pick<Msp, 'database' | 'tenant_id' | 'environment'>,
  requests: readonly (Partial<Prisma.SupportRequestCreateManyInput> & { id: string })[],
): Promise<void> {
  await database.prisma.supportRequest.createMany({
    data: requests.map((request) => ({
      tenant_id,
      environment,
      reference: newReference(),
      summary: 'The agent stops',
      details: 'It stops at each ticket.',
      request_id: 'request',
      created_at: clock.now(),
      updated_at: clock.now(),
      created_by_name: 'Owner',
      ...request,
    })),
  })
}
