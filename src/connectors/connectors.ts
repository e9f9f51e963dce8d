/** The ports of the service, with the adapters that the process was composed with. */
import type { Adapter } from './adapter.ts'
import type { ChatConnector } from './chat.ts'
import type { DispatchingConnector } from './dispatching.ts'
import type { Documents, DocumentsConnector } from './documents.ts'
import type { EscalationsConnector } from './escalations.ts'
import type { FeedbackConnector } from './feedback.ts'
import type { IdentityConnector } from './identity.ts'
import type { ConnectedSystems } from './integrations.ts'
import type { MemoriesConnector } from './memories.ts'
import type { PortContext } from './port.ts'
import type { Psa, PsaConnector } from './psa.ts'
import type { Rmm, RmmConnector } from './rmm.ts'
import type { ScriptingConnector } from './scripting.ts'
import type { SkillsConnector } from './skills.ts'
import type { System } from './systems.ts'
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
  skills: SkillsConnector
  escalations: EscalationsConnector
  feedback: FeedbackConnector
  dispatching: DispatchingConnector
  scripting: ScriptingConnector
  connectedSystems: ConnectedSystems
}

/** The adapters of the systems that tenants connect, by port. */
export interface Adapters {
  psa: readonly Adapter<Psa>[]
  rmm: readonly Adapter<Rmm>[]
  documents: readonly Adapter<Documents>[]
}

export type AnyAdapter = Adapters[keyof Adapters][number]

export interface Connectors extends SystemConnectors, OwnData {
  /** The adapter of the system; undefined if tenants cannot connect it. */
  adapterOf(system: System): AnyAdapter | undefined
  /** The system that the tenant's tickets are read from; null: the service's own database. */
  ticketSource(ctx: PortContext): Promise<TicketSource | null>
  /** The calls that the systems which the tenant has connected cannot do. */
  unsupportedCalls(ctx: PortContext): Promise<UnsupportedCalls>
}

/** The system that the tenant's tickets are read from. */
export interface TicketSource {
  system: System
  /** The fewest requests in which so many tickets are read with their notes. */
  requests_for_tickets: (count: number) => number
}

/** Calls by port. */
export type UnsupportedCalls = Readonly<Record<keyof Adapters, ReadonlySet<string>>>
