/** The third-party systems the service works with. Product names stand here only to identify the products. */

const KINDS = {
  PSA: ['COMPANIES', 'CONTACTS', 'TICKETS', 'TIME_ENTRIES'],
  RMM: ['COMPANIES', 'DEVICES', 'SCRIPTS', 'ALERTS'],
  DOCUMENTATION: ['COMPANIES', 'DOCUMENTS'],
  SECURITY: ['COMPANIES', 'DEVICES', 'ALERTS'],
  EMAIL_SECURITY: ['COMPANIES', 'ALERTS', 'MESSAGES'],
  NETWORK: ['COMPANIES', 'DEVICES', 'ALERTS'],
  DISTRIBUTOR: ['COMPANIES', 'LICENSES'],
  MARKETPLACE: ['COMPANIES', 'LICENSES'],
  TEAM_CHAT: ['COMPANIES', 'IDENTITIES', 'MESSAGES'],
  IDENTITY_PROVIDER: ['COMPANIES', 'IDENTITIES'],
} as const

export type IntegrationCategory = keyof typeof KINDS
type IntegrationCapability = (typeof KINDS)[IntegrationCategory][number]

/** By category: system, label, glyph. */
const SYSTEMS = {
  PSA: [
    ['CONNECTWISE_PSA', 'ConnectWise PSA', 'CP'],
    ['AUTOTASK_PSA', 'Autotask PSA', 'AP'],
    ['HALO_PSA', 'HaloPSA', 'H'],
    ['SYNCRO', 'Syncro', 'Sy'],
    ['KASEYA_BMS', 'Kaseya BMS', 'KB'],
    ['SUPEROPS', 'SuperOps', 'SO'],
  ],
  RMM: [
    ['NINJAONE', 'NinjaOne', 'N1'],
    ['DATTO_RMM', 'Datto RMM', 'DR'],
    ['CONNECTWISE_RMM', 'ConnectWise RMM', 'CR'],
    ['CONNECTWISE_AUTOMATE', 'ConnectWise Automate', 'CA'],
    ['KASEYA_VSA', 'Kaseya VSA', 'KV'],
    ['N_CENTRAL', 'N-central', 'NC'],
    ['ATERA', 'Atera', 'At'],
  ],
  DOCUMENTATION: [
    ['IT_GLUE', 'IT Glue', 'IG'],
    ['HUDU', 'Hudu', 'Hu'],
    ['CONFLUENCE', 'Confluence', 'Co'],
    ['SHAREPOINT', 'SharePoint', 'SP'],
  ],
  SECURITY: [
    ['HUNTRESS', 'Huntress', 'Hs'],
    ['SENTINELONE', 'SentinelOne', 'S1'],
    ['CROWDSTRIKE', 'CrowdStrike', 'CS'],
    ['THREATLOCKER', 'ThreatLocker', 'TL'],
    ['SOPHOS_CENTRAL', 'Sophos Central', 'SC'],
    ['BITDEFENDER', 'Bitdefender', 'Bd'],
  ],
  EMAIL_SECURITY: [
    ['PROOFPOINT_ESSENTIALS', 'Proofpoint Essentials', 'PE'],
    ['MIMECAST', 'Mimecast', 'Mi'],
    ['AVANAN', 'Avanan', 'Av'],
  ],
  NETWORK: [
    ['CISCO_MERAKI', 'Cisco Meraki', 'CM'],
    ['UNIFI', 'UniFi', 'UF'],
    ['AUVIK', 'Auvik', 'Au'],
  ],
  DISTRIBUTOR: [
    ['TD_SYNNEX', 'TD SYNNEX', 'TD'],
    ['INGRAM_MICRO', 'Ingram Micro', 'IM'],
  ],
  MARKETPLACE: [
    ['PAX8', 'Pax8', 'P8'],
    ['SHERWEB', 'Sherweb', 'Sh'],
  ],
  TEAM_CHAT: [
    ['SLACK', 'Slack', 'Sl'],
    ['MICROSOFT_TEAMS', 'Microsoft Teams', 'MT'],
  ],
  IDENTITY_PROVIDER: [
    ['MICROSOFT_ENTRA_ID', 'Microsoft Entra ID', 'ME'],
    ['OKTA', 'Okta', 'O'],
    ['GOOGLE_WORKSPACE', 'Google Workspace', 'GW'],
  ],
} as const satisfies Record<IntegrationCategory, readonly (readonly [string, string, string])[]>

export type System = (typeof SYSTEMS)[IntegrationCategory][number][0]

/** Systems whose entities are folders. The generated column `hidden` of company links names them too. */
const FOLDER_SYSTEMS: readonly System[] = ['SHAREPOINT']

export interface Integration {
  /** Its name in paths: the system in lower case, with hyphens. */
  name: string
  system: System
  label: string
  category: IntegrationCategory
  /** One or two letters to show instead of a logo. */
  glyph: string
  /** Its counterpart of a company. A link of a folder is listed once a person has mapped or confirmed it. */
  entities: 'ORGANIZATIONS' | 'FOLDERS'
  capabilities: readonly IntegrationCapability[]
}

/** The number of systems in the contract. */
const COUNT = 38

/** Names that are routes beside `/integrations/{name}`. */
const RESERVED: readonly string[] = ['chat-app', 'requests']

/** The integrations as given; an Error that names every problem with them. */
export function validateRegistry(integrations: readonly Integration[]): readonly Integration[] {
  const names = integrations.map(({ name }) => name)
  const unreadable = integrations.filter(({ glyph }) => !/^[A-Za-z0-9]{1,2}$/.test(glyph))
  const problems = [
    ...names.filter((name) => RESERVED.includes(name)).map((name) => `${name} is a route`),
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is there twice`),
    ...unreadable.map(({ name }) => `the glyph of ${name} is not one or two letters or digits`),
    ...(names.length === COUNT ? [] : [`there are ${names.length} integrations, not ${COUNT}`]),
  ]
  if (problems.length > 0) throw new Error(`The registry of integrations is wrong: ${problems.join('; ')}`)
  return integrations
}

export const CATEGORIES = Object.keys(KINDS) as IntegrationCategory[]

/** Every integration, by category. */
export const REGISTRY: readonly Integration[] = validateRegistry(
  CATEGORIES.flatMap((category) =>
    SYSTEMS[category].map(([system, label, glyph]) => ({
      name: system.toLowerCase().replaceAll('_', '-'),
      system,
      label,
      category,
      glyph,
      entities: FOLDER_SYSTEMS.includes(system) ? 'FOLDERS' : 'ORGANIZATIONS',
      capabilities: KINDS[category],
    })),
  ),
)

const byName = new Map(REGISTRY.map((integration) => [integration.name, integration]))
const bySystem = new Map(REGISTRY.map((integration) => [integration.system, integration]))

/** The integration of exactly this name, or undefined. */
export const integrationNamed = (name: string): Integration | undefined => byName.get(name)

/** The integration that the system is. */
export function integrationOf(system: System): Integration {
  const integration = bySystem.get(system)
  if (!integration) throw new Error(`The system ${system} is not in the registry`)
  return integration
}
