/** The exports of the area for other areas. */
export { checkSubscription, runStop } from './runs.ts'
export { readTerms } from './subscription.ts'
