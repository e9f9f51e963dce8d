import { describe, expect, it } from 'vitest'
import { resolveAll } from '../../src/areas/company-links/resolution/ladder.ts'
import { generatedCompanies, generatedCustomers } from './generated.ts'
import { CERTAIN, HALVES, ladderScore, qualityOf } from './measure.ts'

describe('on labelled pairs of names', () => {
  it('there are 600 and more, and no pair is in both halves', () => {
    const [tuned, heldOut] = [HALVES.tuned, HALVES['held out']].map((pairs) =>
      pairs.map(({ customer, company }) => `${customer}|${company}`),
    ) as [string[], string[]]
    expect(tuned.length + heldOut.length).toBeGreaterThanOrEqual(600)
    expect(new Set([...tuned, ...heldOut]).size).toBe(tuned.length + heldOut.length)
  })

  it.each(Object.entries(HALVES))(
    '%s: no two companies are taken for one without a check, and four of five are found',
    (_half, pairs) => {
      const { wrong, recall } = qualityOf(pairs, ladderScore, CERTAIN)
      expect(wrong).toBe(0)
      expect(recall).toBeGreaterThanOrEqual(0.8)
    },
  )
})

describe('among a thousand companies', () => {
  it('a customer is found without a check as itself, or not at all', () => {
    const customers = generatedCustomers(1000)
    const found = resolveAll({ customers, companies: generatedCompanies(1000) })
    const certain = found.filter(({ confidence }) => confidence >= CERTAIN)
    expect(certain.length).toBeGreaterThanOrEqual(750)
    expect(
      certain.filter(({ customer_id, company_id }) => customer_id.slice(9) !== company_id?.slice(8)),
    ).toEqual([])
  })
})
