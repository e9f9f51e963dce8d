/** Rows for the suite of lists, and each list's filters and order as functions of a row. */
import type { Arguments } from '../api.ts'
import { byteOrder } from '../companies.ts'
import type { Msp } from '../world.ts'

type Value = Date | string | number | boolean | null

/** A list as its rows in memory show it. */
export type ListSampler<Row> = Sampler<Row> & Growth

/** Whether the list grows with what the tenant does. */
type Growth =
  | {
      /** It does: values of its filters that are no enumeration, common, rare, and never met. */
      grows: Readonly<Record<string, readonly unknown[]>>
      steady?: never
    }
  | {
      /** The reason why it does not. */
      steady: string
      grows?: never
    }

interface Sampler<Row> {
  /** Arguments without which the list is not read. */
  required?: Arguments
  /** Adds a row for each number; rows with different numbers differ in what filters look at. */
  add(msp: Msp, numbers: readonly number[]): Promise<void>
  /** Every row of the tenant, as it is stored. */
  rows(msp: Msp): Promise<Row[]>
  /** Removes a row; missing if rows are the service's own and the same for everybody. */
  remove?(msp: Msp, id: string): Promise<void>
  /** The identity of a row, and the name of the field that has it in an answer. */
  id: keyof Row & string
  /** The rows of an answer's data, if it is no list. */
  items?(data: Record<string, unknown>): Record<string, unknown>[]
  /** The values that rows are ordered by, from the first on, by the value of `sort`. */
  orders: Readonly<Record<string, readonly SampleKey<Row>[]>>
  /** True if the list has the row at all, with these arguments. */
  lists?(row: Row, args: Arguments): boolean
  /** True if a USER sees the row. */
  isSeenBy?(row: Row, user_id: string): boolean
  filters: Readonly<Record<string, SampleFilter<Row>>>
  /** The filters that an index serves. With any other a page walks the list as far as it takes to find its rows. */
  indexed?: readonly string[]
  /** The most rows of a list that an index does not lead through, and why it does not. */
  bounded?: { rows: number; because: string }
  /** The filters whose cost grows with the tenant for callers of a role, each with the reason. */
  not_bounded_for?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface SampleKey<Row> {
  value(row: Row): Value
  descending?: boolean
}

export interface SampleFilter<Row> {
  values: readonly unknown[]
  meets(row: Row, value: never): boolean
}

/** A filter that the field is equal to, or among several values. */
export const isEqual = <Row>(field: keyof Row, values: readonly unknown[]): SampleFilter<Row> => ({
  values,
  meets: (row, value: unknown) => (Array.isArray(value) ? value.includes(row[field]) : row[field] === value),
})

/** A search in the texts of a row. */
export const isIn = <Row>(
  texts: (row: Row) => readonly (string | null)[],
  values: readonly string[],
): SampleFilter<Row> => ({
  values,
  meets: (row, value: string) => texts(row).some((text) => text?.toLowerCase().includes(value.toLowerCase())),
})

/** The newest first, then by id downwards. */
export const newestFirst = <Row extends { created_at: Date }>(id: (row: Row) => Value): SampleKey<Row>[] => [
  { value: ({ created_at }) => created_at, descending: true },
  { value: id, descending: true },
]

/** An instant for each number; some have the same. */
export const instant = (n: number): Date => new Date(Date.UTC(2026, 0, 1 + Math.floor(n / 3)))

/** So many seconds after the instant of the number. */
export const after = (n: number, seconds: number): Date => new Date(instant(n).getTime() + seconds * 1000)

/** The item of a number, over and over again. */
export const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length] as Item

function compare(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return byteOrder(a, b)
  return Number(a) - Number(b)
}

/** The comparison that sorts rows. */
export const inOrder =
  <Row>(keys: readonly SampleKey<Row>[]) =>
  (a: Row, b: Row): number => {
    for (const { value, descending } of keys) {
      const order = compare(value(a), value(b))
      if (order !== 0) return descending ? -order : order
    }
    return 0
  }
