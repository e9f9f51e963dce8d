/** The tool calls behind the outcomes of the demo executions. */
import type { ToolName } from '../tools/registry.ts'

export interface Step {
  tool: ToolName
  /** Beside the ids that the tool takes. */
  arguments: Record<string, unknown>
  result: string
  /** The share of executions that make the call. */
  share: number
}

const step = (tool: ToolName, result: string, args: Record<string, unknown> = {}, share = 1): Step => ({
  tool,
  arguments: args,
  result,
  share,
})

const toQueue = (queue: string): Step => step('ticket.set_queue', `Moved the ticket to ${queue}.`, { queue })
const ofType = (type: string): Step => step('ticket.set_type', `Set the type to ${type}.`, { type })
const atPriority = (priority: string): Step =>
  step('ticket.set_priority', `Set the priority to ${priority}.`, { priority })
const note = (result: string, text: string): Step =>
  step('ticket.add_note', result, { text, visibility: 'PUBLIC' })

const LOOKED = [
  step(
    'document.search',
    'Found two documents about the line-of-business application.',
    { query: 'known issues' },
    0.15,
  ),
  step('memory.search', 'Found one memory about the site.', { query: 'opening hours' }, 0.1),
]

const RESET = [
  step('contact.read', 'Read the contact, with a number to call back on.'),
  step('identity.list_sign_ins', 'Listed the sign-ins of the last seven days.', {}, 0.3),
  step('identity.reset_password', 'Set a new password, which the contact gets.'),
  step('message.send', 'Told the contact how to sign in.', {
    subject: 'Your new password',
    body: 'You get the password by text message. You will be asked to change it.',
  }),
]

const ACCOUNT = [
  step('contact.search', 'Found the person whose groups are copied.', { query: 'same role' }),
  step('identity.create', 'Created the account.', { display_name: 'New starter' }),
  step('identity.add_to_group', 'Added the account to the groups of its department.'),
]

/** By what the execution tells the technicians. */
export const STEPS: Readonly<Record<string, readonly Step[]>> = {
  'Set the type to Incident and the priority to P3, and gave it to the service desk.': [
    ...LOOKED,
    ofType('Incident'),
    atPriority('P3'),
    toQueue('Service desk'),
  ],
  'Set the type to Request, and gave it to procurement.': [ofType('Request'), toQueue('Procurement')],
  'Gave it to the service desk; asked which device it is about.': [
    note('Asked for the name of the device.', 'Which device is it about? Its name is on the sticker.'),
    step('ticket.set_status', 'Set the status to Waiting on customer.', { status: 'Waiting on customer' }),
    toQueue('Service desk'),
  ],
  'Left it as it is: a technician works on it already.': [
    step('ticket.list_notes', 'Listed three notes, the latest by a technician.'),
  ],
  'Recognised it as phishing, and gave it to security with priority P1.': [
    atPriority('P1'),
    toQueue('Security'),
  ],
  'Confirmed the identity, reset the password and told the user how to sign in.': RESET,
  'Unlocked the account; the user has still to register a second factor.': [
    step('contact.read', 'Read the contact, with a number to call back on.'),
    step('identity.unlock', 'Unlocked the account.'),
    note('Asked for a second factor.', 'Your account is unlocked. Please register a second factor today.'),
  ],
  'The reset was refused: the identity could not be confirmed.': RESET.slice(0, 3),
  'Created the account with its groups and licence, and wrote the welcome note.': [
    ...ACCOUNT,
    step('identity.assign_licence', 'Assigned a licence.', { licence: 'Microsoft 365 Business Premium' }),
    note('Wrote the welcome note.', 'Welcome! You find your first steps in the attached document.'),
  ],
  'Created the account; no licence is left at the distributor.': [
    ...ACCOUNT,
    step('licence.list', 'Listed the licences: all are assigned.'),
  ],
  'The alert has cleared: closed the ticket.': [
    step('ticket.close', 'Closed the ticket.', { resolution: 'The alert has cleared by itself.' }),
  ],
  'Joined it with the ticket that reports the same alert.': [
    step('ticket.merge', 'Joined the ticket with an older one.'),
  ],
  'The alert is still there.': [step('alert.read', 'Read the alert: it has not cleared.')],
  'Put it under the managed services agreement.': [
    step('time_entry.set_agreement', 'Put the time entry under Managed services.', {
      agreement: 'Managed services',
    }),
  ],
  'Sent it back: there is no note.': [
    step('time_entry.return', 'Sent the time entry back.', { reason: 'There is no note.' }),
  ],
  'Moved five mailboxes.': [
    step('identity.search', 'Found five accounts.', { query: 'mailboxes to move' }),
    step('message.send', 'Told the customer that the mailboxes have moved.', { subject: 'Your mailboxes' }),
  ],
  'Moved four of five mailboxes; one is larger than the new one may be.': [
    step('identity.search', 'Found five accounts.', { query: 'mailboxes to move' }),
    step('message.send', 'Told the customer which mailbox has not moved.', { subject: 'Your mailboxes' }),
  ],
}

/** The first calls of executions that came to no result, by agent. */
export const BEGINNINGS: Readonly<Record<number, readonly Step[]>> = {
  1: [step('ticket.list_notes', 'Listed the notes.')],
  2: RESET.slice(0, 1),
  3: ACCOUNT.slice(0, 1),
  4: [step('alert.read', 'Read the alert.')],
  5: [step('time_entry.read', 'Read the time entry.')],
  8: [step('identity.search', 'Found the accounts.', { query: 'mailboxes to move' })],
}

/** A last call that did not succeed. */
export interface Mishap {
  /** Of an agent that works on time entries, the other one. */
  tool: ToolName
  outcome: 'FAILED' | 'TIMED_OUT' | 'DENIED' | 'SKIPPED'
  code: string
  message: string
  duration_ms?: number
}

/** By the error of the execution. */
export const MISHAPS: Readonly<Record<string, Mishap>> = {
  'The PSA did not answer within 30 seconds.': {
    tool: 'ticket.read',
    outcome: 'TIMED_OUT',
    code: 'upstream_timeout',
    message: 'The PSA did not answer within 30 seconds.',
    duration_ms: 30_000,
  },
  'The PSA refused the change: the ticket is locked by another user.': {
    tool: 'ticket.set_status',
    outcome: 'FAILED',
    code: 'upstream_refused',
    message: 'The PSA refused the change: the ticket is locked by another user.',
  },
  'The tool device.search answered with an error.': {
    tool: 'device.search',
    outcome: 'FAILED',
    code: 'upstream_failed',
    message: 'The RMM answered with status 500.',
  },
  'The answer was not one of the priorities that the board has.': {
    tool: 'ticket.set_priority',
    outcome: 'FAILED',
    code: 'invalid_arguments',
    message: 'priority must be one of P1, P2, P3 and P4.',
  },
  'It took longer than it may.': {
    tool: 'ticket.search',
    outcome: 'TIMED_OUT',
    code: 'run_timed_out',
    message: 'The run ended while the call was made.',
    duration_ms: 60_000,
  },
  'It made more tool calls than it may make.': {
    tool: 'ticket.search',
    outcome: 'DENIED',
    code: 'too_many_tool_calls',
    message: 'The run has made as many tool calls as the agent may make.',
  },
}

/** The call that a cancelled execution did not make. */
export const NOT_MADE: Mishap = {
  tool: 'ticket.set_status',
  outcome: 'SKIPPED',
  code: 'execution_cancelled',
  message: 'The execution was cancelled before the call.',
}
