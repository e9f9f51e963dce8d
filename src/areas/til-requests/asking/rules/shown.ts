/** Requests as technicians are shown them: nothing that they approve is hidden from them. */
import {
  type HiddenCharacter,
  hiddenIn,
  hiddenInShown,
  shownText,
} from '../../../../lib/hidden-characters.ts'
import type { PlanStep } from './wording.ts'

/** The texts of a request, as they are stored. */
export interface Texts {
  arguments: unknown
  title: string
  summary: string
  plan: readonly PlanStep[] | null
  question: string | null
  options: unknown
}

/** The most that are named: more are not read by people. */
const MAX_NAMED = 100

/** The hidden characters of the request. Of summary and plan, which show them by their code points, the places of those. */
export function hiddenCharacters({ summary, plan, ...texts }: Texts): HiddenCharacter[] {
  return [
    ...hiddenIn(texts),
    ...hiddenInShown(summary, 'summary'),
    ...(plan ?? []).flatMap(({ text }, index) => hiddenInShown(text, `plan.${index}.text`)),
  ].slice(0, MAX_NAMED)
}

export const shownPlan = (plan: readonly PlanStep[]): PlanStep[] =>
  plan.map((step) => ({ ...step, text: shownText(step.text) }))
