/** The third-party systems the service works with. Product names stand here only to identify the products. */

/** By kind: system, label, glyph. */
export const SYSTEMS = {
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
} as const satisfies Record<string, readonly (readonly [string, string, string])[]>

export type SystemKind = keyof typeof SYSTEMS

export type System = (typeof SYSTEMS)[SystemKind][number][0]

const KINDS: ReadonlyMap<string, SystemKind> = new Map(
  (Object.keys(SYSTEMS) as SystemKind[]).flatMap((kind) =>
    SYSTEMS[kind].map(([system]) => [system, kind] as const),
  ),
)

/** The kind of the system; undefined for a name that is none. */
export const kindOf = (system: string): SystemKind | undefined => KINDS.get(system)
