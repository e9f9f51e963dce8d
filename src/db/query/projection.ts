/** Column projection: a statement selects only the columns that the caller asked for. */
import { type ModelName, readColumns } from './models.ts'

export interface Projection {
  /**
   * The columns of a `select`: the wanted ones, those that are always selected, and `also`; all of them if `wanted`
   * is null.
   */
  select(wanted: ReadonlySet<string> | null, also?: readonly string[]): string
}

interface Options {
  /** SQL of columns that the model does not have, by name. It may replace a column of the model. */
  computed?: Readonly<Record<string, string>>
  /** Columns that resolvers need whatever is selected. */
  always: readonly string[]
}

/** Chooses among the columns of a Prisma model, of rows called `alias`, and computed ones. */
export const projection = (model: ModelName, alias: string, { computed = {}, always }: Options): Projection =>
  projectionOf({ ...readColumns(model, alias), ...computed }, always)

/** Chooses among columns, which are SQL by name; those in `always` are selected whatever is wanted. */
export function projectionOf(
  columns: Readonly<Record<string, string>>,
  always: readonly string[],
): Projection {
  const names = Object.keys(columns)
  const unknown = always.filter((name) => !(name in columns))
  if (unknown.length > 0) throw new Error(`There are no columns ${unknown.join(', ')}`)
  const textOf = (chosen: readonly string[]) => chosen.map((name) => `${columns[name]} as ${name}`).join(', ')
  // The set of a selection is the same object whenever its field is resolved.
  const known = new WeakMap<ReadonlySet<string>, Map<string, string>>()

  return {
    select(wanted, also = []) {
      if (!wanted) return textOf(names)
      let texts = known.get(wanted)
      if (!texts) {
        texts = new Map()
        known.set(wanted, texts)
      }
      const key = also.join()
      let text = texts.get(key)
      if (text === undefined) {
        text = textOf(
          names.filter((name) => wanted.has(name) || always.includes(name) || also.includes(name)),
        )
        texts.set(key, text)
      }
      return text
    },
  }
}
