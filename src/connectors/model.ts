/**
 * The port to a language model, which agents of the kinds AGENTIC and CONVERSATIONAL think with.
 *
 * turn: one question to the model and its answer: text, calls of tools, or both.
 *
 * The answer of a model is untrusted. The port promises the form of an answer and its bounds, and nothing of its content:
 * a call may name a tool that was not offered, and its arguments may be of any form.
 */
import { ApiError } from '../errors/errors.ts'

/** A tool call that the model asks for. */
export interface ModelCall {
  /** Names the call in the messages of later turns. The model chooses it: it need not be unique. */
  id: string
  tool_name: string
  /** The model's text if it is not JSON. */
  arguments: unknown
}

export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string | null; calls: readonly ModelCall[] }
  | { role: 'tool'; call_id: string; tool_name: string; result: string }

/** A tool that is offered to the model. */
export interface ModelTool {
  name: string
  description: string
  input_schema: Readonly<Record<string, unknown>>
}

export interface ModelQuestion {
  /** The instructions of the service and of the MSP. No other text goes here. */
  instructions: string
  messages: readonly ModelMessage[]
  tools: readonly ModelTool[]
  /** The longest time that the answer may take, with all repetitions. */
  timeout_ms: number
  /** Ends the question. `turn` then rejects with its reason. */
  signal?: AbortSignal
}

export interface ModelTurn {
  /** null: the model wrote none. */
  text: string | null
  calls: readonly ModelCall[]
  /** REFUSED: the model, or a filter of its provider, refused to answer. LENGTH: the answer was cut off. */
  end: 'DONE' | 'LENGTH' | 'REFUSED'
}

/**
 * Asks the model. Outages and 429 are tried again within the time; then, and if the answer is too large or cannot be
 * read, it rejects with ModelFailure.
 */
export interface Model {
  turn(question: ModelQuestion): Promise<ModelTurn>
}

/**
 * model_unavailable: it could not be reached, had no capacity, or did not answer in time. model_request_refused: its
 * provider did not take the request, as with a wrong key. model_answer_invalid: the answer was too large or no answer.
 */
type FailureCode = 'model_unavailable' | 'model_request_refused' | 'model_answer_invalid'

const MESSAGES: Record<FailureCode, string> = {
  model_unavailable: 'The model could not be reached, or did not answer in time.',
  model_request_refused: 'The provider of the model did not take the request.',
  model_answer_invalid: 'The answer of the model was too large, or could not be read.',
}

/** The model gave no answer. The message tells nothing of the provider: neither its address nor its words. */
export class ModelFailure extends Error {
  readonly code: FailureCode
  /** The HTTP status of the provider. null: there was no answer of HTTP. */
  readonly status: number | null
  /** The pause that the provider asks for. 0: it asks for none. */
  readonly retry_after_ms: number

  constructor(code: FailureCode, status: number | null = null, retry_after_ms = 0) {
    super(MESSAGES[code])
    this.code = code
    this.status = status
    this.retry_after_ms = retry_after_ms
  }
}

interface ModelContext {
  services: { model: Model | null }
}

/** True for agents that think with a model: all but those that run a list of actions. */
const needsModel = (autonomy_type: string): boolean => autonomy_type !== 'CHAINED_ACTIONS'

/** 409 if the agent needs a model and the service has none. */
export function checkModel({ services }: ModelContext, { autonomy_type }: { autonomy_type: string }): void {
  if (needsModel(autonomy_type) && services.model === null) throw new ApiError('model_not_configured')
}
