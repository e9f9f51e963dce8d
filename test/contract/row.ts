/** The form of the tables of this folder, which are data alone. */

/**
 * A file below `test/` and a title in it. A test that runs through both interfaces says no more; one that knows a single
 * interface says which.
 */
export type Proof = readonly [file: string, title: string, only?: 'rest' | 'graphql']

/** A rule of the contract: its section, and its number there. Rules that have none count in the order they stand in. */
type Rule = readonly [section: string, number: number]

export interface Row {
  rule: Rule
  /** The rule in the contract’s words, shortened. */
  says: string
  /** The operations that it is about, `GET /path`; none if it is about all. */
  operations?: readonly string[]
  proofs: readonly Proof[]
  /** The reason why one interface is enough. */
  one_interface?: string
}

/** A part of the contract that is not built yet. */
export interface Missing {
  rules?: readonly Rule[]
  codes?: readonly string[]
  says: string
  reason: string
  /** By which of these it would be there. */
  until: { operations?: readonly string[]; area?: string; file?: string }
}
