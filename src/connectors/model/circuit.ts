/**
 * The circuit before a model: while its endpoint cannot be used, questions are refused at once, and one after another tries
 * it. A question that is refused has cost nothing.
 */
import { CircuitOpen, createCircuit } from '../../lib/circuit.ts'
import { type Model, ModelFailure } from '../model.ts'

const FAILURES = 3
const PAUSE_MS = 5_000
/** The longest pause that the endpoint gets for asking. */
const MOST_PAUSE_MS = 60_000

/** `elapsed`: milliseconds that never go back. */
export function withCircuit(model: Model, elapsed: () => number): Model {
  const circuit = createCircuit({
    failures: FAILURES,
    pause_ms: PAUSE_MS,
    elapsed,
    outcomeOf(error) {
      if (!(error instanceof ModelFailure)) return 'UNKNOWN'
      // Whatever else it refuses, the endpoint is there.
      return error.code === 'model_unavailable' ? 'FAILED' : 'ANSWERED'
    },
    pauseOf: (error) => (error instanceof ModelFailure ? Math.min(MOST_PAUSE_MS, error.retry_after_ms) : 0),
  })
  return {
    async turn(question) {
      try {
        return await circuit.run(() => model.turn(question))
      } catch (error) {
        if (!(error instanceof CircuitOpen)) throw error
        throw new ModelFailure('model_unavailable', null, error.left_ms)
      }
    },
  }
}
