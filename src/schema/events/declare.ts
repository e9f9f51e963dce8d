/**
 * Declared events. A declaration says everything about the events of one subject: their types, severities, data, and who
 * sees them. The functions that it returns are the only ones that make events.
 *
 * subject: the first half of a type: `agent` in `agent.paused`.
 * member: a field of an event's data, with its JSON Schema.
 */
import type { RaisedEvent } from '../../db/live/raise.ts'
import type { Sight } from './sight.ts'

type EventSeverity = 'INFO' | 'WARNING' | 'CRITICAL'

/** A member of data. `value` has no value: it is the type of the member. */
export interface Member<Value> {
  schema: object
  value?: Value
}

type Members = Readonly<Record<string, Member<unknown>>>

type DataOf<Declared extends Members> = {
  [Name in keyof Declared]: Declared[Name] extends Member<infer Value> ? Value : never
}

/** The longest text in data, in characters. */
const MAX_TEXT = 2_000
/** The longest list in data. */
const MAX_ITEMS = 200

export const text = (description: string): Member<string> => ({
  schema: { type: 'string', maxLength: MAX_TEXT, description },
})
export const maybeText = (description: string): Member<string | null> => ({
  schema: { type: ['string', 'null'], maxLength: MAX_TEXT, description },
})
export const whole = (description: string): Member<number> => ({ schema: { type: 'integer', description } })
export const maybeWhole = (description: string): Member<number | null> => ({
  schema: { type: ['integer', 'null'], description },
})
export const number = (description: string): Member<number> => ({ schema: { type: 'number', description } })
export const truth = (description: string): Member<boolean> => ({ schema: { type: 'boolean', description } })
export const texts = (description: string): Member<readonly string[]> => ({
  schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_ITEMS, description },
})
export const wholes = (description: string): Member<readonly number[]> => ({
  schema: { type: 'array', items: { type: 'integer' }, maxItems: MAX_ITEMS, description },
})
/** A text that is one of the words. Words may be added. */
export const word = <const Words extends readonly string[]>(
  description: string,
  words: Words,
): Member<Words[number]> => ({ schema: { type: 'string', examples: words, description } })

/** A type of events. */
export interface DeclaredEvent {
  type: string
  description: string
  severity: EventSeverity
  /** The JSON Schema of its data. */
  data_schema: object
  /** False for a type that nothing raises yet. */
  available: boolean
  seen: Sight
}

/** An event of a subject: its description alone, if its severity is INFO and it is available. */
type Outline = string | { description: string; severity?: EventSeverity; available?: false }

interface Subject<Declared extends Members, Name extends string> {
  data: Declared
  seen: Sight
  /** The thing that the event is about: its id, and the agent that it belongs to. */
  about(data: DataOf<Declared>): { id: string | number; agent_id?: number | null }
  /** The events, by the second half of their types. */
  events: Readonly<Record<Name, Outline>>
  /** False: nothing raises any of the events yet. */
  available?: boolean
}

const declared = new Map<string, DeclaredEvent>()

/** Every declared event, by type. */
export const declaredEvents = (): readonly DeclaredEvent[] =>
  [...declared.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1))

/** The declaration of a type; undefined for a type of a later release. */
export const declaredEvent = (type: string): DeclaredEvent | undefined => declared.get(type)

/** The value as data has it: nothing of it is longer than its schema says. */
function bounded(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_TEXT ? [...value].slice(0, MAX_TEXT).join('') : value
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(bounded) : value
}

/** Declares the events of a subject, and returns a function for each of them that makes it of its data. */
export function declareEvents<const Declared extends Members, const Name extends string>(
  subject: string,
  { data: members, seen, about, events, available = true }: Subject<Declared, Name>,
): Readonly<Record<Name, (data: DataOf<Declared>) => RaisedEvent>> {
  const names = Object.keys(members)
  const data_schema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
    required: names,
  }
  const makers = Object.entries<Outline>(events).map(([name, outline]) => {
    const type = `${subject}.${name}`
    if (declared.has(type)) throw new Error(`The event ${type} is declared twice`)
    const of_event = typeof outline === 'string' ? { description: outline } : outline
    declared.set(type, { type, severity: 'INFO', available, ...of_event, data_schema, seen })
    return [
      name,
      (given: DataOf<Declared>): RaisedEvent => {
        const { id, agent_id = null } = about(given)
        const data = Object.fromEntries(names.map((member) => [member, bounded(given[member])]))
        return { type, entity_id: String(id), agent_id, data }
      },
    ] as const
  })
  return Object.fromEntries(makers) as Record<Name, (data: DataOf<Declared>) => RaisedEvent>
}
