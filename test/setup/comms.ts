/** Messages to and from people outside the service, as they are stored. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Message = Partial<Prisma.CommsMessageCreateManyInput> & { id: string }

/** E-mails to nobody in particular that were sent, and are of no agent. */
export async function addMessages(
  { tenant_id, environment, database: { prisma } }: Tenant,
  messages: readonly Message[],
): Promise<void> {
  await prisma.commsMessage.createMany({
    data: messages.map((message) => {
      const { created_at = clock.now() } = message
      return {
        tenant_id,
        environment,
        direction: 'OUTBOUND' as const,
        medium: 'EMAIL' as const,
        status: 'SENT' as const,
        body: 'Hello.',
        created_at,
        updated_at: created_at,
        ...message,
      }
    }),
  })
}

/** The tenant’s messages, as they are stored, the oldest first. */
export const messagesOf = ({ database, tenant_id }: Pick<Msp, 'database' | 'tenant_id'>) =>
  database.prisma.commsMessage.findMany({
    where: { tenant_id },
    orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
  })
