/** The ports of the service, with the adapters that the process was composed with. */
import type { MemoriesConnector } from './memories.ts'
import type { PsaConnector } from './psa.ts'
import type { TechniciansConnector } from './technicians.ts'

export interface Connectors {
  psa: PsaConnector
  /** The service's own data. */
  memories: MemoriesConnector
  technicians: TechniciansConnector
}
