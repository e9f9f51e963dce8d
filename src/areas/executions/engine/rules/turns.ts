/** The turns of a model in an execution, and the step that follows from them. */
import { isObject } from '../../../../lib/is-object.ts'

/** A tool call that the model asked for. Its id is ours: those of models repeat themselves. */
export interface TurnCall {
  id: string
  tool_name: string
  /** Without secrets. Text if the model wrote no JSON. */
  arguments: unknown
  /** True if the model wrote a secret into the arguments: the call is not made. */
  has_secret: boolean
}

export interface Turn {
  sequence: number
  text: string | null
  calls: readonly TurnCall[]
  ended: 'DONE' | 'LENGTH' | 'REFUSED'
}

/** A tool call as the run has recorded it. */
export interface Recorded {
  model_call_id: string | null
  tool_name: string
  arguments_hash: string
  status: string
  result: unknown
  /** The text of a result that was too long to be stored as one, if the model reads on in it. */
  whole?: string | undefined
  error_code: string | null
  error: string | null
}

export const FINISH = 'run.finish'
export const READ_RESULT = 'run.read_result'

/** The tools that change and read nothing but the run itself, and are answered from what is stored of it. */
const OF_THE_RUN: ReadonlySet<string> = new Set([FINISH, READ_RESULT])

type Resolution = 'NONE' | 'PARTIAL' | 'FULL'

export type Decision =
  | { do: 'ASK_MODEL' }
  | { do: 'CALL'; call: TurnCall }
  | { do: 'FINISH'; message: string; resolution: Resolution }
  | { do: 'FAIL'; failure_kind: 'AGENT' | 'LIMIT'; code: string; error: string }

const RESOLUTIONS: readonly unknown[] = ['NONE', 'PARTIAL', 'FULL'] satisfies Resolution[]
const MAX_MESSAGE_CHARACTERS = 4000

/** The end that the arguments of `run.finish` say, or the problem with them. */
export function finishOf(
  args: unknown,
  confidence_threshold: number | null,
): { message: string; resolution: Resolution } | { problem: string } {
  if (!isObject(args)) return { problem: 'The arguments must be a JSON object.' }
  const { message, resolution, confidence } = args
  if (typeof message !== 'string' || message.trim() === '')
    return { problem: 'message is required: a text for the technicians.' }
  if (message.length > MAX_MESSAGE_CHARACTERS)
    return { problem: `message must have at most ${MAX_MESSAGE_CHARACTERS} characters.` }
  if (!RESOLUTIONS.includes(resolution)) return { problem: 'resolution must be NONE, PARTIAL or FULL.' }
  const is_number = typeof confidence === 'number' && confidence >= 0 && confidence <= 1
  if (confidence != null && !is_number) return { problem: 'confidence must be a number from 0 to 1.' }
  // Contract silent: an agent that is less sure than its `confidence_threshold`, or says nothing of it, has resolved at
  // most a part: a person looks at the rest.
  const is_sure = confidence_threshold === null || (is_number && confidence >= confidence_threshold)
  return { message, resolution: resolution === 'FULL' && !is_sure ? 'PARTIAL' : (resolution as Resolution) }
}

const REFUSED: readonly string[] = ['DENIED', 'FAILED', 'TIMED_OUT']
const SETTLED: readonly string[] = ['SUCCEEDED', 'SKIPPED', ...REFUSED]

export const isSettled = ({ status }: Pick<Recorded, 'status'>): boolean => SETTLED.includes(status)

/** The calls of the same kind in a row that did not succeed after which an agent is stopped. */
const TRIES_OF_ONE_CALL = 3

/** True if the agent makes one call, with the same arguments, again and again, and it never succeeds. */
function isStuck(calls: readonly Recorded[]): boolean {
  const last = calls.at(-1)
  if (!last) return false
  const same = calls.filter(
    ({ tool_name, arguments_hash }) => tool_name === last.tool_name && arguments_hash === last.arguments_hash,
  )
  return (
    same.length >= TRIES_OF_ONE_CALL &&
    same.slice(-TRIES_OF_ONE_CALL).every(({ status }) => REFUSED.includes(status))
  )
}

/** The turns at the end in which the model called nothing. */
function silentTurns(turns: readonly Turn[]): number {
  const last_with_calls = turns.findLastIndex(({ calls }) => calls.length > 0)
  return turns.length - 1 - last_with_calls
}

const SILENT_TURNS = 2

/** Turns beyond the tool calls that the agent may make: those that call nothing. */
const FURTHER_TURNS = 20

interface Settings {
  max_tool_calls: number
  confidence_threshold: number | null
}

/** The step after a turn without calls: the model is told once that it must call something. */
function afterSilence(turns: readonly Turn[]): Decision {
  if (silentTurns(turns) < SILENT_TURNS) return { do: 'ASK_MODEL' }
  const text = turns.at(-1)?.text
  // Contract silent: a model that ends with words and never says how far it came has resolved nothing.
  if (text) return { do: 'FINISH', message: text.slice(0, MAX_MESSAGE_CHARACTERS), resolution: 'NONE' }
  return { do: 'FAIL', failure_kind: 'AGENT', code: 'model_said_nothing', error: 'The model said nothing.' }
}

/** The next step: the calls of the last turn in their order, then another turn. The same stored state gives the same step. */
export function stepAfter(
  turns: readonly Turn[],
  recorded: readonly Recorded[],
  { max_tool_calls, confidence_threshold }: Settings,
): Decision {
  const turn = turns.at(-1)
  if (!turn) return { do: 'ASK_MODEL' }
  if (turn.ended === 'REFUSED') {
    const error = `The model refused the work: ${turn.text ?? 'it gave no reason'}`
    return { do: 'FAIL', failure_kind: 'AGENT', code: 'model_refused', error }
  }
  if (isStuck(recorded.filter(isSettled))) {
    const error = 'The agent made the same call again and again, and it never succeeded.'
    return { do: 'FAIL', failure_kind: 'AGENT', code: 'agent_stuck', error }
  }
  let asked = turns.slice(0, -1).reduce((sum, { calls }) => sum + calls.length, 0)
  const done = new Set(recorded.filter(isSettled).map(({ model_call_id }) => model_call_id))
  for (const call of turn.calls) {
    if (call.tool_name === FINISH) {
      const finish = finishOf(call.arguments, confidence_threshold)
      if ('message' in finish) return { do: 'FINISH', ...finish }
    }
    // Every call counts, whatever becomes of it: also those that the run itself answers.
    if (++asked > max_tool_calls) {
      const error = `The agent wanted to make more than ${max_tool_calls} tool calls.`
      return { do: 'FAIL', failure_kind: 'LIMIT', code: 'max_tool_calls', error }
    }
    if (!OF_THE_RUN.has(call.tool_name) && !done.has(call.id)) return { do: 'CALL', call }
  }
  if (turns.length >= max_tool_calls + FURTHER_TURNS) {
    const error = `The model took more than ${turns.length} turns and did not finish.`
    return { do: 'FAIL', failure_kind: 'LIMIT', code: 'model_turns_exceeded', error }
  }
  return turn.calls.length === 0 ? afterSilence(turns) : { do: 'ASK_MODEL' }
}
