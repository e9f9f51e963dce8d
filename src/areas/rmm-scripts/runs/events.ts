/** The event of runs of scripts. */
import { declareEvents, maybeText, maybeWhole, text, word } from '../../../schema/events/declare.ts'
import { THROUGH_AGENT } from '../../../schema/events/sight.ts'
import type { ScriptRunRow } from './run.ts'

/** The statuses of runs that were sent to the RMM, or that were to be sent. */
const FINISHED = ['SUCCEEDED', 'FAILED', 'TIMED_OUT'] as const

const RUN_EVENTS = declareEvents('rmm_script_run', {
  data: {
    run_id: text('The run.'),
    script_id: text('The script.'),
    script_name: text('The name that the script had.'),
    device_id: text('The id of the device in the RMM.'),
    status: word('The status of the run.', FINISHED),
    exit_code: maybeWhole('The exit code. null: the RMM tells none.'),
    error_code: maybeText(
      'The code of the reason why the run FAILED. null: the script itself failed, or nothing did.',
    ),
    agent_id: maybeWhole('The agent that asked for the run. null: no agent did.'),
    execution_id: maybeText('The execution that asked for the run. null: no execution did.'),
    entity_id: maybeText('The id of the ticket or time entry of the execution. null: there is none.'),
  },
  // Seen as the run is: through its agent, and by everybody if no agent asked for the run.
  seen: { by_user: `(e.agent_id is null or ${THROUGH_AGENT.by_user})` },
  about: ({ run_id, agent_id }) => ({ id: run_id, agent_id }),
  events: { finished: 'A run of a script succeeded, failed or timed out.' },
})

/** The columns of a run that its event tells. */
type ToldOf = Pick<
  ScriptRunRow,
  | 'id'
  | 'script_id'
  | 'script_name'
  | 'device_id'
  | 'status'
  | 'exit_code'
  | 'error_code'
  | 'agent_id'
  | 'execution_id'
  | 'entity_id'
>

/** The event of a run that is SUCCEEDED, FAILED or TIMED_OUT. */
export const finishedEvent = (run: ToldOf) =>
  RUN_EVENTS.finished({
    run_id: run.id,
    script_id: run.script_id,
    script_name: run.script_name,
    device_id: run.device_id,
    status: run.status as (typeof FINISHED)[number],
    exit_code: run.exit_code,
    error_code: run.error_code,
    agent_id: run.agent_id,
    execution_id: run.execution_id,
    entity_id: run.entity_id,
  })
