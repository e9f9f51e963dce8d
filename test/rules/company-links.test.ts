import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  confirmation,
  confirmationProblem,
  isConfirmed,
  type Mapping,
  needsReview,
  WITHOUT_COMPANY,
  withCompany,
} from '../../src/areas/company-links/rules.ts'
import { type EnumName, enumOptions, type Word } from '../../src/schema/models.ts'

const wordsOf = <Name extends EnumName>(name: Name) => Object.keys(enumOptions(name).values) as Word<Name>[]

const by = { mapped_by: 'Ada', mapped_at: new Date('2026-03-01T00:00:00Z') }
const company = { psa_company_id: 'psa_1', name: 'One' }

const links: fc.Arbitrary<Mapping & { external_id: string; hidden: boolean }> = fc.record({
  external_id: fc.string(),
  psa_company_id: fc.option(fc.constantFrom('psa_1', 'psa_2')),
  psa_company_name: fc.option(fc.string()),
  link_state: fc.constantFrom(...wordsOf('LinkState')),
  match_method: fc.constantFrom(...wordsOf('MatchMethod')),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  is_primary: fc.boolean(),
  mapped_by: fc.option(fc.string()),
  mapped_at: fc.option(fc.date({ noInvalidDate: true })),
  confirmed_at: fc.option(fc.date({ noInvalidDate: true })),
  hidden: fc.boolean(),
})

describe('a link', () => {
  it.each([
    ['AUTO', 0.9499999, true],
    ['AUTO', 0.95, false],
    ['AUTO', 1, false],
    ['AUTO', 0, true],
    ['MANUAL', 0.5, false],
    ['UNMAPPED', 0, false],
  ] as const)('%s with the confidence %d needs review: %j', (link_state, confidence, expected) => {
    expect(needsReview({ link_state, confidence })).toBe(expected)
  })

  it('that a person maps is MANUAL, certain and in that person’s name, whatever it was', () => {
    fc.assert(
      fc.property(links, fc.option(fc.boolean(), { nil: undefined }), (link, is_primary) => {
        fc.pre(link.psa_company_id !== 'psa_1' || !isConfirmed(link))
        const after = { ...link, ...withCompany(link, company, is_primary, by) }
        const stays = link.is_primary && link.psa_company_id === 'psa_1'
        expect(after).toEqual({
          external_id: link.external_id,
          psa_company_id: 'psa_1',
          psa_company_name: 'One',
          link_state: 'MANUAL',
          match_method: 'MANUAL',
          confidence: 1,
          is_primary: is_primary ?? stays,
          ...by,
          confirmed_at: by.mapped_at,
          hidden: link.hidden,
        })
      }),
    )
  })

  it('that a person maps if a person has mapped it changes in its flag alone', () => {
    fc.assert(
      fc.property(links, fc.option(fc.boolean(), { nil: undefined }), (link, is_primary) => {
        const mapped = { ...link, psa_company_id: 'psa_1', link_state: 'MANUAL' as const, hidden: false }
        const after = withCompany(mapped, company, is_primary, by)
        expect(after).toEqual({ is_primary: is_primary ?? mapped.is_primary })
      }),
    )
  })

  it('that is cleared keeps nothing of its mapping, and is confirmed only if it was', () => {
    fc.assert(
      fc.property(links, (link) => {
        expect({ ...link, ...WITHOUT_COMPANY }).toEqual({
          external_id: link.external_id,
          psa_company_id: null,
          psa_company_name: null,
          link_state: 'UNMAPPED',
          match_method: 'UNMATCHED',
          confidence: 0,
          is_primary: false,
          mapped_by: null,
          mapped_at: null,
          confirmed_at: link.confirmed_at,
          hidden: link.hidden,
        })
      }),
    )
  })

  it('that is vouched for changes in neither its company nor its flag', () => {
    expect(Object.keys(confirmation(by))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/company|primary/)]),
    )
  })
})

describe('what keeps links from being confirmed', () => {
  const held = new Map([
    ['mapped', { psa_company_id: 'psa_1' }],
    ['unmapped', { psa_company_id: null }],
    ['unmapped too', { psa_company_id: null }],
  ])

  it.each([
    [['mapped'], null],
    [
      ['mapped', 'unmapped too', 'unmapped'],
      { code: 'company_link_unmapped', ids: ['unmapped too', 'unmapped'] },
    ],
    [['unmapped', 'nobody', 'mapped', 'none'], { code: 'company_link_not_found', ids: ['nobody', 'none'] }],
    [[''], { code: 'company_link_not_found', ids: [''] }],
  ])('of %j is %j', (ids, expected) => {
    expect(confirmationProblem(ids, held)).toEqual(expected)
  })
})
