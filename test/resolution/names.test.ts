import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareNames } from '../../src/areas/company-links/resolution/compare-names.ts'
import { ownDomain } from '../../src/areas/company-links/resolution/domains.ts'
import { readName } from '../../src/areas/company-links/resolution/names.ts'
import { HALVES } from './measure.ts'

const keyOf = (name: string): string | undefined => readName(name).spellings[0]?.key

const names = fc.oneof(
  fc.constantFrom(...HALVES.tuned.flatMap(({ customer, company }) => [customer, company])),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)

describe('a name', () => {
  it.each([
    ['The Acorn & Oak Co., Ltd.', 'acorn oak'],
    ['Weingut Sailer GmbH und Co. KG', 'weingut sailer'],
    ['Ceramiche Lodi S.p.A.', 'ceramiche lodi'],
    ['株式会社サクラ', 'sakura'],
    ['ООО Берёзка', 'berezka'],
    ['St. Mary’s Hosp.', 'saint marys hospital'],
    ['Elm St', 'elm street'],
    ['Painted Fence Company, The', 'painted fence'],
    ['Weldon, City of', 'city of weldon'],
    ['J. R. Tolliver & Sons', 'jr tolliver sons'],
    ['Second Street Deli', '2nd street deli'],
    ['Lombard Optical (LO02)', 'lombard optical'],
    ['LO02 - Lombard Optical', 'lombard optical'],
    ['zzz Dalby Grocers (inactive)', 'dalby grocers'],
    ['Juniper Health fka Malden Clinic', 'juniper health'],
    ['Ironwood Constrution', 'ironwood construction'],
    ['Limited', 'limited'],
  ])('%j is read as %j', (name, key) => {
    expect(keyOf(name)).toBe(key)
  })

  it.each(['', ' ', '---', '()', '\u0000', '💼'])('%j is one of no company, or has no spelling', (name) => {
    expect(compareNames(readName(name), readName(name))?.confidence ?? 0).toBeLessThan(1)
  })

  it('is read the same in any letter case and with any space around it', () => {
    const plain = fc.stringMatching(/^[a-z]{3,12}( [a-z]{3,12}){0,3}$/)
    fc.assert(
      fc.property(plain, (name) => {
        expect(keyOf(`  ${name.toUpperCase()} `)).toBe(keyOf(name))
      }),
    )
  })

  it('that has been read is not changed by reading it again', () => {
    const texts = Object.values(HALVES).flatMap((pairs) =>
      pairs.flatMap(({ customer, company }) => [customer, company]),
    )
    const changed = texts.flatMap((text) => readName(text).spellings).filter(({ key }) => keyOf(key) !== key)
    expect(changed).toEqual([])
  })

  it('can be read whatever it is, in a time that does not depend on it', () => {
    for (const piece of ['a.', '(', ' - ', 'dba ', 'z', ' now ', ', the', "'", '1', 'ä', '株式会社'])
      expect(readName(piece.repeat(100_000)).spellings.length).toBeLessThanOrEqual(2)
  })

  it('agrees with another one as that one agrees with it', () => {
    fc.assert(
      fc.property(names, names, (a, b) => {
        expect(compareNames(readName(a), readName(b))).toEqual(compareNames(readName(b), readName(a)))
      }),
    )
  })
})

describe('the domain', () => {
  it.each([
    ['ada@mail.acme.co.uk', 'acme.co.uk'],
    ['https://www.acme.com/about', 'acme.com'],
    ['acme.onmicrosoft.com', 'acme.onmicrosoft.com'],
    ['acme.mail.onmicrosoft.com', 'acme.onmicrosoft.com'],
    ['onmicrosoft.com', null],
    ['gmail.com', null],
    ['yahoo.co.uk', null],
    ['localhost', null],
    ['acme.local', null],
    ['10.0.0.1', null],
    ['', null],
  ])('of %j is %j', (text, domain) => {
    expect(ownDomain(text)).toBe(domain)
  })
})
