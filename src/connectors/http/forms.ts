/** The forms of what vendors answer. Nothing of an answer is used that has not passed one. */
import { z } from 'zod'
import { createYield } from '../../lib/yielding.ts'
import { timeOf } from '../times.ts'
import { presentCall } from './call.ts'
import { VendorFailure } from './failure.ts'

const MAX_ID = 2 ** 31 - 1
const MAX_AMOUNT = 1e15

/** An id or number of a system that counts. */
export const count = z.int().min(0).max(MAX_ID)

/** A choice of a field. It is small enough to be counted together with those of other fields. */
export const choiceId = z.int().min(0).max(500_000_000)

/** A field that can be absent, or null, which says the same. */
export const maybe = <Form extends z.ZodType>(form: Form) =>
  form.nullish().transform((value) => value ?? undefined)

/** The bounds of the texts that a port answers with are in `bounded-adapter.ts`. */
export const text = maybe(z.string())
export const flag = maybe(z.boolean())
/** A time, an amount or a size. */
export const amount = maybe(z.number().min(-MAX_AMOUNT).max(MAX_AMOUNT))
export const reference = maybe(count)

/** A time by which the next request goes on. */
export const placeInTime = z.string().refine((written) => timeOf(written) !== null)

/** A thing by its id. */
export const NAMED = z.object({ id: count, name: text })
export type Named = z.infer<typeof NAMED>

/** The place at which the answer does not fit. Names are the form's own: nothing of the answer is told. */
function placeOf(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.map(String).join('.')}: ${issue.code}` : ''
}

const unknownForm = (system: string, place: string): VendorFailure =>
  new VendorFailure(`${system} answered in a form that we do not know (${place})`, { kind: 'UNKNOWN_FORM' })

/** The answer to the request, with the fields of its form alone. */
export function fitting<Form>(system: string, request: string, form: z.ZodType<Form>, answer: unknown): Form {
  const { data, error, success } = form.safeParse(answer)
  if (success) return data
  throw unknownForm(system, `${request} ${placeOf(error)}`)
}

/** A part of an answer that a following request is made of: an answer without it has an unknown form. */
export function partOf<Part>(system: string, place: string, part: Part | null | undefined): Part {
  if (part == null) throw unknownForm(system, `${place} is missing`)
  return part
}

/** The rows of a list. Other work goes on between them. */
export async function rowsFitting<Row>(
  system: string,
  request: string,
  form: z.ZodType<Row>,
  answer: unknown,
): Promise<Row[]> {
  if (!Array.isArray(answer)) throw unknownForm(system, `${request} is no list`)
  presentCall()?.rows(answer.length)
  const yielded = createYield()
  const rows: Row[] = []
  for (const row of answer) {
    rows.push(fitting(system, request, form, row))
    await yielded()
  }
  return rows
}

/** The rows of every page. */
export async function allRows<Row>(pages: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) for (const row of page) rows.push(row)
  return rows
}
