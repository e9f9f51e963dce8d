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

const names = fc.option(fc.constantFrom('Acorn', 'Zenith'))

const links: fc.Arbitrary<Mapping & { external_id: string; external_name: string | null; hidden: boolean }> =
  fc.record({
    external_id: fc.string(),
    external_name: names,
    psa_company_id: fc.option(fc.constantFrom('psa_1', 'psa_2')),
    psa_company_name: names,
    mapped_external_name: names,
    mapped_company_name: names,
    company_missing: fc.boolean(),
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
  const names_of_today = { external_name: 'Acorn', psa_company_name: 'Acorn Ltd' }
  const mapped = { mapped_external_name: 'Acorn', mapped_company_name: 'Acorn Ltd' }
  const sound = {
    psa_company_id: 'psa_1',
    confidence: 1,
    company_missing: false,
    ...names_of_today,
    ...mapped,
  }
  const other = { mapped_external_name: 'Zenith', mapped_company_name: 'Zenith Ltd' }

  it.each<[string, Partial<Parameters<typeof needsReview>[0]>, boolean]>([
    ['AUTO with the confidence 0.9499999', { link_state: 'AUTO', confidence: 0.9499999 }, true],
    ['AUTO with the confidence 0.95', { link_state: 'AUTO', confidence: 0.95 }, false],
    ['AUTO with the confidence 1', { link_state: 'AUTO', confidence: 1 }, false],
    ['AUTO with the confidence 0', { link_state: 'AUTO', confidence: 0 }, true],
    ['AUTO with other names', { link_state: 'AUTO', ...other }, false],
    ['AUTO whose company is gone', { link_state: 'AUTO', company_missing: true }, true],
    ['MANUAL with the same names', { link_state: 'MANUAL' }, false],
    ['MANUAL with a new name there', { link_state: 'MANUAL', mapped_external_name: 'Zenith' }, false],
    ['MANUAL with a new name in the PSA', { link_state: 'MANUAL', mapped_company_name: 'Zenith' }, false],
    ['MANUAL with new names in both', { link_state: 'MANUAL', ...other }, true],
    [
      'MANUAL whose entity had no name',
      { link_state: 'MANUAL', ...other, mapped_external_name: null },
      false,
    ],
    ['MANUAL whose entity has lost its name', { link_state: 'MANUAL', ...other, external_name: null }, true],
    ['MANUAL whose company is gone', { link_state: 'MANUAL', company_missing: true }, true],
    ['UNMAPPED', { link_state: 'UNMAPPED', confidence: 0, psa_company_id: null }, false],
  ])('that is %s: needs_review', (_link, link, expected) => {
    expect(needsReview({ link_state: 'AUTO', ...sound, ...link })).toBe(expected)
  })

  it('that a person maps is MANUAL, certain and in that person’s name, whatever it was', () => {
    fc.assert(
      fc.property(links, fc.option(fc.boolean(), { nil: undefined }), (link, is_primary) => {
        fc.pre(link.psa_company_id !== 'psa_1' || !isConfirmed(link))
        const after = { ...link, ...withCompany(link, company, is_primary, by) }
        const stays = link.is_primary && link.psa_company_id === 'psa_1'
        expect(after).toEqual({
          external_id: link.external_id,
          external_name: link.external_name,
          psa_company_id: 'psa_1',
          psa_company_name: 'One',
          mapped_external_name: link.external_name,
          mapped_company_name: 'One',
          company_missing: false,
          link_state: 'MANUAL',
          match_method: 'MANUAL',
          confidence: 1,
          is_primary: is_primary ?? stays,
          ...by,
          confirmed_at: by.mapped_at,
          hidden: link.hidden,
        })
        expect(needsReview(after)).toBe(false)
      }),
    )
  })

  it('that a person maps if a person has mapped it changes in its flag alone', () => {
    fc.assert(
      fc.property(links, fc.option(fc.boolean(), { nil: undefined }), (link, is_primary) => {
        const link_of_person = {
          ...link,
          psa_company_id: 'psa_1',
          link_state: 'MANUAL' as const,
          hidden: false,
        }
        fc.pre(!needsReview(link_of_person))
        const after = withCompany(link_of_person, company, is_primary, by)
        expect(after).toEqual({ is_primary: is_primary ?? link_of_person.is_primary })
      }),
    )
  })

  it('that is cleared keeps nothing of its mapping, and is confirmed only if it was', () => {
    fc.assert(
      fc.property(links, (link) => {
        expect({ ...link, ...WITHOUT_COMPANY }).toEqual({
          external_id: link.external_id,
          external_name: link.external_name,
          psa_company_id: null,
          psa_company_name: null,
          mapped_external_name: null,
          mapped_company_name: null,
          company_missing: false,
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
    expect(Object.keys(confirmation({ external_name: 'Acorn' }, 'Acorn Ltd', by))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:psa_company|is_primary)/)]),
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
