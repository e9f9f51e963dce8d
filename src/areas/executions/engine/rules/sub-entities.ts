/** The parts of a ticket that a tool call wrote or read: notes and time entries. */
import { isObject } from '../../../../lib/is-object.ts'

const IDS = ['note_id', 'time_entry_id'] as const
const LISTS = ['notes', 'time_entries'] as const

const idsIn = (value: unknown): string[] =>
  isObject(value) ? IDS.map((name) => value[name]).filter((id) => typeof id === 'string') : []

/** Their ids in the result of a tool. */
export const subEntitiesIn = (result: Readonly<Record<string, unknown>>): string[] => [
  ...idsIn(result),
  ...LISTS.flatMap((name) => {
    const list = result[name]
    return Array.isArray(list) ? list.flatMap(idsIn) : []
  }),
]
