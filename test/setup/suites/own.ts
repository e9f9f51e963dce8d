/** Rows by which a tenant can be told from others: what areas are given to add them, and what suites get. */

/** Ids of rows, by the argument that takes them. */
export type Ids = Record<string, string | number>

/** What an area's own rows are marked by. */
export interface Own {
  /** Ends the ids of the rows. */
  id: string
  /** The id of rows that have a number. */
  id_number: number
  mark: string
  /** The mark of rows without a text. */
  number: number
  /** Adds the own rows of another area, if they are not there yet, and tells their ids. */
  of(area: string): Promise<Ids>
}

/** Rows of one tenant in one environment, by which they can be told from those of others. */
export interface OwnRows {
  /** A word in every text of these rows and of no others. */
  mark: string
  /** A number that identifies the rows if there is no text. */
  number: number
  /** Ids of rows, by the argument that takes them. */
  ids: Ids
  psa_company_id: string
}
