import { expect, it } from 'vitest'
import { isUnderWay } from '../../src/areas/executions/engine/rules/transitions.ts'
import { ExecutionStatus } from '../../src/db/generated/client/client.ts'
import { isWindow } from '../../src/lib/window.ts'

const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00.001Z')]

it.each([
  [{}, true],
  [{ from: early }, true],
  [{ to: early }, true],
  [{ from: null, to: late }, true],
  [{ from: early, to: late }, true],
  [{ from: early, to: early }, false],
  [{ from: late, to: early }, false],
])('a window of %j can have something in it: %j', (window, expected) => {
  expect(isWindow(window)).toBe(expected)
})

it('an execution that is NEW or RUNNING moves on by itself, and no other does', () => {
  expect(Object.keys(ExecutionStatus).filter(isUnderWay)).toEqual(['NEW', 'RUNNING'])
})
