import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfPage, typesOf } from '../../src/areas/events/rules.ts'

const TYPES = ['agent.created', 'agent.paused', 'agent_share.created', 'execution.failed']

describe('the types that patterns name', () => {
  it.each([
    [['*'], TYPES, []],
    [['agent.*'], ['agent.created', 'agent.paused'], []],
    [['agent.paused', 'execution.*'], ['agent.paused', 'execution.failed'], []],
    [['agent.paused', 'agent.paused'], ['agent.paused'], []],
    [[], [], []],
    [
      ['agent', 'agent.', '.*', '', '*.created', 'AGENT.*', 'agent.*.*'],
      [],
      ['agent', 'agent.', '.*', '', '*.created', 'AGENT.*', 'agent.*.*'],
    ],
    [['skill.*', 'agent.created'], ['agent.created'], ['skill.*']],
  ])('%j', (patterns, chosen, unknown) => {
    expect(typesOf(patterns, TYPES)).toEqual({ chosen, unknown })
  })
})

describe('the end of a page', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ event_id: `e${n}` }))

  it.each([
    [
      'full, with more of its stretch',
      3,
      { last: 'e9', goes_on: false },
      { next_cursor: 'e1', has_more: true },
    ],
    [
      'full, at the end of the feed',
      2,
      { last: 'e1', goes_on: false },
      { next_cursor: 'e1', has_more: false },
    ],
    [
      'of a stretch that ends invisibly',
      2,
      { last: 'e9', goes_on: false },
      { next_cursor: 'e9', has_more: false },
    ],
    [
      'without events, before another stretch',
      0,
      { last: 'e9', goes_on: true },
      { next_cursor: 'e9', has_more: true },
    ],
    ['without anything', 0, { last: null, goes_on: false }, { next_cursor: 'from', has_more: false }],
  ])('%s', (_what, count, stretch, end) => {
    expect(endOfPage(rows(count), { after: 'from', size: 2, stretch })).toEqual(end)
  })

  it('never stands still while there is more', () => {
    const stretch = fc.record({ last: fc.constant('last'), goes_on: fc.boolean() })
    fc.assert(
      fc.property(fc.nat(5), fc.integer({ min: 1, max: 4 }), stretch, (count, size, of) => {
        const { next_cursor, has_more } = endOfPage(rows(count), { after: 'from', size, stretch: of })
        expect(has_more && next_cursor === 'from').toBe(false)
      }),
    )
  })
})
