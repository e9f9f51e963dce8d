/** Finds that the pages of another system repeat, by one of them that is kept: Brent's cycle detection. */
import { createHash } from 'node:crypto'
import { z } from 'zod'

export const PageMark = z.object({
  /** The pages that were read. */
  pages: z.int(),
  /** The number of pages at which the last of them takes the place of the kept page. */
  replaced_at: z.int(),
  /** Digests of the kept page: what it continues with, and its rows. */
  next: z.string(),
  rows: z.string(),
})
export type PageMark = z.infer<typeof PageMark>

interface Page {
  next: string
  rows: readonly unknown[]
}

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)

/** The mark after a page that is not the last. null: the page, or what it continues with, is that of an earlier page. */
export function markPage(mark: PageMark | null, page: Page): PageMark | null {
  const next = digest(page.next)
  const rows = page.rows.length === 0 ? '' : digest(page.rows)
  if (mark && (mark.next === next || (rows !== '' && mark.rows === rows))) return null
  const pages = (mark?.pages ?? 0) + 1
  const replaced_at = mark?.replaced_at ?? 1
  return pages < replaced_at && mark
    ? { ...mark, pages }
    : { pages, replaced_at: 2 * replaced_at, next, rows }
}
