/** The events of areas that the service does not have yet: declared, so that clients can prepare for them. */
import { declareEvents, text } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'

declareEvents('rmm_script_run', {
  available: false,
  data: {
    run_id: text('The run.'),
    script_id: text('The script.'),
    status: text('The status of the run.'),
  },
  seen: EVERYBODY,
  about: ({ run_id }) => ({ id: run_id }),
  events: { finished: 'A run of a script ended.' },
})
