/** The arguments of tools that search. */

export const MAX_RESULTS = 50

export interface Search {
  query: string
  company_id?: string
  limit?: number
}

/** A search, as ports understand it. */
export const searchOf = ({ query, company_id, limit }: Search) => ({
  words: query,
  psa_company_id: company_id ?? null,
  limit: limit ?? MAX_RESULTS,
})
