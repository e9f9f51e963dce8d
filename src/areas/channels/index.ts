/** The exports of the area for other areas. */
export { pauseChannelsOf } from './life.ts'
