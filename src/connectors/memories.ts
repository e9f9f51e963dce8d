/** The memories of agents: what tools ask of the service's own data. */
import type { Outcome, PortContext } from './port.ts'

interface RememberedMemory {
  memory_id: string
  content: string
}

export interface MemoryToSave {
  content: string
  scope_type: string
  /** null if `scope_type` is TENANT, and only there. */
  scope_id: string | null
}

interface MemorySearch {
  words: string
  agent_id: number
  audience: 'TECHNICIANS' | 'END_USERS'
  /** Only what is about the MSP itself, the company, its people and these devices of it. null: about anything. */
  about: { psa_company_id: string | null; contact_id: string | null; device_ids: readonly string[] } | null
  limit: number
}

/** The problem with a memory that is not kept. */
export type MemoryProblem = 'SECRET_IN_CONTENT' | 'SCOPE_INVALID'

export interface Memories {
  /** The memories that the agent may read, for these readers, that have every one of the words, the surest first. */
  search(search: MemorySearch): Promise<readonly RememberedMemory[]>
  /** The ids of the devices that memories with the words are about: at most 200. */
  devicesIn(search: Pick<MemorySearch, 'words' | 'agent_id'>): Promise<readonly string[]>
  /** True if the end user is one of the company. */
  isEndUserOf(end_user_id: string, psa_company_id: string): Promise<boolean>
  /** Keeps a memory of an agent's own, once for each key. Its id, or the problem with it. */
  save(
    memory: MemoryToSave,
    idempotency_key: string,
  ): Promise<{ memory_id: string } | { problem: MemoryProblem }>
  outcomeOf(idempotency_key: string): Promise<Outcome>
}

export type MemoriesConnector = (ctx: PortContext) => Memories
