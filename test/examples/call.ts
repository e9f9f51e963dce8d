/** Calls whose answers are the examples of the OpenAPI document. */
import type { Arguments } from '../setup/api.ts'

type Row = Record<string, unknown>

/** The rows that operations have answered with, by operation: those of its first example. */
export type Answered = ReadonlyMap<string, readonly Row[]>

/** The value of an argument that depends on an earlier answer. */
export type FromAnswer = (answered: Answered) => unknown

/** The field of a row that the operation was answered with. */
export const from =
  (operation: string, field: string, index = 0): FromAnswer =>
  (answered) => {
    const value = answered.get(operation)?.[index]?.[field]
    if (value === undefined) throw new Error(`${operation} had no ${field} in row ${index}`)
    return value
  }

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

/** A call of each operation. */
export type Calls = Readonly<Record<string, Arguments>>
