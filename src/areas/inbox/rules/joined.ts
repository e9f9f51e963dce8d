/** Occurrences of one cause, joined. */
import { type Audience, MOST_AFFECTED, type Occurrence } from './items.ts'

const united = <Value>(first: readonly Value[], second: readonly Value[]): Value[] => [
  ...new Set([...first, ...second]),
]

/** The people of both: later technicians come to those who were told before. */
const audienceOf = (first: Audience, then: Audience): Audience =>
  first.to === 'TECHNICIANS' && then.to === 'TECHNICIANS'
    ? { to: 'TECHNICIANS', technician_ids: united(first.technician_ids, then.technician_ids) }
    : then

const join = (first: Occurrence, then: Occurrence): Occurrence => ({
  ...then,
  audience: audienceOf(first.audience, then.audience),
  count: first.count + then.count,
  first_at: first.first_at < then.first_at ? first.first_at : then.first_at,
  last_at: first.last_at > then.last_at ? first.last_at : then.last_at,
  agent_ids: united(first.agent_ids, then.agent_ids).slice(0, MOST_AFFECTED),
  entity_numbers: united(first.entity_numbers, then.entity_numbers).slice(0, MOST_AFFECTED),
  waits_on: then.waits_on ?? first.waits_on,
})

/** The occurrences joined: one for each kind and cause, with the words of the last one. */
export function joined(occurrences: readonly Occurrence[]): Occurrence[] {
  const causes = new Map<string, Occurrence>()
  for (const one of occurrences) {
    const key = `${one.kind}/${one.cause}`
    const first = causes.get(key)
    causes.set(key, first ? join(first, one) : one)
  }
  return [...causes.values()]
}
