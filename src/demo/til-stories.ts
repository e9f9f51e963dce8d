/** The texts of the demo's requests to technicians, by agent. */
import type { ToolName } from '../tools/registry.ts'

interface Step {
  step: number
  text: string
  access: 'READ' | 'WRITE'
}

/** A change that a supervised run asks for. */
export interface Write {
  tool: ToolName
  title: string
  summary: string
  arguments: Record<string, unknown>
  /** The system, if the tool works in none of its own. */
  system: string | null
}

export interface Asks {
  plan: readonly Step[]
  /** In the order in which they are asked for. */
  writes: readonly Write[]
  question: { text: string; options: readonly { id: string; label: string }[] | null; answer: string }
}

const read = (step: number, text: string): Step => ({ step, text, access: 'READ' })
const write = (step: number, text: string): Step => ({ step, text, access: 'WRITE' })

const PSA = 'HALO_PSA'
const IDENTITY = 'MICROSOFT_ENTRA_ID'

const TRIAGE: Asks = {
  plan: [
    read(1, 'Read the ticket and its notes.'),
    write(2, 'Set the type and the priority.'),
    write(3, 'Give the ticket to a team.'),
  ],
  writes: [
    {
      tool: 'ticket.set_priority',
      title: 'Set the priority to P2',
      summary: 'Several people at the same site cannot print. That is more than the P3 that the ticket has.',
      arguments: { priority: 'P2' },
      system: PSA,
    },
    {
      tool: 'ticket.set_queue',
      title: 'Give the ticket to the second line',
      summary: 'The first line has tried what its documentation says.',
      arguments: { queue: 'Second line' },
      system: PSA,
    },
  ],
  question: {
    text: 'Two people have this name. Which of them is meant?',
    options: [
      { id: 'accounts', label: 'The one in Accounts' },
      { id: 'sales', label: 'The one in Sales' },
    ],
    answer: 'The one in Accounts',
  },
}

const PASSWORDS: Asks = {
  plan: [
    read(1, 'Find the account, and the number to call back on.'),
    write(2, 'Reset the password.'),
    write(3, 'Tell the user how to sign in.'),
  ],
  writes: [
    {
      tool: 'identity.reset_password',
      title: 'Reset the password of the caller',
      summary: 'The caller was reached on the number in the PSA and gave the right employee number.',
      arguments: {},
      system: IDENTITY,
    },
    {
      tool: 'message.send',
      title: 'Tell the user how to sign in',
      summary: 'The new password goes by text message; this e-mail says what to do with it.',
      arguments: {
        subject: 'Your new password',
        body: 'You get the password by text message. You will be asked to change it.',
      },
      system: PSA,
    },
  ],
  question: {
    text: 'The number in the PSA does not answer. May I call the manager instead?',
    options: null,
    answer: 'Yes, call the office manager. She knows everybody there.',
  },
}

const ALERTS: Asks = {
  plan: [read(1, 'Read the alert.'), write(2, 'Close the ticket if the alert has cleared.')],
  writes: [
    {
      tool: 'ticket.close',
      title: 'Close the ticket of an alert that has cleared',
      summary: 'The disk has had enough space for six hours.',
      arguments: { resolution: 'The alert has cleared by itself.' },
      system: PSA,
    },
  ],
  question: {
    text: 'The alert has cleared, but the technician has written a note since. Shall I close the ticket?',
    options: [
      { id: 'close', label: 'Close it' },
      { id: 'leave', label: 'Leave it open' },
    ],
    answer: 'Leave it open',
  },
}

const STARTERS: Asks = {
  plan: [
    read(1, 'Read the form, and the groups of the person whose role it is.'),
    write(2, 'Create the account.'),
    write(3, 'Add it to the groups.'),
  ],
  writes: [
    {
      tool: 'identity.create',
      title: 'Create the account of a new starter',
      summary: 'The form is signed by the head of the department.',
      arguments: { display_name: 'New starter' },
      system: IDENTITY,
    },
    {
      tool: 'identity.add_to_group',
      title: 'Add the account to the groups of its department',
      summary: 'They are those of the person named in the form.',
      arguments: {},
      system: IDENTITY,
    },
  ],
  question: {
    text: 'The person named in the form has left. Whose groups shall I copy?',
    options: null,
    answer: 'Those of her successor.',
  },
}

const TIME_ENTRIES: Asks = {
  plan: [read(1, 'Read the time entry and the agreements.'), write(2, 'Put it under the right agreement.')],
  writes: [
    {
      tool: 'time_entry.set_agreement',
      title: 'Put the time entry under Managed services',
      summary: 'The work is in the scope of the agreement.',
      arguments: { agreement: 'Managed services' },
      system: PSA,
    },
  ],
  question: {
    text: 'Two agreements cover this work. Which one shall I take?',
    options: [
      { id: 'managed', label: 'Managed services' },
      { id: 'project', label: 'The office move' },
    ],
    answer: 'Managed services',
  },
}

const MAILBOXES: Asks = {
  plan: [read(1, 'List the mailboxes.'), write(2, 'Move five of them.'), write(3, 'Tell the customer.')],
  writes: [
    {
      tool: 'message.send',
      title: 'Tell the customer that the mailboxes move tonight',
      summary: 'Five mailboxes move between eight and ten in the evening.',
      arguments: { subject: 'Your mailboxes', body: 'Your mailbox moves tonight. Sign in again tomorrow.' },
      system: PSA,
    },
  ],
  question: {
    text: 'One mailbox is larger than the new one may be. Shall I leave it out?',
    options: null,
    answer: 'Yes. We archive it first.',
  },
}

/** By the id of the agent. */
export const ASKS: Readonly<Record<number, Asks>> = {
  1: TRIAGE,
  2: PASSWORDS,
  3: STARTERS,
  4: ALERTS,
  5: TIME_ENTRIES,
  8: MAILBOXES,
}

/** Comments of technicians who rejected a request, with their reasons. */
export const REJECTIONS = [
  ['WRONG_TARGET', 'That is another person of the same name.'],
  ['WRONG_CONTENT', 'Nobody confirmed who calls. Call back on the number in the PSA first.'],
  ['TOO_RISKY', 'Not during the payroll run.'],
  ['NOT_NEEDED', 'She could sign in again.'],
  ['OTHER', 'I do this one myself.'],
] as const
