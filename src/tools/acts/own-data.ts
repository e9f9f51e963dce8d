/** The service's own data: memories and technicians. */
import type { MemoryProblem, MemoryToSave } from '../../connectors/memories.ts'
import { inMemories, readsFrom } from '../acting.ts'
import { known, ToolFailure } from '../failure.ts'
import { MAX_RESULTS, type Search } from '../search.ts'

const PROBLEMS = {
  SECRET_IN_CONTENT: 'secret_in_content',
  SCOPE_INVALID: 'scope_invalid',
} as const satisfies Record<MemoryProblem, string>

export const OWN_DATA_ACTS = {
  'memory.search': inMemories(async (memories, { query, limit = MAX_RESULTS }: Search, { run }) => ({
    results: await memories.search(query, run.agent_id, limit),
  })),
  'memory.save': inMemories(async (memories, memory: MemoryToSave, { key }) => {
    const saved = await memories.save(memory, key)
    if ('problem' in saved) throw new ToolFailure(PROBLEMS[saved.problem])
    return { memory_id: saved.memory_id }
  }),
  'technician.search': readsFrom(async ({ psa, technicians }, { query, limit = MAX_RESULTS }: Search) => {
    const found = await technicians.search(query, limit)
    const counts = await psa.openTicketCounts(found.map(({ psa_id }) => psa_id))
    return {
      results: found.map(({ technician_id, name }, index) => ({
        ...{ technician_id, name },
        open_tickets: counts[index] ?? 0,
      })),
    }
  }),
  'technician.read_schedule': readsFrom(async ({ technicians }, args: { technician_id: number }) => {
    const { technician_id } = known(await technicians.technician(args.technician_id), 'technician_not_found')
    const at = await technicians.nextAtWork(technician_id)
    return { technician_id, next_available_at: at?.toISOString() ?? null }
  }),
}
