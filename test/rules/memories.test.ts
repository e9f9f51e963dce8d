import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  agentIds,
  agentProblems,
  audienceProblems,
  confirmedConfidence,
  goneBefore,
  newConfidence,
  scopeProblems,
} from '../../src/areas/memories/rules.ts'

const codes = (problems: readonly { field: string; code: string }[]) =>
  problems.map(({ field, code }) => `${field} ${code}`)

test.each([
  [['ALL'], []],
  [['ALL', 'ALL'], []],
  [['TECHNICIANS', 'DISPATCH'], []],
  [['ALL', 'DISPATCH'], ['audiences exclusive']],
])('the audiences %j have the problems %j', (audiences, problems) => {
  expect(codes(audienceProblems(audiences))).toEqual(problems)
})

test.each([
  ['TENANT', null, []],
  ['TENANT', 'psa_1', ['scope_id exclusive']],
  ['CLIENT', 'psa_1', []],
  ['CLIENT', null, ['scope_id required']],
])('the scope %s %s has the problems %j', (type, id, problems) => {
  expect(codes(scopeProblems(type, id))).toEqual(problems)
})

describe('the ids of agents', () => {
  it('are numbers, in the places in which they were sent; what no agent can have is 0', () => {
    expect(agentIds(['1', '02', '7', '1', '2147483648', '2147483647'])).toEqual([
      1, 0, 7, 1, 0, 2_147_483_647,
    ])
  })

  test('are those that were sent', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 2_147_483_647 }))
    fc.assert(
      fc.property(ids, (some) => {
        expect(agentIds(some.map(String))).toEqual(some)
      }),
    )
  })

  it('are those of agents that the caller sees', () => {
    expect(codes(agentProblems([1, 0, 2], new Set([1, 2])))).toEqual(['restricted_to_agent_ids.1 unknown'])
  })
})

test.each([
  ['STATED', null, true, 1],
  ['STATED', 0.2, true, 1],
  ['STATED', 0.2, false, 0.2],
  ['OBSERVED', null, true, 0.8],
  ['INFERRED', 0, false, 0],
])('what is %s with the confidence %s by a person (%s) has %s', (derivation, confidence, by_person, kept) => {
  expect(newConfidence({ derivation, confidence, by_person })).toBe(kept)
})

test('a confirmation never lowers the confidence, and leaves at least 0.95', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (confidence) => {
      expect(confirmedConfidence(confidence)).toBe(Math.max(confidence, 0.95))
    }),
  )
})

test('a deleted memory is gone after 30 days', () => {
  expect(goneBefore(new Date('2026-03-31T12:00:00Z')).toISOString()).toBe('2026-03-01T12:00:00.000Z')
})
