/** The decider of a run: fixed actions, or a model, choose what the run does next. */
import type { Step } from '../rules/step.ts'
import type { RunState } from './state.ts'

export type { FailureKind, ProposedCall, Resolution, Step } from '../rules/step.ts'

/** Chooses the next step from what is stored of the execution: the same stored state gives the same step for fixed actions. */
export interface Decider {
  next(run: RunState): Promise<Step>
}
