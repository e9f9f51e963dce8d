/**
 * The companies of a tenant, to be searched by what a customer has. Names are compared within blocks alone: those that
 * share a word, or a way to write it. It grows with the companies, and not with what is searched.
 */
import { ownDomains } from './domains.ts'
import { initialsOf, letters, type NameReading, phonetic, readName, type Spelling } from './names.ts'
import { GENERIC } from './vocabulary.ts'

/** A company of the PSA, or a customer of an integration. */
export interface Party {
  id: string
  name: string
  /** E-mail and web domains, in any form. */
  domains: readonly string[]
  /** Names of devices. */
  asset_names: readonly string[]
  /** false: a company with which the PSA works no longer. */
  is_active?: boolean
}

/** A party as it is compared. */
export interface PartyReading {
  id: string
  name: NameReading
  domains: readonly string[]
  /** Distinct, in lower case. */
  asset_names: readonly string[]
  is_active: boolean
}

/** A company that a person chose for a name, in another integration. */
export interface EarlierMapping {
  name: string
  company_id: string
}

/** A block of more is of a word that tells nothing. */
const LARGEST_BLOCK = 100

/** The most companies with which one customer is compared. */
const MOST_CANDIDATES = 200

const assetsOf = (names: readonly string[]): string[] =>
  [...new Set(names.map((asset) => asset.trim().toLowerCase()))].filter((asset) => asset !== '')

export const readParty = ({ id, name, domains, asset_names, is_active = true }: Party): PartyReading => ({
  id,
  name: readName(name),
  domains: ownDomains(domains),
  asset_names: assetsOf(asset_names),
  is_active,
})

/** Keys of names that are one without doubt. */
const keysOf = ({ spellings, forms }: NameReading): readonly string[] => {
  const places = [...forms.unsure].sort().join(' ')
  return spellings.map(({ tokens, written }) =>
    [...tokens.map((token) => written.get(token) || token), places].join(' '),
  )
}

const skeleton = (text: string): string =>
  (text[0] ?? '') +
  text
    .slice(1)
    .replace(/[aeiouyh]/g, '')
    .replace(/(.)\1+/g, '$1')

function blocksOf(spelling: Spelling): string[] {
  const { tokens, joined } = spelling
  const names = tokens.filter((token) => !GENERIC.has(token))
  const initials = initialsOf(spelling)
  return [
    `joined ${joined}`,
    `heard ${phonetic(joined)}`,
    `order ${[...tokens].sort().join(' ')}`,
    `bones ${skeleton(names.join('') || joined)}`,
    ...(initials === null ? [] : [`initials ${initials}`]),
    ...(joined.length <= 6 ? [`initials ${joined}`] : []),
    ...names.map((name) => `word ${name}`),
    ...names.filter((name) => name.length >= 7).map((name) => `letters ${letters(name)}`),
  ]
}

const blocksOfName = ({ spellings, aliases }: NameReading): Set<string> =>
  new Set([...spellings, ...aliases].flatMap(blocksOf))

function push<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}

/** The companies of a tenant, by their names and domains. */
export interface CompanyIndex {
  /** Of companies of the same rank the one that was added first is found first. */
  add(company: Party): void
  companyOf(id: string): PartyReading | undefined
  /** The company as it was added. */
  partyOf(id: string): Party | undefined
  /** Companies whose name may be alike, those of the smallest blocks first. */
  alike(name: NameReading): readonly PartyReading[]
  /** Companies with one of the domains. */
  withDomain(domains: readonly string[]): readonly PartyReading[]
}

export function createCompanyIndex(): CompanyIndex {
  const parties: Party[] = []
  const readings: PartyReading[] = []
  const places = new Map<string, number>()
  const blocks = new Map<string, number[]>()
  const by_domain = new Map<string, number[]>()
  const readingsAt = (found: Iterable<number>): PartyReading[] =>
    [...new Set(found)].map((at) => readings[at] as PartyReading)

  return {
    add(company) {
      const at = parties.push(company) - 1
      const reading = readParty(company)
      readings.push(reading)
      places.set(company.id, at)
      for (const block of blocksOfName(reading.name)) push(blocks, block, at)
      for (const domain of reading.domains) push(by_domain, domain, at)
    },
    companyOf: (id) => readings[places.get(id) ?? -1],
    partyOf: (id) => parties[places.get(id) ?? -1],
    alike(name) {
      const lists = [...blocksOfName(name)].flatMap((block) => {
        const list = blocks.get(block)
        // All that are written alike are compared, or one of many would be taken for the only one.
        return list && (list.length <= LARGEST_BLOCK || block.startsWith('joined ')) ? [list] : []
      })
      const found = new Set<number>()
      for (const list of lists.sort((a, b) => a.length - b.length)) {
        for (const at of list) found.add(at)
        if (found.size >= MOST_CANDIDATES) break
      }
      return readingsAt(found)
    },
    withDomain: (domains) => readingsAt(domains.flatMap((domain) => by_domain.get(domain) ?? [])),
  }
}

/** The companies that persons chose for names, in other integrations. */
export interface LearnedNames {
  add(mapping: EarlierMapping): void
  companiesOf(name: NameReading): ReadonlySet<string>
}

export function createLearnedNames(): LearnedNames {
  const learned = new Map<string, Set<string>>()
  return {
    add({ name, company_id }) {
      const reading = readName(name)
      if (reading.is_placeholder) return
      for (const key of keysOf(reading))
        learned.set(key, (learned.get(key) ?? new Set<string>()).add(company_id))
    },
    companiesOf: (name) =>
      name.is_placeholder ? new Set() : new Set(keysOf(name).flatMap((key) => [...(learned.get(key) ?? [])])),
  }
}

/** A company with some of the devices that are looked for. */
interface SharedAssets {
  company_id: string
  /** The number of these devices that the company has alone. */
  shared: number
  /** The number of all its devices. */
  total: number
}

/** Finds companies by their devices, which are in lower case. */
export type AssetLookup = (asset_names: readonly string[]) => readonly SharedAssets[]

export function lookupAssets(of_companies: Iterable<readonly [string, readonly string[]]>): AssetLookup {
  const totals = new Map<string, number>()
  const owners = new Map<string, string[]>()
  for (const [company_id, names] of of_companies) {
    const assets = assetsOf(names)
    totals.set(company_id, assets.length)
    for (const asset of assets) push(owners, asset, company_id)
  }
  return (asset_names) => {
    const own = asset_names.flatMap((asset) => {
      const [owner, ...others] = owners.get(asset) ?? []
      return owner === undefined || others.length > 0 ? [] : [owner]
    })
    return [...Map.groupBy(own, (company_id) => company_id)].map(([company_id, { length: shared }]) => ({
      company_id,
      shared,
      total: totals.get(company_id) ?? 0,
    }))
  }
}
