/** The memories of agents: what tools ask of the service's own data. */
import type { Outcome, PortContext } from './port.ts'

interface RememberedMemory {
  memory_id: string
  content: string
}

export interface MemoryToSave {
  content: string
  scope_type: string
  /** null where `scope_type` is TENANT, and only there. */
  scope_id: string | null
}

/** The problem with a memory that is not kept. */
export type MemoryProblem = 'SECRET_IN_CONTENT' | 'SCOPE_INVALID'

export interface Memories {
  /** The memories that the agent may read and that have every one of the words, the surest first. */
  search(words: string, agent_id: number, limit: number): Promise<readonly RememberedMemory[]>
  /** Keeps a memory of an agent's own, once for each key. Its id, or the problem with it. */
  save(
    memory: MemoryToSave,
    idempotency_key: string,
  ): Promise<{ memory_id: string } | { problem: MemoryProblem }>
  outcomeOf(idempotency_key: string): Promise<Outcome>
}

export type MemoriesConnector = (ctx: PortContext) => Memories
