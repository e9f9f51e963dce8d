/** The severity of events. */
import { builder, described } from '../../schema/builder.ts'

export const EventSeverity = builder.enumType('EventSeverity', {
  description: 'How urgent events of a type are.',
  values: described({
    INFO: 'Something happened as it should.',
    WARNING: 'Somebody should look at it.',
    CRITICAL: 'Somebody has to act.',
  }),
})
