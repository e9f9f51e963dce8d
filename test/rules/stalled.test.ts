/** Which tickets are stalled, and which the PSA is asked for. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isStalledBy, limitsOf } from '../../src/areas/escalation/stalls.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const before = (minutes: number, ms = 0) => new Date(NOW.getTime() - minutes * 60_000 - ms)

const POLICY = {
  is_default: false,
  agent_ids: [] as number[],
  stalled_minutes: 60,
  stalled_statuses: ['New', 'Waiting'],
}
const TICKET = { status: 'New', updated_at: before(60), closed_at: null }

test.each([
  ['for exactly so long', {}, {}, true],
  ['for a millisecond less', { updated_at: before(60, -1) }, {}, false],
  ['for longer', { updated_at: before(600) }, {}, true],
  ['in another status of the policy', { status: 'Waiting' }, {}, true],
  ['in a status that the policy does not have', { status: 'In progress' }, {}, false],
  ['in a status in other letter case', { status: 'new' }, {}, false],
  ['and is closed', { closed_at: before(60) }, {}, false],
  ['and the policy has no such trigger', {}, { stalled_minutes: null }, false],
  ['and the policy has no status', {}, { stalled_statuses: [] }, false],
  ['and the policy is that of another agent', {}, { agent_ids: [7] }, true],
] as const)('a ticket that nobody touched %s', (_name, ticket, policy, expected) => {
  expect(isStalledBy({ ...POLICY, ...policy }, { ...TICKET, ...ticket }, NOW)).toBe(expected)
})

test.each([
  ['a policy for all agents', {}, null],
  ['a policy for some agents', { agent_ids: [1, 2] }, [1, 2]],
  ['the default policy, whatever its agents are', { agent_ids: [1], is_default: true }, null],
])('the tickets of %s are known by status, touch and agent', (_name, policy, agent_ids) => {
  const common = { before: before(60), agent_ids }
  expect(limitsOf({ ...POLICY, ...policy }, NOW)).toEqual([
    { status: 'New', ...common },
    { status: 'Waiting', ...common },
  ])
})

test('a policy without minutes asks for no ticket', () => {
  expect(limitsOf({ ...POLICY, stalled_minutes: null }, NOW)).toEqual([])
})

test('an open ticket is within a limit of a policy exactly if the policy holds for it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 15, max: 43_200 }),
      fc.subarray(['New', 'Waiting', 'Held']),
      fc.constantFrom('New', 'Waiting', 'Held', 'Other'),
      fc.integer({ min: 0, max: 43_201 * 60_000 }),
      (stalled_minutes, stalled_statuses, status, quiet_ms) => {
        const policy = { ...POLICY, stalled_minutes, stalled_statuses }
        const updated_at = new Date(NOW.getTime() - quiet_ms)
        const is_within = limitsOf(policy, NOW).some(
          (limit) => limit.status === status && updated_at <= limit.before,
        )
        expect(isStalledBy(policy, { status, updated_at, closed_at: null }, NOW)).toBe(is_within)
      },
    ),
  )
})
