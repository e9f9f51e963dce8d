import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { markPage, type PageMark } from '../../src/lib/page-marks.ts'

type Page = Parameters<typeof markPage>[1]

/** The pages that are read of an endless row of them until one repeats; `most` if none does. */
function pagesUntilRepeated(page: (index: number) => Page, most = 1000): number {
  let mark: z.infer<typeof PageMark> | null = null
  for (let index = 0; index < most; index++) {
    mark = markPage(mark, page(index))
    if (mark === null) return index + 1
  }
  return most
}

describe('the pages of a system', () => {
  it.each([
    ['that all differ', (n: number) => ({ next: `p${n}`, rows: [n] }), 1000],
    ['without rows, that continue elsewhere', (n: number) => ({ next: `p${n}`, rows: [] }), 1000],
    ['that continue with themselves', (n: number) => ({ next: 'p', rows: [n] }), 2],
    ['with the same rows', (n: number) => ({ next: `p${n}`, rows: [7] }), 2],
    ['that alternate', (n: number) => ({ next: `p${n % 2}`, rows: [n] }), 4],
    ['that come back after a while', (n: number) => ({ next: `p${n < 10 ? n : n % 5}`, rows: [n] }), 21],
  ])('%s', (_name, page, pages) => {
    expect(pagesUntilRepeated(page)).toBe(pages)
  })
})
