/** The texts of the demo's requests to technicians, by agent. */
import type { ToolName } from '../tools/registry.ts'
import { fields, number, oneOf, optional, table, text } from './table.ts'

const ACCESS = oneOf(['READ', 'WRITE'])

/** The steps of the plan of each agent. */
const PLANS = table(
  { agent_id: number, step: number, access: ACCESS, text },
  `
  1 | 1 | READ | Read the ticket and its notes.
  1 | 2 | WRITE | Set the type and the priority.
  1 | 3 | WRITE | Give the ticket to a team.
  2 | 1 | READ | Find the account, and the number to call back on.
  2 | 2 | WRITE | Reset the password.
  2 | 3 | WRITE | Tell the user how to sign in.
  3 | 1 | READ | Read the form, and the groups of the person whose role it is.
  3 | 2 | WRITE | Create the account.
  3 | 3 | WRITE | Add it to the groups.
  4 | 1 | READ | Read the alert.
  4 | 2 | WRITE | Close the ticket if the alert has cleared.
  5 | 1 | READ | Read the time entry and the agreements.
  5 | 2 | WRITE | Put it under the right agreement.
  8 | 1 | READ | List the mailboxes.
  8 | 2 | WRITE | Move five of them.
  8 | 3 | WRITE | Tell the customer.
`,
)

/** The changes that supervised runs ask for, in this order. */
const WRITES = table(
  {
    agent_id: number,
    tool: text as (cell: string) => ToolName,
    system: optional(text),
    title: text,
    summary: text,
    arguments: fields,
  },
  `
  1 | ticket.set_priority | HALO_PSA | Set the priority to P2 | Several people at the same site cannot print. That is more than the P3 that the ticket has. | "priority": "P2"
  1 | ticket.set_queue | HALO_PSA | Give the ticket to the second line | The first line has tried what its documentation says. | "queue": "Second line"
  2 | identity.reset_password | MICROSOFT_ENTRA_ID | Reset the password of the caller | The caller was reached on the number in the PSA and gave the right employee number. |
  2 | message.send | HALO_PSA | Tell the user how to sign in | The new password goes by text message; this e-mail says what to do with it. | "subject": "Your new password", "body": "You get the password by text message. You will be asked to change it."
  3 | identity.create | MICROSOFT_ENTRA_ID | Create the account of a new starter | The form is signed by the head of the department. | "display_name": "New starter"
  3 | identity.add_to_group | MICROSOFT_ENTRA_ID | Add the account to the groups of its department | They are those of the person named in the form. |
  4 | ticket.close | HALO_PSA | Close the ticket of an alert that has cleared | The disk has had enough space for six hours. | "resolution": "The alert has cleared by itself."
  5 | time_entry.set_agreement | HALO_PSA | Put the time entry under Managed services | The work is in the scope of the agreement. | "agreement": "Managed services"
  8 | message.send | HALO_PSA | Tell the customer that the mailboxes move tonight | Five mailboxes move between eight and ten in the evening. | "subject": "Your mailboxes", "body": "Your mailbox moves tonight. Sign in again tomorrow."
`,
)

/** The options of a question: ids and labels. */
const options = (cell: string): { id: string; label: string }[] =>
  cell.split('; ').map((option) => {
    const [id = '', label = ''] = option.split(': ')
    return { id, label }
  })

/** The question of each agent, and its answer. */
const QUESTIONS = table(
  { agent_id: number, text, answer: text, options: optional(options) },
  `
  1 | Two people have this name. Which of them is meant? | The one in Accounts | accounts: The one in Accounts; sales: The one in Sales
  2 | The number in the PSA does not answer. May I call the manager instead? | Yes, call the office manager. She knows everybody there. |
  3 | The person named in the form has left. Whose groups shall I copy? | Those of her successor. |
  4 | The alert has cleared, but the technician has written a note since. Shall I close the ticket? | Leave it open | close: Close it; leave: Leave it open
  5 | Two agreements cover this work. Which one shall I take? | Managed services | managed: Managed services; project: The office move
  8 | One mailbox is larger than the new one may be. Shall I leave it out? | Yes. We archive it first. |
`,
)

export type Write = Omit<(typeof WRITES)[number], 'agent_id'>

export interface Asks {
  plan: readonly { step: number; text: string; access: 'READ' | 'WRITE' }[]
  writes: readonly Write[]
  question: Omit<(typeof QUESTIONS)[number], 'agent_id'>
}

const of = <Row extends { agent_id: number }>(rows: readonly Row[], agent_id: number) =>
  rows.filter((row) => row.agent_id === agent_id).map(({ agent_id: _, ...row }) => row)

/** By the id of the agent. */
export const ASKS: Readonly<Record<number, Asks>> = Object.fromEntries(
  QUESTIONS.map(({ agent_id, ...question }) => [
    agent_id,
    { plan: of(PLANS, agent_id), writes: of(WRITES, agent_id), question },
  ]),
)

/** Comments of technicians who rejected a request, with their reasons. */
export const REJECTIONS = [
  ['WRONG_TARGET', 'That is another person of the same name.'],
  ['WRONG_CONTENT', 'Nobody confirmed who calls. Call back on the number in the PSA first.'],
  ['TOO_RISKY', 'Not during the payroll run.'],
  ['NOT_NEEDED', 'She could sign in again.'],
  ['OTHER', 'I do this one myself.'],
] as const
