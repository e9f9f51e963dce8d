/** The tool calls behind the outcomes of the demo executions. */
import type { ToolName } from '../tools/registry.ts'
import { fields, number, oneOf, optional, table, text } from './table.ts'

const toolName = text as (cell: string) => ToolName

/** `arguments`: beside the ids that the tool takes. `share`: the share of executions that make the call. */
const CALLS = table(
  { name: text, share: number, tool: toolName, result: text, arguments: fields },
  `
  look up | 0.15 | document.search | Found two documents about the line-of-business application. | "query": "known issues"
  remember | 0.1 | memory.search | Found one memory about the site. | "query": "opening hours"
  incident | 1 | ticket.set_type | Set the type to Incident. | "type": "Incident"
  request | 1 | ticket.set_type | Set the type to Request. | "type": "Request"
  P1 | 1 | ticket.set_priority | Set the priority to P1. | "priority": "P1"
  P3 | 1 | ticket.set_priority | Set the priority to P3. | "priority": "P3"
  to the desk | 1 | ticket.set_queue | Moved the ticket to Service desk. | "queue": "Service desk"
  to procurement | 1 | ticket.set_queue | Moved the ticket to Procurement. | "queue": "Procurement"
  to security | 1 | ticket.set_queue | Moved the ticket to Security. | "queue": "Security"
  ask for device | 1 | ticket.add_note | Asked for the name of the device. | "text": "Which device is it about? Its name is on the sticker.", "visibility": "PUBLIC"
  wait | 1 | ticket.set_status | Set the status to Waiting on customer. | "status": "Waiting on customer"
  see notes | 1 | ticket.list_notes | Listed three notes, the latest by a technician. |
  notes | 1 | ticket.list_notes | Listed the notes. |
  contact | 1 | contact.read | Read the contact, with a number to call back on. |
  sign-ins | 0.3 | identity.list_sign_ins | Listed the sign-ins of the last seven days. |
  reset | 1 | identity.reset_password | Set a new password, which the contact gets. |
  tell | 1 | message.send | Told the contact how to sign in. | "subject": "Your new password", "body": "You get the password by text message. You will be asked to change it."
  unlock | 1 | identity.unlock | Unlocked the account. |
  second factor | 1 | ticket.add_note | Asked for a second factor. | "text": "Your account is unlocked. Please register a second factor today.", "visibility": "PUBLIC"
  same role | 1 | contact.search | Found the person whose groups are copied. | "query": "same role"
  account | 1 | identity.create | Created the account. | "display_name": "New starter"
  groups | 1 | identity.add_to_group | Added the account to the groups of its department. |
  licence | 1 | identity.assign_licence | Assigned a licence. | "licence": "Microsoft 365 Business Premium"
  no licence | 1 | licence.list | Listed the licences: all are assigned. |
  welcome | 1 | ticket.add_note | Wrote the welcome note. | "text": "Welcome! You find your first steps in the attached document.", "visibility": "PUBLIC"
  close | 1 | ticket.close | Closed the ticket. | "resolution": "The alert has cleared by itself."
  merge | 1 | ticket.merge | Joined the ticket with an older one. |
  alert | 1 | alert.read | Read the alert. |
  alert is there | 1 | alert.read | Read the alert: it has not cleared. |
  entry | 1 | time_entry.read | Read the time entry. |
  agreement | 1 | time_entry.set_agreement | Put the time entry under Managed services. | "agreement": "Managed services"
  return | 1 | time_entry.return | Sent the time entry back. | "reason": "There is no note."
  five accounts | 1 | identity.search | Found five accounts. | "query": "mailboxes to move"
  accounts | 1 | identity.search | Found the accounts. | "query": "mailboxes to move"
  moved | 1 | message.send | Told the customer that the mailboxes have moved. | "subject": "Your mailboxes"
  not moved | 1 | message.send | Told the customer which mailbox has not moved. | "subject": "Your mailboxes"
`,
)

export type Step = Omit<(typeof CALLS)[number], 'name'>

/** The calls of these names. */
const calls = (cell: string): Step[] =>
  cell.split(', ').map((wanted) => {
    const call = CALLS.find(({ name }) => name === wanted)
    if (!call) throw new Error(`There is no call ${wanted}`)
    const { name: _, ...step } = call
    return step
  })

const byKey = <Key extends string | number>(rows: readonly { key: Key; steps: readonly Step[] }[]) =>
  Object.fromEntries(rows.map(({ key, steps }) => [key, steps]))

/** By what the execution tells the technicians. */
export const STEPS: Readonly<Record<string, readonly Step[]>> = byKey(
  table(
    { key: text, steps: calls },
    `
  Set the type to Incident and the priority to P3, and gave it to the service desk. | look up, remember, incident, P3, to the desk
  Set the type to Request, and gave it to procurement. | request, to procurement
  Gave it to the service desk; asked which device it is about. | ask for device, wait, to the desk
  Left it as it is: a technician works on it already. | see notes
  Recognised it as phishing, and gave it to security with priority P1. | P1, to security
  Confirmed the identity, reset the password and told the user how to sign in. | contact, sign-ins, reset, tell
  Unlocked the account; the user has still to register a second factor. | contact, unlock, second factor
  The reset was refused: the identity could not be confirmed. | contact, sign-ins, reset
  Created the account with its groups and licence, and wrote the welcome note. | same role, account, groups, licence, welcome
  Created the account; no licence is left at the distributor. | same role, account, groups, no licence
  The alert has cleared: closed the ticket. | close
  Joined it with the ticket that reports the same alert. | merge
  The alert is still there. | alert is there
  Put it under the managed services agreement. | agreement
  Sent it back: there is no note. | return
  Moved five mailboxes. | five accounts, moved
  Moved four of five mailboxes; one is larger than the new one may be. | five accounts, not moved
`,
  ),
)

/** The first calls of executions that came to no result, by agent. */
export const BEGINNINGS: Readonly<Record<number, readonly Step[]>> = byKey(
  table(
    { key: number, steps: calls },
    `
  1 | notes
  2 | contact
  3 | same role
  4 | alert
  5 | entry
  8 | accounts
`,
  ),
)

/** A last call that did not succeed. An agent that works on time entries calls another tool. */
export interface Mishap {
  tool: ToolName
  outcome: 'FAILED' | 'TIMED_OUT' | 'DENIED' | 'SKIPPED'
  code: string
  message: string
  duration_ms?: number | null
}

const outcome = oneOf(['FAILED', 'TIMED_OUT', 'DENIED', 'SKIPPED'])

/** By the error of the execution. */
export const MISHAPS: ReadonlyMap<string, Mishap> = new Map(
  table(
    { error: text, tool: toolName, outcome, code: text, duration_ms: optional(number), message: text },
    `
  integration_unavailable: The PSA did not answer within 30 seconds. | ticket.read | TIMED_OUT | upstream_timeout | 30000 | The PSA did not answer within 30 seconds.
  not_supported: The PSA refused the change: the ticket is locked by another user. | ticket.set_status | FAILED | upstream_refused | | The PSA refused the change: the ticket is locked by another user.
  tool_failed: The tool device.search answered with an error. | device.search | FAILED | upstream_failed | | The RMM answered with status 500.
  status_not_found: The answer was not one of the priorities that the board has. | ticket.set_priority | FAILED | invalid_arguments | | priority must be one of P1, P2, P3 and P4.
  max_minutes: It took longer than it may. | ticket.search | TIMED_OUT | run_timed_out | 60000 | The run ended while the call was made.
  max_tool_calls: It made more tool calls than it may make. | ticket.search | DENIED | too_many_tool_calls | | The run has made as many tool calls as the agent may make.
`,
  ).map(({ error, ...mishap }) => [error, mishap]),
)

/** The call that a cancelled execution did not make. */
export const NOT_MADE: Mishap = {
  tool: 'ticket.set_status',
  outcome: 'SKIPPED',
  code: 'execution_cancelled',
  message: 'The execution was cancelled before the call.',
}
