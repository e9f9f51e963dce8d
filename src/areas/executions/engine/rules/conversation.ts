/** The conversation with a model, as it follows from the turns and tool calls that are stored. */

import type { ModelMessage } from '../../../../connectors/model.ts'
import { LEFT_OUT } from '../../../../connectors/questions.ts'
import { isObject } from '../../../../lib/is-object.ts'
import { firstPartIn } from '../../../../tools/result-parts.ts'
import { FINISH, finishOf, isSettled, READ_RESULT, type Recorded, type Turn, type TurnCall } from './turns.ts'

/** A longer result is cut off; the model reads the rest by `run.read_result`. */
const RESULT_CHARACTERS = 8000
/** The long results in which the model can read on: their whole texts are read for its next turn. */
const READ_ON = 10

/** The text of a result, as far as it is known here, and the number of characters that it has as a whole. */
function textOfResult({ result, whole }: Recorded): { text: string; characters: number } {
  const part = whole === undefined ? firstPartIn(result) : null
  if (part) return part
  const text = whole ?? JSON.stringify(result ?? {})
  return { text, characters: text.length }
}

/** The ids of the calls in whose results the model reads on: the latest ones. */
export function readOnIn(turns: readonly Turn[]): Set<unknown> {
  const ids = turns
    .flatMap(({ calls }) => calls)
    .filter(({ tool_name }) => tool_name === READ_RESULT)
    .map(({ arguments: args }) => (isObject(args) ? args.call_id : null))
  return new Set([...new Set(ids.toReversed())].slice(0, READ_ON))
}

/** The result of a call for the model: JSON, in which the words of other systems are values of `data`. */
function answerOf(call: TurnCall, recorded: Recorded | undefined): string {
  if (!recorded || !isSettled(recorded)) return JSON.stringify({ outcome: 'NOT_MADE' })
  const { status: outcome, result, error_code, error } = recorded
  const refusal = error_code === null ? {} : { error_code, error: error?.slice(0, RESULT_CHARACTERS) ?? null }
  if (result === null) return JSON.stringify({ outcome, ...refusal })
  const { text, characters } = textOfResult(recorded)
  if (characters <= RESULT_CHARACTERS) return JSON.stringify({ outcome, ...refusal, data: result })
  return JSON.stringify({
    outcome,
    ...refusal,
    call_id: call.id,
    characters,
    data_starts_with: text.slice(0, RESULT_CHARACTERS),
  })
}

/** The part of a long result that `run.read_result` asks for. */
function partOfResult(args: unknown, recorded: ReadonlyMap<string, Recorded>): string {
  const { call_id, offset } = isObject(args) ? args : {}
  const call = typeof call_id === 'string' ? recorded.get(call_id) : undefined
  if (!call || call.result === null || !Number.isInteger(offset) || (offset as number) < 0)
    return JSON.stringify({
      outcome: 'FAILED',
      error: 'call_id must be one of an answer above, and offset 0 or more.',
    })
  if (call.whole === undefined && firstPartIn(call.result)) return LEFT_OUT
  const { text, characters } = textOfResult(call)
  const start = offset as number
  const part = text.slice(start, start + RESULT_CHARACTERS)
  return JSON.stringify({ outcome: 'SUCCEEDED', offset: start, characters, data_part: part })
}

function toolMessage(
  call: TurnCall,
  recorded: ReadonlyMap<string, Recorded>,
  threshold: number | null,
): ModelMessage {
  const { id: call_id, tool_name } = call
  const message = (result: string): ModelMessage => ({ role: 'tool', call_id, tool_name, result })
  if (tool_name === READ_RESULT) return message(partOfResult(call.arguments, recorded))
  if (tool_name === FINISH) {
    const finish = finishOf(call.arguments, threshold)
    if ('problem' in finish) return message(JSON.stringify({ outcome: 'FAILED', error: finish.problem }))
  }
  return message(answerOf(call, recorded.get(call.id)))
}

const GO_ON = `Nobody reads this text. Go on by calling a tool, or end with ${FINISH}.`

interface Told {
  /** The first message: the work. */
  work: string
  confidence_threshold: number | null
}

/** The messages for the next turn of the model. */
export function conversationOf(
  { work, confidence_threshold }: Told,
  turns: readonly Turn[],
  calls: readonly Recorded[],
): ModelMessage[] {
  const recorded = new Map(calls.flatMap((call) => (call.model_call_id ? [[call.model_call_id, call]] : [])))
  const messages = turns.flatMap(({ text, calls: asked }): ModelMessage[] => {
    const said: ModelMessage[] =
      text !== null || asked.length > 0 ? [{ role: 'assistant', text, calls: asked }] : []
    if (asked.length === 0) return [...said, { role: 'user', text: GO_ON }]
    return [...said, ...asked.map((call) => toolMessage(call, recorded, confidence_threshold))]
  })
  return [{ role: 'user', text: work }, ...messages]
}
