/** Outcomes of the executions of each demo agent. */
import type { Prisma } from '../db/generated/client/client.ts'
import { AT_TWO, OFFICE, type Times } from './working-hours.ts'

type Execution = Required<Prisma.ExecutionCreateManyInput>

export interface Story {
  status: Execution['status']
  resolution: Execution['resolution']
  message: string | null
  error: string | null
  failure_kind: Execution['failure_kind']
}

type Range = readonly [low: number, high: number]

export interface Habits {
  agent_id: number
  works_on: 'TICKET' | 'TIME_ENTRY' | 'NONE'
  trigger: Execution['trigger']
  supervised: boolean
  times: Times
  seconds: Range
  max_minutes: number
  hours_saved: Range
  credits: Range
  instructions: readonly string[]
  /** Equally likely; a repeated story is more likely. */
  stories: readonly Story[]
}

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

const done = (resolution: Story['resolution'], message: string): Story => ({
  status: 'COMPLETED',
  resolution,
  message,
  error: null,
  failure_kind: null,
})

const failed = (failure_kind: Story['failure_kind'], error: string): Story => ({
  status: 'FAILED',
  resolution: 'NONE',
  message: null,
  error,
  failure_kind,
})

const skipped: Story = {
  ...done('NONE', 'Its conditions no longer held when it was picked up.'),
  status: 'SKIPPED',
}

const timedOut: Story = { ...failed('LIMIT', 'It took longer than it may.'), status: 'TIMED_OUT' }

const cancelled = (by: string): Story => ({ ...done('NONE', `Cancelled by ${by}.`), status: 'CANCELLED' })

const TROUBLE: readonly Story[] = [
  failed('INTEGRATION', 'The PSA did not answer within 30 seconds.'),
  failed('INTEGRATION', 'The PSA refused the change: the ticket is locked by another user.'),
  failed('TOOL', 'The tool device.search answered with an error.'),
  failed('AGENT', 'The answer was not one of the priorities that the board has.'),
  timedOut,
  failed('LIMIT', 'It made more tool calls than it may make.'),
  failed('PLATFORM', 'The run was interrupted, and could not be resumed.'),
  cancelled('Tomasz Zieliński'),
  cancelled('Chidi Okafor'),
]

const well = (...stories: [count: number, story: Story][]): Story[] => [
  ...stories.flatMap(([count, story]) => times(count, story)),
  ...times(7, skipped),
  ...TROUBLE,
]

const office = (a_day: number, rest: Partial<Times> = {}): Times => ({
  a_day,
  weekend: 0.15,
  hours: OFFICE,
  ...rest,
})

const INSTRUCTIONS = [
  'Close it as a duplicate if the same person has reported it already.',
  'The customer is on the phone: keep it short.',
  'Answer in French.',
]

const common = { supervised: false, instructions: INSTRUCTIONS }

export const HABITS: readonly Habits[] = [
  {
    ...common,
    agent_id: 1,
    works_on: 'TICKET',
    trigger: 'TRIGGERED',
    times: office(38),
    seconds: [9, 140],
    max_minutes: 60,
    hours_saved: [0.05, 0.2],
    credits: [0.4, 1.6],
    stories: well(
      [34, done('FULL', 'Set the type to Incident and the priority to P3, and gave it to the service desk.')],
      [22, done('FULL', 'Set the type to Request, and gave it to procurement.')],
      [12, done('PARTIAL', 'Gave it to the service desk; asked which device it is about.')],
      [8, done('NONE', 'Left it as it is: a technician works on it already.')],
      [5, done('FULL', 'Recognised it as phishing, and gave it to security with priority P1.')],
    ),
  },
  {
    ...common,
    agent_id: 2,
    works_on: 'TICKET',
    trigger: 'TRIGGERED',
    supervised: true,
    times: office(11),
    seconds: [25, 220],
    max_minutes: 120,
    hours_saved: [0.15, 0.35],
    credits: [0.8, 2.4],
    stories: well(
      [50, done('FULL', 'Confirmed the identity, reset the password and told the user how to sign in.')],
      [14, done('PARTIAL', 'Unlocked the account; the user has still to register a second factor.')],
      [9, done('NONE', 'The reset was refused: the identity could not be confirmed.')],
    ),
  },
  {
    ...common,
    agent_id: 3,
    works_on: 'TICKET',
    trigger: 'RUN_NOW',
    times: office(3, { to: 8 }),
    seconds: [120, 900],
    max_minutes: 60,
    hours_saved: [0.5, 1.1],
    credits: [3, 9],
    stories: well(
      [40, done('FULL', 'Created the account with its groups and licence, and wrote the welcome note.')],
      [25, done('PARTIAL', 'Created the account; no licence is left at the distributor.')],
    ),
  },
  {
    ...common,
    agent_id: 4,
    works_on: 'TICKET',
    trigger: 'SCHEDULED',
    times: { a_day: 10, weekend: 1.2, hours: AT_TWO },
    seconds: [2, 18],
    max_minutes: 20,
    hours_saved: [0.02, 0.08],
    credits: [0.1, 0.3],
    stories: well(
      [52, done('FULL', 'The alert has cleared: closed the ticket.')],
      [20, done('FULL', 'Joined it with the ticket that reports the same alert.')],
      [14, done('NONE', 'The alert is still there.')],
    ),
  },
  {
    ...common,
    agent_id: 5,
    works_on: 'TIME_ENTRY',
    trigger: 'TRIGGERED',
    // The tickets that time is written on come first.
    times: office(17, { weekend: 0.05, from: 34 }),
    seconds: [1, 7],
    max_minutes: 5,
    hours_saved: [0.02, 0.05],
    credits: [0.05, 0.15],
    stories: well(
      [60, done('FULL', 'Put it under the managed services agreement.')],
      [16, done('PARTIAL', 'Sent it back: there is no note.')],
    ),
  },
  {
    ...common,
    agent_id: 8,
    works_on: 'NONE',
    trigger: 'RUN_NOW',
    times: office(5, { from: 35, to: 22, weekend: 0 }),
    seconds: [600, 5400],
    max_minutes: 240,
    hours_saved: [0.3, 0.8],
    credits: [2, 7],
    stories: well(
      [30, done('FULL', 'Moved five mailboxes.')],
      [9, done('PARTIAL', 'Moved four of five mailboxes; one is larger than the new one may be.')],
    ),
  },
]
