/** The registry of integrations: what the service knows of each third-party system. */
import { type Capability, capabilitiesOf } from '../../connectors/capabilities.ts'
import { SYSTEMS, type System, type SystemKind } from '../../connectors/systems.ts'

export type { System } from '../../connectors/systems.ts'

export type IntegrationCategory = SystemKind

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
  capabilities: readonly Capability[]
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

export const CATEGORIES = Object.keys(SYSTEMS) as IntegrationCategory[]

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
      capabilities: capabilitiesOf(system),
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
