/** The exports of the area for other areas: the systems that the service integrates with. */
import { builder } from '../../schema/builder.ts'
import { REGISTRY, type System } from './registry.ts'

export { connectedSystems } from './connections.ts'
export { REGISTRY } from './registry.ts'

/** One of the systems in the registry. */
export type CompanyLinkSystem = System

type Values = Record<System, { description: string }>

export const CompanyLinkSystem = builder.enumType('CompanyLinkSystem', {
  description: 'A third-party system that the service works with.',
  values: Object.fromEntries(
    REGISTRY.map(({ system, label, category }) => [system, { description: `${label} (${category}).` }]),
  ) as Values,
})
