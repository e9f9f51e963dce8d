/** The tenant's integrations, as the service knows them: what tools ask of the service's own data. */
import type { PortContext } from './port.ts'

/** The systems that the tenant has connected. */
export type ConnectedSystems = (ctx: PortContext) => Promise<ReadonlySet<string>>
