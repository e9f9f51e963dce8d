import { changedValues } from '../../lib/changed-values.ts'

/** The columns that changes of every row touch. */
const OF_EVERY_CHANGE = ['revision', 'updated_at', 'version']

/** `changed_fields` of an event: the columns that differ between two rows, by name. */
export const changedFields = (before: object, after: object): string[] =>
  Object.keys(changedValues(before, after) ?? {})
    .filter((column) => !OF_EVERY_CHANGE.includes(column))
    .sort()
