/**
 * The circuit before a model: while its endpoint cannot be used, questions are refused at once, and one after another tries
 * it. A question that is refused has cost nothing.
 */
import { type Model, ModelFailure } from '../model.ts'

/** The questions in a row without an answer after which the circuit opens. */
const FAILURES = 3
/** The pause before the next try; it doubles. */
const PAUSE_MS = 5_000
const MOST_PAUSE_MS = 60_000

/** `elapsed`: milliseconds that never go back. */
export function withCircuit(model: Model, elapsed: () => number): Model {
  let failures = 0
  /** When it may be tried again. null: the circuit is closed. */
  let opens_at: number | null = null
  let trying = false

  const close = () => {
    failures = 0
    opens_at = null
  }
  const fail = ({ retry_after_ms }: ModelFailure) => {
    failures++
    if (failures < FAILURES && retry_after_ms === 0) return
    const pause = Math.min(MOST_PAUSE_MS, PAUSE_MS * 2 ** Math.max(0, failures - FAILURES))
    opens_at = elapsed() + Math.min(MOST_PAUSE_MS, Math.max(pause, retry_after_ms))
  }

  return {
    async turn(question) {
      const is_open = opens_at !== null
      const left = opens_at === null ? 0 : opens_at - elapsed()
      if (left > 0 || (is_open && trying))
        throw new ModelFailure('model_unavailable', null, Math.max(left, PAUSE_MS))
      if (is_open) trying = true
      try {
        const answer = await model.turn(question)
        close()
        return answer
      } catch (error) {
        if (error instanceof ModelFailure) {
          // Whatever else it refuses, the endpoint is there.
          if (error.code === 'model_unavailable') fail(error)
          else close()
        }
        throw error
      } finally {
        if (is_open) trying = false
      }
    },
  }
}
