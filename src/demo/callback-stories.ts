/** The callbacks of a demo day that start no execution: what they report, and what becomes of them. */
import type { ChangeType } from '../areas/change-types/catalogue.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { ApiError } from '../errors/errors.ts'

type Callback = Required<Prisma.CallbackCreateManyInput>
type Match = Prisma.CallbackMatchCreateManyInput

interface Comparison {
  field: string
  operator: string
  expected: string | number
  actual: string | number
  holds: boolean
}

export type MatchStory = Pick<Match, 'agent_id' | 'result'> & {
  reason_code?: Match['reason_code']
  comparisons?: readonly Comparison[]
  refusal?: { code: string; message: string }
}

export interface CallbackStory {
  /** On a working day. */
  a_day: number
  status: Callback['status']
  /** The changes, of which one callback reports one set. */
  changes: readonly (readonly ChangeType[])[]
  about: Callback['entity_type']
  /** The entity is new; otherwise it is one that was worked on before. */
  is_new?: true
  /** Of a company that the company filters leave out. */
  out_of_scope?: true
  filter_reason?: Callback['filter_reason']
  error?: string
  matches: readonly MatchStory[]
}

export const TRIAGE = 1
export const PASSWORDS = 2
export const TIME_ENTRIES = 5

const BOARD = { field: 'board', operator: 'equals', expected: 'Service desk' }
const STATUS = { field: 'status', operator: 'not_equals', expected: 'Closed' }
const SUBJECT = { field: 'subject', operator: 'contains', expected: 'password' }
const CATEGORY = { field: 'category', operator: 'equals', expected: 'Account locked' }
const MINUTES = { field: 'minutes', operator: 'greater_than', expected: 0 }

/** The conditions of the triage agent. */
const triaged = (board: string, status = 'In progress'): Comparison[] => [
  { ...BOARD, actual: board, holds: board === BOARD.expected },
  { ...STATUS, actual: status, holds: status !== STATUS.expected },
]

/** The conditions of the password agent. */
const aboutPassword = (subject: string, category: string): Comparison[] => [
  { ...SUBJECT, actual: subject, holds: subject.toLowerCase().includes(SUBJECT.expected) },
  { ...CATEGORY, actual: category, holds: category === CATEGORY.expected },
]

/** The condition of the agent that checks time entries. */
const timed = (minutes: number): Comparison[] => [
  { ...MINUTES, actual: minutes, holds: minutes > MINUTES.expected },
]

interface Worked {
  agent_id: number
  title: string
  minutes: number | null
}

/**
 * The conditions of an agent that ran, as they were compared with the ticket or time entry. The ticket may have another board
 * and category since.
 */
export function comparedWith({ agent_id, title, minutes }: Worked): Comparison[] {
  if (agent_id === TIME_ENTRIES) return timed(minutes ?? 0)
  return agent_id === PASSWORDS ? aboutPassword(title, CATEGORY.expected) : triaged(BOARD.expected)
}

const conditionFailed = (agent_id: number, comparisons: Comparison[]): MatchStory => ({
  agent_id,
  result: 'NOT_MATCHED',
  reason_code: 'CONDITION_FAILED',
  comparisons,
})

const skipped = (
  agent_id: number,
  reason_code: Match['reason_code'],
  comparisons = triaged('Service desk'),
): MatchStory => ({ agent_id, result: 'SKIPPED', reason_code, comparisons })

/** The agent does not select the change. */
export const notSelected = (agent_id: number): MatchStory => ({
  agent_id,
  result: 'NOT_MATCHED',
  reason_code: 'CHANGE_TYPE_NOT_SELECTED',
})

/** The triage agent leaves tickets of other boards alone. */
const otherBoard = (board: string): MatchStory => conditionFailed(TRIAGE, triaged(board))

/** The triage agent does not run for a ticket of this board that another agent takes. */
export const notTriaged = (board: string): MatchStory =>
  board === 'Service desk' ? skipped(TRIAGE, 'RUN_ALREADY_LIVE') : otherBoard(board)

/** The password agent leaves other tickets alone; both of its conditions fail. */
export const noPassword = (subject: string, category: string): MatchStory =>
  conditionFailed(PASSWORDS, aboutPassword(subject, category))

const CLOSED = conditionFailed(TRIAGE, triaged('Service desk', 'Closed'))

const filtered = (
  a_day: number,
  filter_reason: Callback['filter_reason'],
  ...changes: ChangeType[][]
): CallbackStory => ({
  a_day,
  status: 'FILTERED_OUT',
  filter_reason,
  changes,
  about: 'TICKET',
  matches: [],
})

const matched = (a_day: number, change: ChangeType, ...matches: MatchStory[]): CallbackStory => ({
  a_day,
  status: 'PROCESSED',
  changes: [[change]],
  about: 'TICKET',
  matches,
})

const created = (a_day: number, ...matches: MatchStory[]): CallbackStory => ({
  ...matched(a_day, 'TICKET_CREATED', ...matches),
  is_new: true,
})

const replied = (a_day: number, triage: MatchStory): CallbackStory =>
  matched(a_day, 'TICKET_CUSTOMER_REPLIED', triage, notSelected(PASSWORDS))

export const DAILY: readonly CallbackStory[] = [
  created(6, otherBoard('Projects'), noPassword('Move of the Leeds office, phase 2', 'Project')),
  created(5, otherBoard('Alerts'), noPassword('Disk space low on FS02', 'Monitoring')),
  created(3, otherBoard('Procurement'), noPassword('Quote for eight laptops', 'Hardware')),
  { ...filtered(2, 'COMPANY_OUT_OF_SCOPE', ['TICKET_CREATED']), is_new: true, out_of_scope: true },
  filtered(
    8,
    'CHANGE_TYPE_UNUSED',
    ['TICKET_STATUS_CHANGED'],
    ['TICKET_ASSIGNEE_CHANGED'],
    ['TICKET_TECHNICIAN_REPLIED'],
    ['TICKET_INTERNAL_NOTE_ADDED'],
    ['TICKET_STATUS_CHANGED', 'TICKET_CLOSED'],
    ['TICKET_DUE_DATE_CHANGED'],
    ['TICKET_ATTACHMENT_ADDED'],
    ['TICKET_CONTACT_CHANGED'],
    ['TICKET_COMPANY_CHANGED', 'TICKET_CONTACT_CHANGED'],
    ['TICKET_SUMMARY_CHANGED'],
    ['TICKET_MERGED', 'TICKET_STATUS_CHANGED'],
    ['TICKET_OTHER_CHANGED'],
  ),
  filtered(
    5,
    'OWN_CHANGE',
    ['TICKET_TYPE_CHANGED', 'TICKET_PRIORITY_CHANGED'],
    ['TICKET_QUEUE_CHANGED'],
    ['TICKET_INTERNAL_NOTE_ADDED'],
  ),
  filtered(1.2, 'DUPLICATE', ['TICKET_CUSTOMER_REPLIED'], ['TICKET_STATUS_CHANGED']),
  replied(1.2, CLOSED),
  replied(0.9, skipped(TRIAGE, 'DEBOUNCED')),
  replied(1, skipped(TRIAGE, 'RUN_ALREADY_LIVE')),
  {
    a_day: 2,
    status: 'PROCESSED',
    changes: [['TIME_ENTRY_CREATED'], ['TIME_ENTRY_UPDATED']],
    about: 'TIME_ENTRY',
    is_new: true,
    matches: [conditionFailed(TIME_ENTRIES, timed(0))],
  },
  { ...filtered(1, 'CHANGE_TYPE_UNUSED', ['TIME_ENTRY_DELETED']), about: 'TIME_ENTRY', is_new: true },
  { a_day: 1, status: 'PROCESSED', changes: [[]], about: 'COMPANY', matches: [] },
  { a_day: 1.5, status: 'PROCESSED', changes: [[]], about: 'CONTACT', matches: [] },
]

const NO_MODEL = { code: 'model_not_configured', message: new ApiError('model_not_configured').message }

/** Rare callbacks, and how many of each there are. */
export const RARE: readonly (readonly [callbacks: number, story: CallbackStory])[] = [
  [9, replied(0, skipped(TRIAGE, 'OWN_CHANGE'))],
  [5, replied(0, { ...skipped(TRIAGE, 'START_REFUSED'), refusal: NO_MODEL })],
  [6, replied(0, { agent_id: TRIAGE, result: 'NOT_MATCHED', reason_code: 'COMPANY_OUT_OF_SCOPE' })],
  [11, { ...created(0), status: 'FAILED', error: 'The PSA did not answer within 30 seconds.' }],
  [7, { ...filtered(0, 'ENTITY_NOT_FOUND', []), is_new: true }],
]

interface Episode {
  /** Days ago, and how long it took. */
  days: number
  minutes: number
  callbacks: number
  story: CallbackStory
}

const ASKED_AGAIN = aboutPassword('Password reset for the new phone', 'Access')

/** Single events: callbacks were paused, credits ran out, an agent was paused. */
export const EPISODES: readonly Episode[] = [
  {
    days: 20,
    minutes: 40,
    callbacks: 12,
    story: filtered(0, 'TENANT_PAUSED', ['TICKET_CUSTOMER_REPLIED'], ['TICKET_STATUS_CHANGED']),
  },
  {
    days: 16,
    minutes: 25,
    callbacks: 6,
    story: replied(0, skipped(TRIAGE, 'CREDITS_EXHAUSTED')),
  },
  {
    days: 19,
    minutes: 55,
    callbacks: 4,
    story: matched(
      0,
      'TICKET_REOPENED',
      notSelected(TRIAGE),
      skipped(PASSWORDS, 'AGENT_NOT_ACTIVE', ASKED_AGAIN),
    ),
  },
]

/** Callbacks under way: seconds since their receipt. */
export const UNDER_WAY: readonly [status: Callback['status'], seconds: number, change: ChangeType][] = [
  ['RECEIVED', 0.6, 'TICKET_CUSTOMER_REPLIED'],
  ['RECEIVED', 1.9, 'TICKET_CREATED'],
  ['QUEUED', 8, 'TICKET_CREATED'],
  ['QUEUED', 17, 'TICKET_CUSTOMER_REPLIED'],
  ['QUEUED', 31, 'TICKET_REOPENED'],
  ['PROCESSING', 47, 'TICKET_CREATED'],
]
