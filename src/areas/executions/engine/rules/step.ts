/** The steps of a run. */

export type FailureKind = 'AGENT' | 'TOOL' | 'INTEGRATION' | 'LIMIT' | 'PLATFORM'
export type Resolution = 'NONE' | 'PARTIAL' | 'FULL'

export interface ProposedCall {
  tool_name: string
  arguments: unknown
  /** The reason that the agent gives. */
  reason?: string
  /** The id by which the model knows the call. */
  model_call_id?: string
}

/** A step of a run. SAY puts a message into the timeline, WAIT_FOR_MODEL leaves it for a while, FINISH and FAIL end the work. */
export type Step =
  | { do: 'CALL'; call: ProposedCall }
  | { do: 'SAY'; text: string }
  | { do: 'WAIT_FOR_MODEL'; code: string; error: string; retry_after_ms: number }
  | { do: 'FINISH'; message: string | null; resolution: Resolution }
  | { do: 'FAIL'; failure_kind: FailureKind; code: string; error: string }
