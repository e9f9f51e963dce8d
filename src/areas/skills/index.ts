/** The exports of the area for other areas. */
export { SOURCE_EXECUTION } from './source.ts'
export { skillsOf } from './views.ts'
