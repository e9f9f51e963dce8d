/** The exports of the area for other areas. */
export { skillsOf } from './views.ts'
