import { isDeepStrictEqual } from 'node:util'

/** The values of the patch that differ from the row's; null if none does. Undefined values are left out. */
export function changedValues<
  Row extends object,
  Patch extends { [Name in keyof Row]?: Row[Name] | undefined },
>(stored: Row, patch: Patch): Partial<Row> | null {
  const changes = Object.entries(patch).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, stored[name as keyof Row]),
  )
  return changes.length > 0 ? (Object.fromEntries(changes) as Partial<Row>) : null
}
