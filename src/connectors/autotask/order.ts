/** Rows in the order of a time. The vendor has no order but that of ids [HP, DA]. Sources as in `api.ts`. */
import type { z } from 'zod'
import { type Identified, instant } from './answers.ts'
import type { Api } from './api.ts'
import { before, type Filter, filters, since } from './query.ts'

/** A field with a time, which every row has. */
type Timed<Field extends string> = Identified & Readonly<Partial<Record<Field, string | undefined>>>

/** By a time, and then by id. */
export const byTime =
  <Field extends string>(field: Field) =>
  (one: Timed<Field>, other: Timed<Field>): number =>
    instant(one[field]).getTime() - instant(other[field]).getTime() || one.id - other.id

interface Place {
  at: Date
  id: number
}

interface Search<Field extends string> {
  entity: string
  conditions: readonly Filter[]
  /** The field with the time. */
  field: Field
  /** The fields to answer with; all, if it is absent. */
  fields?: readonly string[]
  /** What the rows come after; null: they are the first ones. */
  place: Place | null
  limit: number
}

/** The part of the rows whose times are looked at first, if there are many. It doubles until there are enough. */
const FIRST_SHARE = 1 / 16

/**
 * The first rows by the time and then by id, and whether there are more. Of many rows those before a time are read: it is
 * taken of the times that the first page has, so that a few requests do, however many rows there are.
 */
export async function earliest<Field extends string, Row extends Timed<Field>>(
  api: Api,
  form: z.ZodType<Row>,
  { entity, conditions, field, fields, place, limit }: Search<Field>,
): Promise<{ rows: Row[]; is_last: boolean }> {
  const order = byTime(field)
  const start = place && ({ id: place.id, [field]: place.at.toISOString() } as Timed<Field>)
  const found = (rows: readonly Row[]): Row[] =>
    rows.filter((row) => !start || order(row, start) > 0).sort(order)
  const from = filters(...conditions, place && since(field, place.at))
  const options = fields ? { fields } : {}
  const first = await api.after(form, entity, from, null, options)
  let rows = found(first.rows)
  if (first.next === null) return { rows: rows.slice(0, limit), is_last: rows.length <= limit }
  const sample = first.rows.toSorted(order)
  for (let share = FIRST_SHARE; share < 1; share *= 2) {
    const until = sample[Math.floor(sample.length * share)]
    if (!until) break
    rows = found(await api.all(form, entity, [...from, before(field, instant(until[field]))], fields))
    if (rows.length >= limit) return { rows: rows.slice(0, limit), is_last: false }
  }
  rows = found(await api.all(form, entity, from, fields))
  return { rows: rows.slice(0, limit), is_last: rows.length <= limit }
}
