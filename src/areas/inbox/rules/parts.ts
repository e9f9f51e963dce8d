/** The parts of a stretch of the feed: in each one items are opened and joined first, and settled then. */
import type { FeedEvent } from './feed-event.ts'
import { type Facts, type Occurrence, occurrenceOf } from './items.ts'
import { type Settlement, type SettlingFacts, settlementsOf } from './settlements.ts'

interface Part {
  occurrences: Occurrence[]
  settlements: Settlement[]
}

/** The ways in which the items of an occurrence can be settled, each by the same key as the settlement. */
const waysOf = ({ kind, cause, subject_id, waits_on, agent_ids }: Occurrence): string[] => [
  JSON.stringify(['CAUSE', kind, cause]),
  JSON.stringify(['SUBJECT', kind, subject_id]),
  JSON.stringify(['WAITS_ON', null, waits_on]),
  ...agent_ids.map((id) => JSON.stringify(['AGENT', null, id])),
]

const wayOf = ({ by, value, ...settlement }: Settlement): string =>
  JSON.stringify([by, 'kind' in settlement ? settlement.kind : null, value])

/** The events in parts, in their order: what happens after its settlement is in a later part. */
export function partsOf(events: readonly FeedEvent[], facts: Facts & SettlingFacts): Part[] {
  const parts: Part[] = []
  let settled = new Set<string>()
  let part: Part = { occurrences: [], settlements: [] }
  for (const event of events) {
    const occurrence = occurrenceOf(event, facts)
    if (occurrence) {
      if (waysOf(occurrence).some((way) => settled.has(way))) {
        parts.push(part)
        part = { occurrences: [], settlements: [] }
        settled = new Set()
      }
      part.occurrences.push(occurrence)
    }
    for (const settlement of settlementsOf(event, facts)) {
      part.settlements.push(settlement)
      settled.add(wayOf(settlement))
    }
  }
  return [...parts, part]
}
