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
}

/** A party as it is compared. */
export interface PartyReading {
  id: string
  name: NameReading
  domains: readonly string[]
  /** Distinct, in lower case. */
  asset_names: readonly string[]
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

export const readParty = ({ id, name, domains, asset_names }: Party): PartyReading => ({
  id,
  name: readName(name),
  domains: ownDomains(domains),
  asset_names: [...new Set(asset_names.map((asset) => asset.trim().toLowerCase()))].filter(
    (asset) => asset !== '',
  ),
})

const keysOf = ({ spellings }: NameReading): readonly string[] => spellings.map(({ key }) => key)

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

function push<Key>(lists: Map<Key, number[]>, key: Key, at: number): void {
  const list = lists.get(key)
  if (list) list.push(at)
  else lists.set(key, [at])
}

/** The lookups of companies that the rungs use. */
export interface CompanyIndex {
  companyOf(id: string): PartyReading | undefined
  /** Companies whose name may be alike, those of the smallest blocks first. */
  alike(name: NameReading): readonly PartyReading[]
  /** Companies with one of the domains. */
  withDomain(domains: readonly string[]): readonly PartyReading[]
  /** The number of these devices that each company has alone. */
  withAssets(asset_names: readonly string[]): ReadonlyMap<PartyReading, number>
  /** The companies that persons chose for the name. */
  learned(name: NameReading): ReadonlySet<string>
}

export function indexCompanies(
  companies: readonly Party[],
  earlier: readonly EarlierMapping[] = [],
): CompanyIndex {
  const readings = companies.map(readParty)
  const by_id = new Map(readings.map((reading) => [reading.id, reading]))
  const blocks = new Map<string, number[]>()
  const by_domain = new Map<string, number[]>()
  const by_asset = new Map<string, number[]>()
  for (const [at, { name, domains, asset_names }] of readings.entries()) {
    for (const block of blocksOfName(name)) push(blocks, block, at)
    for (const domain of domains) push(by_domain, domain, at)
    for (const asset of asset_names) push(by_asset, asset, at)
  }
  const learned = new Map<string, Set<string>>()
  for (const { name, company_id } of earlier) {
    const reading = readName(name)
    if (reading.is_placeholder || !by_id.has(company_id)) continue
    for (const key of keysOf(reading))
      learned.set(key, (learned.get(key) ?? new Set<string>()).add(company_id))
  }
  const readingsAt = (places: Iterable<number>): PartyReading[] =>
    [...new Set(places)].map((at) => readings[at] as PartyReading)

  return {
    companyOf: (id) => by_id.get(id),
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
    withAssets(asset_names) {
      const counts = new Map<PartyReading, number>()
      for (const asset of asset_names) {
        const [at, ...others] = by_asset.get(asset) ?? []
        if (at === undefined || others.length > 0) continue
        const company = readings[at] as PartyReading
        counts.set(company, (counts.get(company) ?? 0) + 1)
      }
      return counts
    },
    learned: (name) =>
      name.is_placeholder ? new Set() : new Set(keysOf(name).flatMap((key) => [...(learned.get(key) ?? [])])),
  }
}
