/** The ports of the service, with the adapters that the process was composed with. */
import type { ChatConnector } from './chat.ts'
import type { DocumentsConnector } from './documents.ts'
import type { IdentityConnector } from './identity.ts'
import type { ConnectedSystems } from './integrations.ts'
import type { MemoriesConnector } from './memories.ts'
import type { PsaConnector } from './psa.ts'
import type { RmmConnector } from './rmm.ts'
import type { TechniciansConnector } from './technicians.ts'

/** Other systems. */
export interface SystemConnectors {
  psa: PsaConnector
  rmm: RmmConnector
  documents: DocumentsConnector
  identity: IdentityConnector
  chat: ChatConnector
}

/** The service's own data, for which ports ask. */
interface OwnData {
  memories: MemoriesConnector
  technicians: TechniciansConnector
  connectedSystems: ConnectedSystems
}

export interface Connectors extends SystemConnectors, OwnData {}
