/** Stores the turns of a model: what it said and asked for, without secrets and within bounds. */
import { isDeepStrictEqual } from 'node:util'
import type { ModelTurn } from '../../../../connectors/model.ts'
import { scoped, sql } from '../../../../db/db.ts'
import { insert, insertOf } from '../../../../db/query/insert.ts'
import { redact } from '../../../../gateway/redact.ts'
import { storableText } from '../../../../lib/text.ts'
import { boundedJson } from '../../../../lib/untrusted-json.ts'
import type { Turn, TurnCall } from '../rules/turns.ts'
import { type RunState, withRunLock } from '../run/run-lock.ts'
import { recordEvents } from '../run/timeline.ts'
import { modelAnswered, wakeModelWaits } from './wait-for-model.ts'

const TEXT_CHARACTERS = 20_000
/** The arguments of all calls of one turn. */
const ARGUMENTS = { max_depth: 32, max_characters: 100_000 }
const NAME_CHARACTERS = 200
/** The calls of one turn: more are left out. */
const CALLS = 50

/** A turn that is not stored yet, with the arguments of its calls as the model wrote them, by the ids of the calls. */
interface NewTurn {
  turn: Turn
  originals: ReadonlyMap<string, unknown>
}

/** The turn in the form in which it is stored. */
export function turnOf(answer: ModelTurn, sequence: number): NewTurn {
  const originals = new Map<string, unknown>()
  let max_characters = ARGUMENTS.max_characters
  const calls = answer.calls.slice(0, CALLS).map((call, index): TurnCall => {
    const id = `call_${sequence}_${index + 1}`
    const bounded = boundedJson(call.arguments, { ...ARGUMENTS, max_characters }) ?? {
      value: 'The arguments were too long or too deep.',
    }
    max_characters -= JSON.stringify(bounded.value).length
    const without_secrets = redact(bounded.value)
    originals.set(id, bounded.value)
    return {
      id,
      tool_name: (redact(storableText(call.tool_name)) as string).slice(0, NAME_CHARACTERS),
      arguments: without_secrets,
      has_secret: !isDeepStrictEqual(without_secrets, bounded.value),
    }
  })
  const text = answer.text && (redact(storableText(answer.text).slice(0, TEXT_CHARACTERS)) as string)
  return { turn: { sequence, text, calls, ended: answer.end }, originals }
}

const READ = scoped(
  'executions.turns',
  `select t.sequence, t.text, t.calls, t.ended::text as ended from execution_turn t
   where t.tenant_id = $1 and t.environment = $2 and t.execution_id = $3 order by t.sequence`,
)

/** The turns of the execution, in order. */
export const readTurns = ({ ctx, execution }: RunState): Promise<Turn[]> =>
  sql<Turn>(ctx, READ, [execution.execution_id])

const STORE = insertOf('executions.store_turn', 'ExecutionTurn', {
  columns: ['execution_id', 'sequence', 'temporal_run_id', 'text', 'calls', 'ended', 'created_at'],
})

/** Stores the turn, with its text as a message in the timeline, if the run is still this worker's. */
export async function storeTurn(state: RunState, turn: Turn): Promise<void> {
  const { ctx, execution, run } = state
  const has_waited = await withRunLock(state, async () => {
    const { execution_id } = execution
    const { temporal_run_id } = run
    await insert(ctx, STORE, { ...turn, execution_id, temporal_run_id, created_at: ctx.now })
    const waited = await modelAnswered(state)
    if (turn.text) await recordEvents(ctx, run, [{ kind: 'MESSAGE', text: turn.text }])
    return waited
  })
  if (has_waited) await wakeModelWaits(ctx)
}
