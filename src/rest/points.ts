/** The prices of REST calls in points, the currency of GraphQL. */
import { PAGE_SIZE } from '../db/query/page-size.ts'
import type { Operation } from '../gateway/operation.ts'
import { hasPages, ITEMS_PER_POINT, itemsOf } from '../schema/bounds/list-size.ts'

/** The cost of a call in points: one, and one more for every fifty rows it may give. */
const pointsFor = (rows: number): number => 1 + Math.floor(rows / ITEMS_PER_POINT)

/** Tells the cost of a call of the operation: by the size of the page, or else by the most items that it may give. */
export function pricing({ field, rest }: Operation): (query: URLSearchParams) => number {
  if (!hasPages(field)) {
    const points = pointsFor(itemsOf(field, rest.omit))
    return () => points
  }
  return (query) => {
    const asked = Number(query.get('page_size')) || PAGE_SIZE.default
    return pointsFor(Math.min(Math.max(asked, 0), PAGE_SIZE.max))
  }
}
