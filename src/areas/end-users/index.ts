/** The exports of the area for other areas. */
export { endUserBy } from './queries.ts'
