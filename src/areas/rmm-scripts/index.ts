/** The exports of the area for other areas. */

export { area as rmmScripts } from './area.ts'
export { markMissingScripts, refreshScripts } from './catalogue/refresh.ts'
export { beforeApproval } from './runs/approval.ts'
