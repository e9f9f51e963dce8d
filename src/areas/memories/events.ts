/** The events of memories. */
import { SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { declareEvents, maybeText, text, truth } from '../../schema/events/declare.ts'
import type { MemoryRow } from './memory.ts'

/** Memories for every agent are seen by everybody, and the others through an agent that they are for. */
const THROUGH_MEMORY = {
  by_user: `exists (select from agent_memory m
    where m.tenant_id = $1 and m.environment = $2 and m.id = e.entity_id
      and (m.restricted_agent_ids = '{}' or m.restricted_agent_ids && array(${SEEN_AGENTS})))`,
}

const MEMORY_EVENTS = declareEvents('memory', {
  data: {
    memory_id: text('The memory.'),
    state: text('The state of the memory.'),
    category: text('The category of the memory.'),
    scope_type: text('The kind of thing that the memory is about.'),
    scope_id: maybeText('The thing that the memory is about. null: the tenant itself.'),
    created_by: text('The kind of writer that made the memory.'),
    supersedes_id: maybeText('The memory that this one replaced. null: it replaced none.'),
    superseded_by: maybeText('The memory that replaced this one. null: none did.'),
    test_mode: truth('True for a memory that a test of an agent made.'),
  },
  seen: THROUGH_MEMORY,
  about: ({ memory_id }) => ({ id: memory_id }),
  events: {
    created: 'A memory was saved, by a person, an API key or an agent. It may replace another one.',
    superseded: 'A memory was replaced by a newer one, of which `memory.created` tells.',
  },
})

type Told = Pick<
  MemoryRow,
  | 'id'
  | 'state'
  | 'category'
  | 'scope_type'
  | 'scope_id'
  | 'created_by'
  | 'supersedes_id'
  | 'superseded_by'
  | 'test_mode'
>

/** The data of the events of the memory. */
const memoryData = ({ id: memory_id, ...memory }: Told) => ({ memory_id, ...memory })

/** The events of a change, by its past verb: only a new memory and a replaced one have an event. */
export function eventsOfChange(verb: string, memory: Told) {
  if (verb === 'created') return [MEMORY_EVENTS.created(memoryData(memory))]
  return verb === 'superseded' ? [MEMORY_EVENTS.superseded(memoryData(memory))] : []
}
