/** The exports of the area for other areas. */
export { area } from './area.ts'
