/** Cases of the operations that send messages, for the suites of all operations. */
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from } from '../../setup/suites/calls.ts'

/** A message of the demo that could not be sent: a note that a person wrote on a ticket. */
const FAILED_MESSAGE = 'cms_not_sent'

export const SENDING = {
  who_may: {
    send_comms_message: { scope: 'comms:write' },
    retry_comms_message: { scope: 'comms:write' },
  },
  writes: {
    send_comms_message: {
      input: {
        medium: 'TICKET_NOTE',
        ticket_id: from('scheduled_work', 'ticket_id'),
        body: 'The printer on the second floor works again.',
      },
    },
    retry_comms_message: { message_id: FAILED_MESSAGE, input: { confirm_duplicate: false } },
  },
  channel_writes: {
    send_comms_message: 'runs at once',
    retry_comms_message: 'runs at once',
  },
  fetched_again: {
    send_comms_message: ['comms_messages'],
  },
  errors_409: 'message_not_retryable email_not_configured',
} as const satisfies {
  who_may: AreaSuites['who_may']
  writes: AreaSuites['examples']['writes']
  channel_writes: AreaSuites['channel_writes']
  fetched_again: AreaSuites['fetched_again']
  errors_409: string
}
