/** The exports of the area for other areas. */
export { checkSubscription } from './runs.ts'
export { readTerms } from './subscription.ts'
