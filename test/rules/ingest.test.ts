import { expect, it } from 'vitest'
import { furtherCost } from '../../src/gateway/ingest.ts'

it.each([
  [0, 200, 0],
  [1, 200, 0],
  [2, 200, 1],
  [200, 200, 199],
  [1000, 200, 199],
  [1000, 1, 0],
])(
  'a delivery of %i events, of a limit of %i, costs %i tokens more than its request',
  (events, limit, cost) => {
    expect(furtherCost(events, limit)).toBe(cost)
  },
)
