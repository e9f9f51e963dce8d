/** The exports of the area for other areas. */
export { chargeQuestion, takeQuestion } from './questions.ts'
export { QUESTIONS_A_DAY, type QuestionRefusal } from './rules.ts'
export { checkSubscription, runStop } from './runs.ts'
export { readTerms } from './subscription.ts'
