/** The columns of rows of which not everybody wants everything. */

export interface Columns {
  /** What the choice adds to a statement's name; nothing where it is everything. */
  name: string
  text: string
}

/** Choices that get a statement of their own. Callers make them up: whoever comes later reads everything. */
const MOST_CHOICES = 20

/** Chooses among columns, by name what each is; `always` those that our own code needs. */
export function columnsOf<Name extends string>(
  all: Readonly<Record<Name, string>>,
  always: readonly NoInfer<Name>[],
): (wanted?: ReadonlySet<string> | null) => Columns {
  const names = Object.keys(all) as Name[]
  const textOf = (chosen: readonly Name[]) => chosen.map((name) => `${all[name]} as ${name}`).join(', ')
  const everything = { name: '', text: textOf(names) }
  const choices = new Map<string, Columns>()

  return (wanted) => {
    if (!wanted) return everything
    const chosen = names.filter((name) => wanted.has(name) || always.includes(name))
    if (chosen.length === names.length) return everything
    const text = textOf(chosen)
    const known = choices.get(text)
    if (known || choices.size === MOST_CHOICES) return known ?? everything
    const columns = { name: `choice ${choices.size + 1}`, text }
    choices.set(text, columns)
    return columns
  }
}
