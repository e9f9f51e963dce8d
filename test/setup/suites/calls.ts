/** Calls whose answers are the examples of the OpenAPI document. */
import type { Arguments } from '../api.ts'

type Row = Record<string, unknown>

/** The rows that operations have answered with, by operation: those of its first example. */
export type Answered = ReadonlyMap<string, readonly Row[]>

/** The value of an argument that depends on the answer of an operation, which is called before. */
interface FromAnswer {
  (answered: Answered): unknown
  of: string
}

/** The field of a row that the operation was answered with. */
export const from = (operation: string, field: string, index = 0): FromAnswer =>
  Object.assign(
    (answered: Answered) => {
      const value = answered.get(operation)?.[index]?.[field]
      if (value === undefined) throw new Error(`${operation} had no ${field} in row ${index}`)
      return value
    },
    { of: operation },
  )

/** The arguments with what comes from earlier answers, also inside the body. */
export function resolved(args: Arguments, answered: Answered): Arguments {
  const resolve = (value: unknown): unknown => {
    if (typeof value === 'function') return (value as FromAnswer)(answered)
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    return resolved(value as Arguments, answered)
  }
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, resolve(value)]))
}

/** The rows of the answer: those of a page, otherwise the object itself. */
export function rowsOf({ data, meta }: { data: unknown; meta: Row }): Row[] {
  if (Array.isArray(data)) return data
  const list = 'pagination' in meta ? Object.values(data as Row).find(Array.isArray) : null
  return list ?? [data as Row]
}

/** A page that is shown whole. */
export const page_size = 2

/** A call of each operation. */
export type Calls = Readonly<Record<string, Arguments>>

/** The operations whose answers the value depends on. */
function operationsIn(value: unknown): string[] {
  if (typeof value === 'function') return [(value as FromAnswer).of]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(operationsIn) : []
}

/** The calls as they stand, but each after those whose answers it depends on. */
export function inOrderOfNeed(calls: Calls): Calls {
  const ordered: Record<string, Arguments> = {}
  function add(name: string, before: readonly string[]): void {
    const args = calls[name]
    if (!args || name in ordered) return
    if (before.includes(name)) throw new Error(`The calls need each other: ${[...before, name].join(', ')}`)
    for (const needed of operationsIn(args)) add(needed, [...before, name])
    ordered[name] = args
  }
  for (const name of Object.keys(calls)) add(name, [])
  return ordered
}
