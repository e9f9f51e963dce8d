/** Memories for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Memory = Partial<Prisma.AgentMemoryCreateManyInput> & { id: string }

/** Facts about the tenant that a user stated, for everybody. */
export async function addMemories(msp: Msp, memories: readonly Memory[]): Promise<void> {
  const now = clock.now()
  await msp.database.prisma.agentMemory.createMany({
    data: memories.map((memory) => ({
      tenant_id: msp.tenant_id,
      environment: msp.environment,
      content: `Memory ${memory.id}`,
      category: 'SEMANTIC' as const,
      scope_type: 'TENANT' as const,
      derivation: 'STATED' as const,
      created_by: 'USER' as const,
      audiences: ['ALL' as const],
      confidence: 1,
      created_at: now,
      updated_at: now,
      ...memory,
    })),
  })
}
