import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AgentFacts,
  failedAmong,
  filterReason,
  matchOf,
  settingsIn,
} from '../../src/areas/callbacks/rules/decisions.ts'
import { isReprocessable, lookAgainAt, retryAt } from '../../src/areas/callbacks/rules/retries.ts'
import type { ChangeType } from '../../src/areas/change-types/index.ts'

const STATUS: ChangeType = 'TICKET_STATUS_CHANGED'
const NOW = new Date(Date.UTC(2026, 5, 1))

const event = (given: Partial<Parameters<typeof filterReason>[0]> = {}) => ({
  change_types: [STATUS],
  own_changes: [],
  is_in_scope: true,
  ...given,
})

const settings = (given: object = {}) => settingsIn({ change_types: [STATUS], ...given })

test('settings have defaults, whatever is stored', () => {
  const none = { change_types: [], ignore_own_changes: true, debounce_seconds: 0 }
  for (const stored of [null, {}, [], 'x', { change_types: 'x', debounce_seconds: 'x' }])
    expect(settingsIn(stored)).toEqual(none)
})

test.each([
  ['some agent is asked', event(), [settings()], null],
  ['nothing changed', event({ change_types: [] }), [], 'DUPLICATE'],
  ['no agent selects it', event(), [], 'CHANGE_TYPE_UNUSED'],
  ['the company is out of scope', event({ is_in_scope: false }), [settings()], 'COMPANY_OUT_OF_SCOPE'],
  ['agents made it', event({ own_changes: [STATUS] }), [settings()], 'OWN_CHANGE'],
  [
    'one agent takes those too',
    event({ own_changes: [STATUS] }),
    [settings(), settings({ ignore_own_changes: false })],
    null,
  ],
  [
    'an agent selects another change of it',
    event({ change_types: [STATUS, 'TICKET_CLOSED'], own_changes: [STATUS] }),
    [settings({ change_types: ['TICKET_CLOSED'] })],
    null,
  ],
])('an event is filtered by the first reason that holds: %s', (_name, of, agents, expected) => {
  expect(filterReason(of, agents)).toBe(expected)
})

const facts = (given: Partial<AgentFacts> = {}): AgentFacts => ({
  state: 'ACTIVE',
  settings: settings(),
  matching: { met: true, comparisons: [] },
  is_live: false,
  last_run_at: null,
  has_credits: true,
  ...given,
})

const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)
const compared = (field: string, holds: boolean) => ({
  field,
  operator: 'equals',
  expected: 'A',
  actual: 'B',
  holds,
})
const comparisons = [compared('board', false), compared('queue', true)]

test.each<[string, Partial<AgentFacts>, ReturnType<typeof event>, string, string | null]>([
  ['runs', {}, event(), 'MATCHED', null],
  [
    'selects other changes',
    { settings: settings({ change_types: ['TICKET_CLOSED'] }) },
    event(),
    'NOT_MATCHED',
    'CHANGE_TYPE_NOT_SELECTED',
  ],
  ['does not work for the company', {}, event({ is_in_scope: false }), 'NOT_MATCHED', 'COMPANY_OUT_OF_SCOPE'],
  [
    'has conditions that fail',
    { matching: { met: false, comparisons } },
    event(),
    'NOT_MATCHED',
    'CONDITION_FAILED',
  ],
  ['has conditions on what is gone', { matching: null }, event(), 'NOT_MATCHED', 'CONDITION_FAILED'],
  [
    'has conditions of which one suffices',
    { matching: { met: true, comparisons } },
    event(),
    'MATCHED',
    null,
  ],
  ['was paused', { state: 'PAUSED' }, event(), 'SKIPPED', 'AGENT_NOT_ACTIVE'],
  ['ignores what agents do', {}, event({ own_changes: [STATUS] }), 'SKIPPED', 'OWN_CHANGE'],
  ['is at work on it', { is_live: true }, event(), 'SKIPPED', 'RUN_ALREADY_LIVE'],
  [
    'ran a moment ago',
    { settings: settings({ debounce_seconds: 60 }), last_run_at: ago(59) },
    event(),
    'SKIPPED',
    'DEBOUNCED',
  ],
  [
    'ran long enough ago',
    { settings: settings({ debounce_seconds: 60 }), last_run_at: ago(60) },
    event(),
    'MATCHED',
    null,
  ],
  ['has no debounce', { last_run_at: ago(0) }, event(), 'MATCHED', null],
  ['has no credits left', { has_credits: false }, event(), 'SKIPPED', 'CREDITS_EXHAUSTED'],
])('an agent that %s', (_name, given, of, result, reason_code) => {
  const decision = matchOf(of, facts(given), NOW)
  expect([decision.result, decision.reason_code]).toEqual([result, reason_code])
  expect(decision.comparisons).toEqual(given.matching?.comparisons ?? [])
})

test('the conditions that failed are told if they are the reason', () => {
  expect(failedAmong('CONDITION_FAILED', comparisons)).toEqual([compared('board', false)])
  expect(failedAmong('AGENT_NOT_ACTIVE', comparisons)).toEqual([])
  expect(failedAmong(null, comparisons)).toEqual([])
})

test('an agent that runs would be asked: the filter and the match agree', () => {
  const code = fc.constantFrom<ChangeType>(STATUS, 'TICKET_CLOSED', 'TICKET_MERGED')
  const change_types = fc.uniqueArray(code)
  const property = fc.property(
    change_types,
    change_types,
    change_types,
    fc.boolean(),
    fc.boolean(),
    (all, own, selected, ignore_own_changes, is_in_scope) => {
      const of = { change_types: all, own_changes: own.filter((one) => all.includes(one)), is_in_scope }
      const agent = settingsIn({ change_types: selected, ignore_own_changes })
      const selects = all.some((one) => selected.includes(one))
      const { result } = matchOf(of, facts({ settings: agent }), NOW)
      expect(result === 'MATCHED').toBe(filterReason(of, selects ? [agent] : []) === null)
    },
  )
  fc.assert(property)
})

test('a PSA that does not answer is asked for more than an hour, ever more rarely', () => {
  const seconds: number[] = []
  for (let attempts = 1, now = NOW; ; attempts++) {
    const next = retryAt(attempts, NOW, now)
    if (!next) break
    seconds.push((next.getTime() - now.getTime()) / 1000)
    now = next
  }
  expect(seconds.slice(0, 5)).toEqual([5, 10, 20, 30, 30])
  expect(Math.max(...seconds)).toBe(300)
  expect(seconds.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(3600)
  expect(seconds.length).toBeLessThan(50)
})

test.each([
  ['FAILED', 7 * 86_400, true],
  ['FILTERED_OUT', 0, true],
  ['FAILED', 7 * 86_400 + 1, false],
  ...['RECEIVED', 'QUEUED', 'PROCESSING', 'PROCESSED'].map((status) => [status, 0, false] as const),
] as const)(
  'a callback that is %s, received %s seconds ago, is processed again: %s',
  (status, seconds, expected) => {
    expect(isReprocessable({ status, received_at: ago(seconds) }, NOW)).toBe(expected)
  },
)

test('an entity that is not shown is looked at again four times, later each time', () => {
  const pauses = [0, 1, 2, 3, 4].map((looks) => {
    const at = lookAgainAt(looks, NOW)
    return at && (at.getTime() - NOW.getTime()) / 1000
  })
  expect(pauses).toEqual([2, 10, 60, 300, null])
})
