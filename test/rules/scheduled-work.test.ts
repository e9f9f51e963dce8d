import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { agentProblem, timeProblems } from '../../src/areas/scheduled-work/rules.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE

describe('the time of an entry', () => {
  it.each([
    [MINUTE, true],
    [MINUTE - 1, false],
    [0, false],
    [-MINUTE, false],
    [YEAR, true],
    [YEAR + 1, false],
  ])('%i ms from now is possible: %s', (ahead, possible) => {
    const problems = timeProblems(new Date(now.getTime() + ahead), now)
    expect(problems.map(({ field, code }) => [field, code])).toEqual(
      possible ? [] : [['scheduled_for', 'range']],
    )
  })

  test('is possible between a minute and a year from now', () => {
    fc.assert(
      fc.property(fc.integer({ min: MINUTE, max: YEAR }), (ahead) => {
        expect(timeProblems(new Date(now.getTime() + ahead), now)).toEqual([])
      }),
    )
  })
})

test.each([
  ['TRIGGERED', 'ACTIVE', null],
  ['TRIGGERED', 'DRAFT', 'agent_not_active'],
  ['TRIGGERED', 'PAUSED', 'agent_not_active'],
  ['TRIGGERED', 'ARCHIVED', 'agent_not_active'],
  ['SCHEDULED', 'ACTIVE', 'agent_not_triggered'],
  ['ON_DEMAND', 'ARCHIVED', 'agent_not_triggered'],
  ['CHAT', 'ACTIVE', 'agent_not_triggered'],
])('an agent that is %s and %s is refused with %s', (trigger_type, state, code) => {
  expect(agentProblem({ trigger_type, state })).toBe(code)
})
