/** The events of areas that the service does not have yet: declared, so that clients can prepare for them. */
import { declareEvents, text, whole } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'

declareEvents('dispatch', {
  available: false,
  data: {
    decision_id: text('The decision.'),
    ticket_id: text('The ticket.'),
    status: text('The status of the decision.'),
    technician_id: whole('The technician.'),
  },
  seen: EVERYBODY,
  about: ({ decision_id }) => ({ id: decision_id }),
  events: {
    suggested: 'A technician was suggested for a ticket.',
    applied: 'A ticket was given to a technician.',
    overridden: 'A person chose another technician than the suggested one.',
    none_fits: { severity: 'WARNING', description: 'No technician fits a ticket.' },
  },
})

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
