/** The exports of the area for other areas. */
export { checkSubscription, hasCredits } from './runs.ts'
export { readTerms } from './subscription.ts'
