/** The decider of a run: the agent's chained actions, or a model, choose what the run does next. */
import type { Step } from '../rules/step.ts'
import type { RunState } from '../run/run-lock.ts'

/** Chooses the next step from what is stored of the execution: the same stored state gives the same step for chained actions. */
export interface Decider {
  next(run: RunState): Promise<Step>
}
