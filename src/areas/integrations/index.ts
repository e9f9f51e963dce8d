/** The exports of the area for other areas: the systems that the service integrates with. */
import { builder } from '../../schema/builder.ts'
import { REGISTRY, type System } from './registry.ts'

export {
  MARK_ANSWERED,
  MARK_FAILED,
  MARK_REFUSED,
  NO_ANSWER,
  REFUSED_CREDENTIALS,
} from './connection/marks.ts'
export {
  CALLED_SYSTEMS,
  connectionOfEvents,
  findConnection,
  OWN_PSA,
  POLLED_CONNECTIONS,
  PRESENT_PSA,
  systemKeyOf,
} from './connection/stored.ts'
export { connectedSystems, isConnected, startsScripts } from './connections.ts'
export { requireIntegration } from './named.ts'
export { integrationNamed, integrationOf, REGISTRY } from './registry.ts'
export { SyncStatus } from './sync-status.ts'

/** One of the systems in the registry. */
export type CompanyLinkSystem = System

type Values = Record<System, { description: string }>

export const CompanyLinkSystem = builder.enumType('CompanyLinkSystem', {
  description: 'A third-party system that the service works with.',
  values: Object.fromEntries(
    REGISTRY.map(({ system, label, category }) => [system, { description: `${label} (${category}).` }]),
  ) as Values,
})
