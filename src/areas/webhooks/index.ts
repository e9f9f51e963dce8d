/** The exports of the area for other areas. */
export { endpointsOf } from './owner.ts'
export { enabledEndpoints, knownEndpoints } from './queries.ts'
