/** Generated names of companies and of the customers that are them, in the ways in which MSPs write them. */
import type { Party } from '../../src/areas/company-links/resolution/company-index.ts'

const STARTS =
  'Ald Bram Cor Dun Elm Fal Glen Har Ivy Jas Kel Lin Mar Nor Oak Pen Quin Ros Sel Tar Ulm Ves Wil Yar Zel'
const MIDDLES = 'a e i o u an en or al is um ar el in on'
const ENDS =
  'wick ton ford ley mere by stead gate worth dale bury field ham stow well combe croft bridge holm shaw'
const TRADES =
  'Dental|Law|Plumbing|Logistics|Accounting|Roofing|Medical Center|Construction|Foods|Insurance Agency|Motors|Engineering'
const FORMS = 'Inc.|LLC|Ltd|GmbH|Pty Ltd|S.A.|B.V.|A/S|'

const starts = STARTS.split(' ')
const middles = MIDDLES.split(' ')
const ends = ENDS.split(' ')
const trades = TRADES.split('|')
const forms = FORMS.split('|')

const at = (list: readonly string[], index: number): string => list[index % list.length] as string

function surname(index: number): string {
  const middle = Math.floor(index / starts.length)
  const end = Math.floor(middle / middles.length)
  return `${at(starts, index)}${at(middles, middle)}${at(ends, end)}`
}

const companyName = (index: number): string => {
  const trade = at(trades, index * 7 + Math.floor(index / 500))
  return `${surname(index)} ${at(['', 'Valley ', 'West '], Math.floor(index / 7500))}${trade}`
}

export const generatedCompanies = (count: number): Party[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `company_${index}`,
    name: `${companyName(index)} ${at(forms, index)}`.trim(),
    domains: index % 3 === 0 ? [`${surname(index).toLowerCase()}${index}.com`] : [],
    asset_names: [],
  }))

const WRITTEN: readonly ((name: string, index: number) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `The ${name}`,
  (name, index) => `${name} (A${1000 + index})`,
  (name) => name.replace('Medical Center', 'Med Ctr').replace('Construction', 'Constuction'),
  (name) => name.replace(/(\w{4})/, '$1 '),
  (name) => `${name.slice(0, 3)}${name.slice(4)}`,
  (_name, index) => `Nobody ${surname(index * 13)} ${index}`,
]

/** Customers, the i-th of which is the i-th company or, one of eight, none. */
export const generatedCustomers = (count: number): Party[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `customer_${index}`,
    name: WRITTEN[index % WRITTEN.length]?.(companyName(index), index) ?? '',
    domains: [],
    asset_names: [],
  }))
