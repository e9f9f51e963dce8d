/** The exports of the area for other areas. */
export { addresseeOf, endUserBy, endUserOfContact } from './queries.ts'
export { markMissingEndUsers, refreshEndUsers } from './refresh.ts'
export { END_USERS_WITH_COMPANIES, joinEndUser } from './views.ts'
