import { encodeHTML, encodeXML } from 'entities'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareNames } from '../../src/areas/company-links/resolution/compare-names.ts'
import { ownDomain } from '../../src/areas/company-links/resolution/domains.ts'
import { readName } from '../../src/areas/company-links/resolution/names.ts'
import { CERTAIN, foundAmong, HALVES } from './measure.ts'

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

const US_STATES = `AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH
  OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR`

const split = (text: string): string[] => text.split(/\s+/)

/** Regions and compass points of countries, and legal forms there. */
const REGIONS: readonly (readonly [country: string, regions: string, forms: string])[] = [
  ['the United States', `${US_STATES} N S E W NE NW SE SW`, 'LLC,Inc.,Corp,LLP,PLLC,PC,LP,Co.,P.C.,L.L.C.'],
  ['Canada', 'AB BC MB NB NL NS NT NU ON PE QC SK YT', 'Ltd,Inc.,ULC,Ltée,Corp'],
  ['Australia', 'ACT NSW NT QLD SA TAS VIC WA', 'Pty Ltd,Ltd,Pty. Ltd.'],
  ['New Zealand', 'NI SI AKL WLG CAN OTA', 'Ltd,Limited'],
  ['the United Kingdom', 'NI NE NW SE SW', 'Ltd,LLP,PLC'],
  [
    'Germany',
    'Nord Süd Ost West BW BY BE BB HB HH HE MV NI NW RP SL SN ST SH TH',
    'GmbH,AG,KG,GmbH & Co. KG',
  ],
  ['Switzerland', 'AG BE BL BS FR GE GL GR JU LU NE NW OW SG SH SO SZ TG TI UR VD VS ZG ZH', 'GmbH,Sàrl,SA'],
  ['Mexico', 'BC NL SL CO SI SO', 'S.A. de C.V.,S. de R.L. de C.V.'],
  ['Spain', 'AB AV CO SA SE', 'S.L.,S.A.,SLU'],
  ['Italy', 'AG AO AV CO IS PA PC SA SC SP', 'S.r.l.,S.p.A.,S.n.c.'],
]

/** The company of the customer, without a check. */
const certainOf = (customer: string, ...companies: string[]): string | null => {
  const { company, confidence } = foundAmong(customer, companies)
  return confidence >= CERTAIN ? company : null
}

describe('a region before the legal form', () => {
  it.each(REGIONS)('of %s is part of the name', (_country, regions, forms) => {
    for (const form of forms.split(','))
      for (const region of split(regions)) {
        const [named, bare, other] = [`Kestrel Tiles ${region}`, 'Kestrel Tiles', 'Kestrel Tiles XQ'].map(
          (name) => `${name} ${form}`,
        ) as [string, string, string]
        expect([named, certainOf(named, bare, other)]).toEqual([named, null])
        expect([named, certainOf(bare, named)]).toEqual([named, null])
        expect(certainOf(named, bare, named)).toBe(named)
      }
  })

  it.each(split(US_STATES))('%s in a name without a form is a state, or a form that is checked', (state) => {
    const named = `Kestrel Tiles ${state}`
    expect(certainOf(named, 'Kestrel Tiles')).toBeNull()
    expect(certainOf(named, 'Kestrel Tiles LLC')).toBeNull()
    expect(certainOf(`${named} LLC`, 'Kestrel Tiles')).toBeNull()
    expect(certainOf(`Kestrel Tiles LLC ${state}`, 'Kestrel Tiles LLC')).toBeNull()
    expect(certainOf(named, named)).toBe(named)
  })
})

describe('a legal form', () => {
  it.each([
    [
      'the United States',
      'Inc., L.L.C., P.C., P.L.L.C., L.L.L.P., Corporation, Limited Liability Company, Co.',
    ],
    ['Canada', 'ULC, Ltée, Limitée, S.E.N.C.R.L., Unlimited Liability Company'],
    [
      'Mexico',
      'S.A. de C.V., S. de R.L. de C.V., S de RL de CV, S.A.P.I. de C.V., S.A.B. de C.V., S. de R. L.',
    ],
    ['the United Kingdom and Ireland', 'PLC, Cyf, C.I.C., DAC, CLG, Teoranta, Public Limited Company'],
    ['Australia, New Zealand and South Africa', 'Pty Ltd, (Pty) Ltd, Proprietary Limited, NPC'],
    [
      'Germany and Austria',
      'GmbH, G M B H, Ges.m.b.H., gGmbH, UG (haftungsbeschränkt), e.K., e.V., OHG, PartG mbB, e.U.',
    ],
    ['Switzerland', 'AG, Sàrl, Sagl, S.A.'],
    ['the Benelux', 'B.V., N.V., BVBA, VOF, CommV, ASBL, VZW, SCRL, Naamloze Vennootschap'],
    ['France', 'SARL, S.A.S., SASU, EURL, SELARL, S.C.I., Société par actions simplifiée'],
    ['Spain and Portugal', 'S.L., S.L.U., S.A.U., Lda., Unipessoal Lda., Sociedad Limitada'],
    ['Italy', 'S.r.l., S.r.l.s., S.p.A., S.n.c., S.a.s., Società a responsabilità limitata'],
    ['the Nordic countries', 'ApS, A/S, AS, ASA, AB (publ), Aktiebolag, HB, Oy, Oyj, ehf., hf.'],
    ['Poland', 'Sp. z o.o., Sp. z o. o., sp. j., Sp. k., Sp. z o.o. sp. k.'],
    ['Czechia and Slovakia', 's.r.o., s. r. o., spol. s r.o., a.s., v.o.s.'],
    ['Hungary, Romania and Bulgaria', 'Kft., Zrt., Nyrt., Bt., S.R.L., EOOD, ООД'],
    ['the Baltic countries', 'OÜ, SIA, UAB'],
    ['Croatia and Slovenia', 'd.o.o., j.d.o.o., d.d., d. o. o.'],
    ['Turkey, Israel and the Emirates', 'A.Ş., Ltd. Şti., בע״מ, L.L.C., FZE, FZ-LLC, W.L.L.'],
    [
      'India and South East Asia',
      'Pvt Ltd, Private Limited, (OPC) Private Limited, Pte. Ltd., Sdn. Bhd., Berhad',
    ],
    ['East Asia', 'Co., Ltd., K.K., 株式会社, ㈱, 有限公司, 주식회사, Kabushiki Kaisha'],
    ['South America', 'Ltda., EIRELI, Ltda. ME, S.A.S., S.A.C., E.I.R.L., SpA., S.p.A.'],
  ])('of %s is no part of the name', (_country, forms) => {
    for (const form of forms.replace('Co., Ltd.', 'Co. Ltd.').split(/, |SpA\., /)) {
      const name = `Harlow Mistral ${form}`
      expect([form, keyOf(name)]).toEqual([form, 'harlow mistral'])
      expect([form, certainOf(name, 'Harlow Mistral')]).toEqual([form, 'Harlow Mistral'])
    }
  })

  it.each(split('Spa PT IP EV Too Sci SE EU AB SA SC PA KY CO'))(
    '%s that may be a word or place is checked',
    (word) => {
      expect(certainOf(`Lotus ${word}`, 'Lotus')).toBeNull()
      expect(certainOf(`Lotus ${word}`, `LOTUS ${word}`)).toBe(`LOTUS ${word}`)
    },
  )

  it.each([
    ['Harlow Oy Ab', 'Harlow Oy'],
    ['SC Harlow SRL', 'Harlow SRL'],
    ['Harlow SA/NV', 'Harlow'],
    ['Harlow & Co. KG', 'Harlow Co KG'],
    ['Harlow and Co', 'Harlow & Co.'],
    ['Harlow e Cia', 'Harlow & Cia'],
    ['Oy Harlow Ab', 'Harlow Ab Oy'],
    ['Harlow P.A.', 'Harlow PA'],
    ['Harlow CO LLC', 'Harlow Co. LLC'],
  ])('of %j is that of %j', (one, other) => {
    expect(certainOf(one, other)).toBe(other)
  })
})

describe('two names', () => {
  it.each([
    ['Delta Electric', 'Delta Electrical'],
    ['Northside Clinic', 'Northside Clinics'],
    ['North Side Clinics', 'Northside Clinic'],
    ['Harlow Bakery', 'Harlow Bakeries'],
    ['Harlow Church', 'Harlow Churches'],
    ['Harlow Farm', 'Harlow Farms'],
    ['Harlow Accountant', 'Harlow Accountants'],
    ['Harlow Landscape', 'Harlow Landscaper'],
    ['Harlow Carpenter', 'Harlow Carpenters'],
    ['Harlow System', 'Harlow Systems'],
    ['Harlow Service', 'Harlow Services'],
    ['Harlow Properties', 'Harlow Property'],
    ['Harlow Group', 'Groupe Harlow'],
    ['KES01 Harlow Foods', 'Harlow Foods'],
    ['10432 Harlow Foods', 'Harlow Foods'],
  ])('%j and %j may be two companies: a person checks', (one, other) => {
    for (const [customer, company] of [
      [one, other],
      [other, one],
    ] as const)
      expect(foundAmong(customer, [company])).toMatchObject({ company, flagged: true })
  })

  it.each([
    ['Harlow Svc', 'Harlow Service'],
    ['Harlow Svc', 'Harlow Services'],
    ['Harlow Mfg', 'Harlow Manufacturing'],
    ['Harlow Intl', 'Harlow International'],
    ['Harlow Bros', 'Harlow Brothers'],
    ['Harlow & Webb', 'Harlow and Webb'],
    ['Harlow Elec', 'Harlow Electric'],
    ['Harlow Medical Centre', 'Harlow Medical Center'],
    ['Harlow Landscapping', 'Harlow Landscaping'],
    ['KES01 Harlow Foods', 'KES01 Harlow Foods'],
    ['Lindhof G M B H', 'Lindhof GmbH'],
  ])('%j and %j are one', (one, other) => {
    expect(certainOf(one, other)).toBe(other)
    expect(certainOf(other, one)).toBe(one)
  })

  it.each([
    ['KES01 Harlow Foods', 'KES02 Harlow Foods'],
    ['911 Restoration', 'Restoration Hardware'],
    ['2ND Street Deli', 'Street Deli'],
  ])('%j and %j are not alike', (one, other) => {
    expect(foundAmong(one, [other]).company).toBeNull()
  })
})

/** Names of the labelled pairs, and of other characters. */
const WRITTEN = fc.oneof(
  fc.constantFrom(...HALVES.tuned.map(({ customer }) => customer.slice(0, 60))),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)

const INVISIBLE = split(
  '200B 200C 200D 2060 FEFF 00AD 200E 200F 202A 202B 202C 202D 202E 2066 2067 2068 2069 061C FE0E FE0F E0100 180E 034F',
).map((code) => String.fromCodePoint(Number.parseInt(code, 16)))

describe('a name is read the same', () => {
  it.each(INVISIBLE.map((character) => [character.codePointAt(0)?.toString(16), character] as const))(
    'with the invisible character %s at any place',
    (_code, character) => {
      for (const name of ['Harbourview Dental', 'Smith &amp; Sons Ltd', 'Crème Brûlée S.r.l.'])
        for (let at = 0; at <= name.length; at++)
          expect(readName(name.slice(0, at) + character + name.slice(at))).toEqual(readName(name))
    },
  )

  it('in each Unicode form, and as HTML that is encoded once and twice', () => {
    fc.assert(
      fc.property(WRITTEN, (name) => {
        const read = readName(name)
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
          expect(readName(name.normalize(form))).toEqual(read)
        for (const encode of [encodeHTML, encodeXML]) {
          expect(readName(encode(name))).toEqual(read)
          expect(readName(encode(encode(name)))).toEqual(read)
        }
      }),
    )
  })

  it.each([
    ['Smith &amp;amp; Sons', 'Smith & Sons'],
    ['McGrath&#39;s Hardware', 'McGrath’s Hardware'],
    ['&quot;Harlow&quot;&nbsp;Foods', 'Harlow Foods'],
    ['Caf&eacute; Central', 'Café Central'],
    ['Harlow\tFoods\r\n', 'Harlow Foods'],
    ['AT&T Harlow', 'AT & T Harlow'],
  ])('%j as %j', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other))
  })
})

describe('the domain', () => {
  it.each([
    ['ada@mail.acme.co.uk', 'acme.co.uk'],
    ['https://www.acme.com/about', 'acme.com'],
    ['acme.onmicrosoft.com', 'acme.onmicrosoft.com'],
    ['acme.mail.onmicrosoft.com', 'acme.onmicrosoft.com'],
    ['www.acme.squarespace.com', 'acme.squarespace.com'],
    ['https://acme.sharepoint.com/sites/all', 'acme.sharepoint.com'],
    ['acme.wixsite.com', 'acme.wixsite.com'],
    ['acme.myshopify.com', 'acme.myshopify.com'],
    ['elmroad.nhs.uk', 'elmroad.nhs.uk'],
    ['office@acme.k12.ca.us', 'acme.k12.ca.us'],
    ['mail.parks.ca.gov', 'parks.ca.gov'],
    ['roads.nsw.gov.au', 'roads.nsw.gov.au'],
    ['larchfield.gov', 'larchfield.gov'],
    ['onmicrosoft.com', null],
    ['gmail.com', null],
    ['yahoo.co.uk', null],
    ['acme-com.mail.protection.outlook.com', null],
    ['localhost', null],
    ['acme.local', null],
    ['10.0.0.1', null],
    ['', null],
  ])('of %j is %j', (text, domain) => {
    expect(ownDomain(text)).toBe(domain)
  })

  it.each(
    split(`fastmail.com fastmail.fm ziggo.nl xs4all.nl upcmail.nl kpnmail.nl nhs.net hotmail.no live.se yahoo.nl gmx.co.uk
      icloud.com proton.me pm.me mailbox.org bluewin.ch telenet.be t-online.de orange.fr libero.it telia.com online.no
      bigpond.com xtra.co.nz btinternet.com sky.com comcast.net cox.net att.net shaw.ca sympatico.ca
      sharepoint.com onmicrosoft.com wixsite.com squarespace.com weebly.com myshopify.com godaddysites.com business.site
      wordpress.com sites.google.com facebook.com linkedin.com instagram.com linktr.ee nhs.uk gov.uk sch.uk k12.ca.us
      ca.gov nsw.gov.au`),
  )('of the shared host %s is none', (host) => {
    expect([host, `ada@${host}`, `https://www.${host}/acme`].map(ownDomain)).toEqual([null, null, null])
  })
})
