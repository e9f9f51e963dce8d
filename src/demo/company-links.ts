/** The company links of the demo MSP, in every state, by every method, with high and low confidence. */
import { integrationOf, type System } from '../areas/integrations/registry.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { CUSTOMERS, psaIdOf } from './end-companies.ts'
import { type Random, randomOf, type Seeding } from './seeding.ts'

type Link = Prisma.CompanyLinkCreateManyInput
type Method = NonNullable<Link['match_method']>
type IdStyle = 'number' | 'hex' | 'uuid'

/** The number of entities and the form of their ids, by system: 400 entities in twelve systems. */
const SYSTEMS: readonly [system: System, entities: number, ids: IdStyle][] = [
  ['NINJAONE', 52, 'number'],
  ['HUDU', 34, 'number'],
  ['SHAREPOINT', 60, 'uuid'],
  ['HUNTRESS', 28, 'number'],
  ['SENTINELONE', 28, 'number'],
  ['MIMECAST', 26, 'hex'],
  ['CISCO_MERAKI', 30, 'number'],
  ['UNIFI', 36, 'hex'],
  ['PAX8', 30, 'uuid'],
  ['TD_SYNNEX', 24, 'number'],
  ['MICROSOFT_ENTRA_ID', 28, 'uuid'],
  ['CONFLUENCE', 24, 'number'],
]

/** The range of confidence of each method. */
const CONFIDENCE: Readonly<Record<Exclude<Method, 'MANUAL' | 'UNMATCHED'>, [number, number]>> = {
  NATIVE_ADAPTER: [0.99, 1],
  LEARNED_MANUAL: [0.96, 0.99],
  EXACT_NAME: [0.97, 0.99],
  FUZZY: [0.71, 0.97],
  DOMAIN: [0.84, 0.98],
  LLM: [0.58, 0.96],
  ASSET_OVERLAP: [0.5, 0.88],
}

/** Match methods in the proportions of a real integration: most entities match, some are set by hand, some are unmatched. */
const METHODS: readonly Method[] = [
  'NATIVE_ADAPTER',
  'EXACT_NAME',
  'EXACT_NAME',
  'MANUAL',
  'FUZZY',
  'DOMAIN',
  'UNMATCHED',
  'EXACT_NAME',
  'LLM',
  'LEARNED_MANUAL',
  'NATIVE_ADAPTER',
  'UNMATCHED',
  'ASSET_OVERLAP',
  'MANUAL',
  'EXACT_NAME',
  'FUZZY',
  'DOMAIN',
  'LEARNED_MANUAL',
  'UNMATCHED',
]

/** SharePoint folders are unconfirmed until a person maps them. */
const methodsOf = (system: System): readonly Method[] =>
  integrationOf(system).entities === 'FOLDERS' ? METHODS.filter((method) => method !== 'MANUAL') : METHODS

const SITES = ['Head Office', 'Warehouse', 'Leeds', 'Bristol', 'Guest Wi-Fi', 'Shared', 'Finance']
const STRAYS = [
  'Test tenant',
  'zz old - do not use',
  'Internal',
  'Loan kit',
  'Trial 2025',
  'Default',
  'Unassigned',
]
const MAPPERS = ['Tomasz Zieliński', 'Gareth Hughes', 'Maeve Donnelly']

const IDS: Readonly<Record<IdStyle, (random: Random) => string>> = {
  number: (random) => String(random.int(100_000, 9_999_999)),
  hex: (random) => Buffer.from(random.bytes(12)).toString('hex'),
  uuid: (random) => random.uuid(),
}

/** Spelling variants of a company's name. */
function misspelt(name: string): string {
  const other = name
    .replace(' & ', ' and ')
    .replace(/ (LLP|Co|Group|Trust)$/, ' Ltd')
    .replace('Management', 'Mgmt')
  return other === name ? `${name} Ltd` : other
}

function nameFor(method: Method, customer: (typeof CUSTOMERS)[number], random: Random): string | null {
  const { name, domains } = customer
  if (method === 'UNMATCHED')
    return random.fraction() < 0.25 ? null : `${random.pick(STRAYS)} ${random.int(1, 99)}`
  if (method === 'DOMAIN') return domains[0] ?? name
  if (method === 'FUZZY' || method === 'LLM') return misspelt(name)
  if (method === 'ASSET_OVERLAP') return random.fraction() < 0.5 ? null : `Site ${random.int(10, 99)}`
  if (method === 'EXACT_NAME' || method === 'NATIVE_ADAPTER') return name
  return `${name} - ${random.pick(SITES)}`
}

function outcome(method: Method, index: number, { random, ago }: { random: Random; ago: Seeding['ago'] }) {
  if (method === 'UNMATCHED') return { link_state: 'UNMAPPED', confidence: 0 } as const
  if (method === 'MANUAL') {
    const mapped_at = ago(random.int(1, 200), random.int(0, 600))
    return { link_state: 'MANUAL', confidence: 1, mapped_by: random.pick(MAPPERS), mapped_at } as const
  }
  const [low, high] = CONFIDENCE[method]
  // Alternates between both ends of the range, so that even few rows lie on both sides of 0.95.
  const share = index % 2 === 0 ? random.fraction() * 0.3 : 1 - random.fraction() * 0.1
  return { link_state: 'AUTO', confidence: Math.round((low + (high - low) * share) * 1000) / 1000 } as const
}

function linksOf(seeding: Seeding, [system, entities, ids]: (typeof SYSTEMS)[number]): Link[] {
  const { tenancy, ago } = seeding
  const random = randomOf(system)
  const linked = new Set<string>()
  const methods = methodsOf(system)
  const first = random.int(0, methods.length - 1)
  return Array.from({ length: entities }, (_, index) => {
    const method = methods[(first + index) % methods.length] as Method
    const company = index % CUSTOMERS.length
    const customer = CUSTOMERS[company] as (typeof CUSTOMERS)[number]
    const psa_company_id = method === 'UNMATCHED' ? null : psaIdOf(company)
    const is_primary = psa_company_id !== null && !linked.has(psa_company_id)
    if (psa_company_id) linked.add(psa_company_id)
    const external_name = nameFor(method, customer, random)
    const found = outcome(method, index, { random, ago })
    return {
      ...tenancy,
      system,
      external_id: IDS[ids](random),
      external_name,
      psa_company_id,
      psa_company_name: psa_company_id && customer.name,
      match_method: method,
      ...found,
      is_primary,
      created_at: ago(350 - (index % 90), index),
      updated_at: 'mapped_at' in found ? found.mapped_at : ago(0, 35 + index),
    }
  })
}

export async function seedCompanyLinks(seeding: Seeding): Promise<void> {
  const data = SYSTEMS.flatMap((system) => linksOf(seeding, system))
  await seeding.tx.companyLink.createMany({ data })
}
