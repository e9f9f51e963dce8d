/** The data that the service works with in other systems. */
import type { ConnectableSystem } from './fields.ts'
import type { System } from './systems.ts'

export type Capability =
  | 'COMPANIES'
  | 'CONTACTS'
  | 'TICKETS'
  | 'TIME_ENTRIES'
  | 'DEVICES'
  | 'SCRIPTS'
  | 'ALERTS'
  | 'DOCUMENTS'
  | 'IDENTITIES'
  | 'LICENSES'
  | 'MESSAGES'

/** By system, the data that its adapter reads. */
const OF_ADAPTERS: Readonly<Record<ConnectableSystem, readonly Capability[]>> = {
  CONNECTWISE_PSA: ['CONTACTS', 'TICKETS', 'TIME_ENTRIES'],
  AUTOTASK_PSA: ['CONTACTS', 'TICKETS', 'TIME_ENTRIES'],
  HALO_PSA: ['CONTACTS', 'TICKETS', 'TIME_ENTRIES'],
  NINJAONE: ['DEVICES', 'SCRIPTS', 'ALERTS'],
}

/** Customers of every system can be put, and mapped to companies; a system without an adapter has nothing else. */
export const capabilitiesOf = (system: System): readonly Capability[] => {
  const of_adapters: Partial<Record<System, readonly Capability[]>> = OF_ADAPTERS
  return ['COMPANIES', ...(of_adapters[system] ?? [])]
}
