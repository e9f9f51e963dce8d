import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Party } from '../../src/areas/company-links/resolution/company-index.ts'
import { type ResolutionInput, resolveAll } from '../../src/areas/company-links/resolution/ladder.ts'
import { PRECEDENCE, REVIEW_BELOW } from '../../src/areas/company-links/rules.ts'

const party = (id: string, name: string, more: Partial<Party> = {}): Party => ({
  id,
  name,
  domains: [],
  asset_names: [],
  ...more,
})

const CUSTOMER = party('c', 'Acorn Freight')
const ASSETS = ['ws-11', 'ws-12', 'ws-13', 'ws-14']

/** One customer, and a company for each rung but MANUAL and the names. */
const resolveOne = (customer: Party, companies: readonly Party[], more: Partial<ResolutionInput> = {}) => {
  const [found] = resolveAll({ customers: [customer], companies, ...more })
  return found && [found.company_id, found.method, found.confidence, found.flagged]
}

describe('a rung', () => {
  it.each<[string, Party, readonly Party[], Partial<ResolutionInput>, unknown]>([
    [
      'MANUAL keeps what a person chose',
      CUSTOMER,
      [],
      { manual: new Map([['c', 'p9']]) },
      ['p9', 'MANUAL', 1, false],
    ],
    [
      'LEARNED_MANUAL takes what a person chose for the name elsewhere',
      CUSTOMER,
      [party('p1', 'Zenith'), party('p2', 'Acorn Freight')],
      { earlier: [{ name: 'ACORN FREIGHT, Inc.', company_id: 'p1' }] },
      ['p1', 'LEARNED_MANUAL', 0.94, true],
    ],
    [
      'LEARNED_MANUAL says nothing if persons chose two companies',
      CUSTOMER,
      [party('p1', 'Zenith'), party('p2', 'Nadir')],
      {
        earlier: [
          { name: 'Acorn Freight', company_id: 'p1' },
          { name: 'Acorn Freight', company_id: 'p2' },
        ],
      },
      [null, 'UNMATCHED', 0, false],
    ],
    [
      'NATIVE_ADAPTER takes what the integration says',
      CUSTOMER,
      [party('p1', 'Zenith')],
      { native: new Map([['c', ['p1']]]) },
      ['p1', 'NATIVE_ADAPTER', 0.99, false],
    ],
    [
      'NATIVE_ADAPTER says nothing of a company that is not there, or of two',
      CUSTOMER,
      [party('p1', 'Zenith'), party('p2', 'Nadir')],
      { native: new Map([['c', ['p1', 'p2', 'p3']]]) },
      [null, 'UNMATCHED', 0, false],
    ],
    [
      'EXACT_NAME finds the name however it is written',
      CUSTOMER,
      [party('p1', 'ACORN FREIGHT, Inc.')],
      {},
      ['p1', 'EXACT_NAME', 0.98, false],
    ],
    [
      'EXACT_NAME says nothing of two companies of that name',
      CUSTOMER,
      [party('p1', 'Acorn Freight Ltd'), party('p2', 'Acorn Freight LLC')],
      {},
      [null, 'UNMATCHED', 0, false],
    ],
    [
      'EXACT_NAME takes that of two with the same legal form',
      party('c', 'Acorn Freight LLC'),
      [party('p1', 'Acorn Freight Ltd'), party('p2', 'Acorn Freight LLC')],
      {},
      ['p2', 'EXACT_NAME', 0.98, false],
    ],
    [
      'EXACT_NAME takes that of two with the same domain',
      party('c', 'Acorn Freight', { domains: ['acorn.com'] }),
      [party('p1', 'Acorn Freight'), party('p2', 'Acorn Freight', { domains: ['www.acorn.com'] })],
      {},
      ['p2', 'EXACT_NAME', 0.98, false],
    ],
    [
      'FUZZY finds a name that is alike',
      party('c', 'Blue Bird Nurseries'),
      [party('p1', 'Bluebird Nurseries')],
      {},
      ['p1', 'FUZZY', 0.97, false],
    ],
    [
      'FUZZY is checked if several names are alike',
      party('c', 'Fitzgerlad Insurance'),
      [party('p1', 'Fitzgerald Insurance'), party('p2', 'Fitzgerlade Insurance')],
      {},
      ['p1', 'FUZZY', 0.93, true],
    ],
    [
      'DOMAIN finds another name, for a check',
      party('c', 'Bluebell Web', { domains: ['a@bluebell.com'] }),
      [party('p1', 'Fig & Thistle', { domains: ['bluebell.com'] })],
      {},
      ['p1', 'DOMAIN', 0.85, true],
    ],
    [
      'DOMAIN says nothing of a domain that two companies have',
      party('c', 'Bluebell Web', { domains: ['bluebell.com'] }),
      [
        party('p1', 'Fig & Thistle', { domains: ['bluebell.com'] }),
        party('p2', 'Oak', { domains: ['bluebell.com'] }),
      ],
      {},
      [null, 'UNMATCHED', 0, false],
    ],
    [
      'DOMAIN and a name that is alike need no check',
      party('c', 'Penrose', { domains: ['penrose.com'] }),
      [party('p1', 'Penrose Consulting', { domains: ['penrose.com'] })],
      {},
      ['p1', 'DOMAIN', 0.97, false],
    ],
    [
      'DOMAIN says nothing of a mail host',
      party('c', 'Tulip', { domains: ['gmail.com'] }),
      [party('p1', 'Lee Nails', { domains: ['gmail.com'] })],
      {},
      [null, 'UNMATCHED', 0, false],
    ],
    [
      'LLM takes the verdict of the model',
      CUSTOMER,
      [party('p1', 'Zenith')],
      { verdicts: new Map([['c', { company_id: 'p1', confidence: 0.8 }]]) },
      ['p1', 'LLM', 0.8, true],
    ],
    [
      'LLM says nothing of a company that is not there',
      CUSTOMER,
      [party('p1', 'Zenith')],
      { verdicts: new Map([['c', { company_id: 'p2', confidence: 0.8 }]]) },
      [null, 'UNMATCHED', 0, false],
    ],
    [
      'ASSET_OVERLAP finds the company with the same devices',
      { ...CUSTOMER, asset_names: ASSETS },
      [party('p1', 'Zenith', { asset_names: ASSETS.map((asset) => asset.toUpperCase()) })],
      {},
      ['p1', 'ASSET_OVERLAP', 0.9, true],
    ],
    [
      'ASSET_OVERLAP says nothing of devices that two companies have',
      { ...CUSTOMER, asset_names: ASSETS },
      [party('p1', 'Zenith', { asset_names: ASSETS }), party('p2', 'Nadir', { asset_names: ASSETS })],
      {},
      [null, 'UNMATCHED', 0, false],
    ],
    [
      'none says anything of a place of the integration itself',
      party('c', 'Default Site'),
      [party('p1', 'Default Site')],
      {},
      [null, 'UNMATCHED', 0, false],
    ],
  ])('%s', (_guarantee, customer, companies, more, expected) => {
    expect(resolveOne(customer, companies, more)).toEqual(expected)
  })
})

describe('precedence', () => {
  const customer = party('c', 'Acorn Freight', { domains: ['acorn.com'], asset_names: ASSETS })
  const companies = [
    ...PRECEDENCE.map((method) => party(method, `Company ${method}`)).filter(
      ({ id }) => !['EXACT_NAME', 'FUZZY', 'DOMAIN', 'ASSET_OVERLAP'].includes(id),
    ),
    party('EXACT_NAME', 'Acorn Freight'),
    party('DOMAIN', 'Bluebell', { domains: ['acorn.com'] }),
    party('ASSET_OVERLAP', 'Quarry', { asset_names: ASSETS }),
  ]
  const evidence = {
    manual: new Map([['c', 'MANUAL']]),
    earlier: [{ name: 'Acorn Freight', company_id: 'LEARNED_MANUAL' }],
    native: new Map([['c', ['NATIVE_ADAPTER']]]),
    verdicts: new Map([['c', { company_id: 'LLM', confidence: 0.9 }]]),
  }
  const without: Record<string, (input: ResolutionInput) => ResolutionInput> = {
    MANUAL: ({ manual: _manual, ...input }) => input,
    LEARNED_MANUAL: ({ earlier: _earlier, ...input }) => input,
    NATIVE_ADAPTER: ({ native: _native, ...input }) => input,
    LLM: ({ verdicts: _verdicts, ...input }) => input,
  }

  it('on conflict is the contract’s: MANUAL first, ASSET_OVERLAP last', () => {
    let input: ResolutionInput = { customers: [customer], companies, ...evidence }
    const found: string[] = []
    for (const method of PRECEDENCE) {
      found.push(resolveAll(input)[0]?.company_id ?? 'none')
      const others = input.companies.filter(({ id }) => id !== method)
      input = { ...(without[method]?.(input) ?? input), companies: others }
    }
    const withoutFuzzy = PRECEDENCE.filter((method) => method !== 'FUZZY')
    expect(found.filter((id, at) => id !== found[at + 1])).toEqual(withoutFuzzy)
  })
})

const words = [
  'Acorn',
  'Blue',
  'Bird',
  'Bluebird',
  'Dental',
  'Law',
  'Ltd',
  'LLC',
  'North',
  '12',
  'Fitzgerald',
  'Fitzgerlad',
]
const domains = ['acorn.com', 'bluebird.com', 'gmail.com', 'law.co.uk']
const assets = ['a1', 'a2', 'a3', 'a4', 'a5']

const parties = (prefix: string): fc.Arbitrary<Party[]> =>
  fc
    .array(
      fc.record({
        name: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((all) => all.join(' ')),
        domains: fc.subarray(domains),
        asset_names: fc.subarray(assets),
      }),
      { maxLength: 8 },
    )
    .map((all) => all.map((each, at) => ({ id: `${prefix}${at}`, ...each })))

describe('the ladder', () => {
  it('does not depend on the order of customers and companies', () => {
    fc.assert(
      fc.property(parties('c'), parties('p'), (customers, companies) => {
        const found = resolveAll({ customers, companies })
        const reversed = resolveAll({ customers: customers.toReversed(), companies: companies.toReversed() })
        expect(reversed.toReversed()).toEqual(found)
      }),
    )
  })

  it('judges each customer as if it were the only one', () => {
    fc.assert(
      fc.property(parties('c'), parties('p'), (customers, companies) => {
        const alone = customers.flatMap((customer) => resolveAll({ customers: [customer], companies }))
        expect(resolveAll({ customers, companies })).toEqual(alone)
      }),
    )
  })

  it('never changes a MANUAL link, and flags what is AUTO below 0.95 alone', () => {
    fc.assert(
      fc.property(parties('c'), parties('p'), fc.nat(7), (customers, companies, nth) => {
        const chosen = customers[nth]
        const manual = new Map(chosen ? [[chosen.id, 'anything']] : [])
        for (const found of resolveAll({ customers, companies, manual })) {
          if (found.customer_id === chosen?.id)
            expect(found).toMatchObject({ company_id: 'anything', method: 'MANUAL', confidence: 1 })
          const is_auto = found.company_id !== null && found.method !== 'MANUAL'
          expect(found.flagged).toBe(is_auto && found.confidence < REVIEW_BELOW)
          expect(found.confidence).toBeGreaterThanOrEqual(0)
          expect(found.confidence).toBeLessThanOrEqual(1)
        }
      }),
    )
  })
})
