/** Ids of what belongs to a demo execution, made from its own id. */

const suffixOf = (execution_id: string): string => execution_id.replace('exe_', '')

/** The run of the execution, counted from 1. */
export const runId = (execution_id: string, number: number): string =>
  `run_${suffixOf(execution_id)}_${number}`

/** The approval request that ends the run of this number. */
export const tilRequestId = (execution_id: string, number: number): string =>
  `til_${suffixOf(execution_id)}_${number}`
