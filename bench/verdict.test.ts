import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Goal } from './goals.ts'
import { judge } from './verdict.ts'

const goal: Goal = { of: 'speed', figure: 'speed', bound: { side: 'at least', value: 1 } }
const found = (value: number, noise = 0.1) => new Map([['speed', { value, noise }]])
const verdict = (goals: Goal[], value: number) => {
  const { markdown, missed } = judge(goals, found(value), null)
  return { last: markdown?.split('\n')[2]?.split('|').at(-2)?.trim(), missed }
}

test('a goal is missed only by more than the noise', () => {
  assert.deepEqual(verdict([goal], 1), { last: 'yes', missed: [] })
  assert.deepEqual(verdict([goal], 0.95), { last: 'within the noise', missed: [] })
  assert.deepEqual(verdict([goal], 0.8), { last: 'no', missed: ['speed'] })
})

test('a goal that was not reached is missed if its figure gets worse than the one on record', () => {
  const recorded: Goal = { ...goal, on_record: { value: 0.7, profile: 'The log.' } }
  assert.deepEqual(verdict([recorded], 1.2), { last: 'yes', missed: [] })
  assert.deepEqual(verdict([recorded], 0.65), { last: 'no; on record: 0.70', missed: [] })
  assert.deepEqual(verdict([recorded], 0.6), { last: 'no; worse than on record: 0.70', missed: ['speed'] })
})

test('earlier figures stand beside those of this run, and what was not measured is not judged', () => {
  const { markdown } = judge([goal], found(1.5), found(1.25))
  assert.match(markdown ?? '', /\| speed \| at least 1 \| 1\.25 \| 1\.50 \|/)
  assert.equal(judge([goal], new Map(), null).markdown, null)
})
