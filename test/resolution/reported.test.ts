import { describe, expect, it } from 'vitest'
import { CERTAIN, foundAmong, REPORTED } from './measure.ts'

describe('a customer of a public report', () => {
  it.each(REPORTED.map((each) => [each.customer, each] as const))(
    '%j has its company, or none without a check',
    (_customer, { customer, companies, right, flagged = false }) => {
      const found = foundAmong(customer, companies)
      if (right === null) expect(found.confidence).toBeLessThan(CERTAIN)
      else expect(found).toMatchObject({ company: right, flagged })
      expect(found.flagged).toBe(found.company !== null && found.confidence < CERTAIN)
    },
  )
})
