/** The events of callbacks. */
import { declareEvents, text, texts } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'

export const CALLBACK_EVENTS = declareEvents('callback', {
  data: {
    callback_id: text('The callback.'),
    entity_type: text('The kind of entity that changed in the PSA.'),
    entity_id: text('The id of the entity in the PSA.'),
    change_types: texts('The changes that the callback reports, as far as they are known.'),
    error: text('The error.'),
  },
  seen: EVERYBODY,
  about: ({ callback_id }) => ({ id: callback_id }),
  events: {
    failed: { severity: 'WARNING', description: 'An event of the PSA could not be processed.' },
  },
})
