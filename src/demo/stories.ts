/** Outcomes of the executions of each demo agent. */
import {
  EntityType,
  ExecutionResolution,
  ExecutionStatus,
  ExecutionTrigger,
  FailureKind,
} from '../db/generated/client/client.ts'
import { number, numbers, oneOf, optional, table, text } from './table.ts'
import { AT_TWO, OFFICE } from './working-hours.ts'

const range = (cell: string) => numbers(cell) as unknown as readonly [low: number, high: number]

const story = {
  status: oneOf(ExecutionStatus),
  resolution: oneOf(ExecutionResolution),
  failure_kind: optional(oneOf(FailureKind)),
  message: optional(text),
  error: optional(text),
}

/** Outcomes that are equally likely with every agent. */
const OF_ALL = table(
  { count: number, ...story },
  `
  7 | SKIPPED | NONE | | Its conditions no longer held when it was picked up. |
  1 | FAILED | NONE | INTEGRATION | | integration_unavailable: The PSA did not answer within 30 seconds.
  1 | FAILED | NONE | INTEGRATION | | not_supported: The PSA refused the change: the ticket is locked by another user.
  1 | FAILED | NONE | TOOL | | tool_failed: The tool device.search answered with an error.
  1 | FAILED | NONE | AGENT | | status_not_found: The answer was not one of the priorities that the board has.
  1 | TIMED_OUT | NONE | LIMIT | | max_minutes: It took longer than it may.
  1 | FAILED | NONE | LIMIT | | max_tool_calls: It made more tool calls than it may make.
  1 | FAILED | NONE | PLATFORM | | worker_lost: The run was interrupted, and could not be resumed.
  1 | CANCELLED | NONE | | Cancelled by Tomasz Zieliński. |
  1 | CANCELLED | NONE | | Cancelled by Chidi Okafor. |
`,
)

/** The outcomes of each agent, and how often it runs beside the others. */
const DONE = table(
  { agent_id: number, count: number, resolution: story.resolution, message: text },
  `
  1 | 34 | FULL | Set the type to Incident and the priority to P3, and gave it to the service desk.
  1 | 22 | FULL | Set the type to Request, and gave it to procurement.
  1 | 12 | PARTIAL | Gave it to the service desk; asked which device it is about.
  1 | 8 | NONE | Left it as it is: a technician works on it already.
  1 | 5 | FULL | Recognised it as phishing, and gave it to security with priority P1.
  2 | 50 | FULL | Confirmed the identity, reset the password and told the user how to sign in.
  2 | 14 | PARTIAL | Unlocked the account; the user has still to register a second factor.
  2 | 9 | NONE | The reset was refused: the identity could not be confirmed.
  3 | 40 | FULL | Created the account with its groups and licence, and wrote the welcome note.
  3 | 25 | PARTIAL | Created the account; no licence is left at the distributor.
  4 | 52 | FULL | The alert has cleared: closed the ticket.
  4 | 20 | FULL | Joined it with the ticket that reports the same alert.
  4 | 14 | NONE | The alert is still there.
  5 | 60 | FULL | Put it under the managed services agreement.
  5 | 16 | PARTIAL | Sent it back: there is no note.
  8 | 30 | FULL | Moved five mailboxes.
  8 | 9 | PARTIAL | Moved four of five mailboxes; one is larger than the new one may be.
`,
)

export type Story = Omit<(typeof OF_ALL)[number], 'count'>

const repeated = ({ count, ...one }: (typeof OF_ALL)[number]): Story[] =>
  Array.from({ length: count }, () => one)

/** Equally likely stories of the agent; a repeated one is more likely. */
const storiesOf = (agent_id: number): Story[] => [
  ...DONE.filter((done) => done.agent_id === agent_id).flatMap(({ count, resolution, message }) =>
    repeated({ count, status: 'COMPLETED', resolution, failure_kind: null, message, error: null }),
  ),
  ...OF_ALL.flatMap(repeated),
]

const HOURS = { office: OFFICE, 'at two': AT_TWO }

/** `a_day`, `weekend`, `hours`, `from` and `to` are the times at which they begin. */
export const HABITS = table(
  {
    agent_id: number,
    works_on: oneOf(EntityType),
    trigger: oneOf(ExecutionTrigger),
    supervised: (cell) => cell === 'supervised',
    a_day: number,
    weekend: number,
    hours: (cell) => HOURS[oneOf(['office', 'at two'])(cell)],
    from: optional(number),
    to: optional(number),
    seconds: range,
    max_minutes: number,
    hours_saved: range,
    credits: range,
  },
  `
  1 | TICKET | TRIGGERED | | 38 | 0.15 | office | | | 9, 140 | 60 | 0.05, 0.2 | 0.4, 1.6
  2 | TICKET | TRIGGERED | supervised | 11 | 0.15 | office | | | 25, 220 | 120 | 0.15, 0.35 | 0.8, 2.4
  3 | TICKET | RUN_NOW | | 3 | 0.15 | office | | 8 | 120, 900 | 60 | 0.5, 1.1 | 3, 9
  4 | TICKET | SCHEDULED | | 10 | 1.2 | at two | | | 2, 18 | 20 | 0.02, 0.08 | 0.1, 0.3
  5 | TIME_ENTRY | TRIGGERED | | 17 | 0.05 | office | 34 | | 1, 7 | 5 | 0.02, 0.05 | 0.05, 0.15
  8 | NONE | RUN_NOW | | 5 | 0 | office | 35 | 22 | 600, 5400 | 240 | 0.3, 0.8 | 2, 7
`,
).map((habits) => ({ ...habits, stories: storiesOf(habits.agent_id) }))

export type Habits = (typeof HABITS)[number]

/** Instructions that people add to a run. */
export const INSTRUCTIONS = [
  'Close it as a duplicate if the same person has reported it already.',
  'The customer is on the phone: keep it short.',
  'Answer in French.',
]
