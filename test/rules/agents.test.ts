import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CONFIGURATION,
  changedPaths,
  configurationIn,
  type GivenShare,
  replacedShares,
  runRefusal,
  type Share,
  STATES,
  shareProblems,
  supervisionOf,
} from '../../src/areas/agents/rules.ts'
import { enumOptions } from '../../src/schema/models.ts'

const json = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.string(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(fc.integer(), fc.array(fc.integer())), {
    maxKeys: 3,
  }),
)

const configuration = fc
  .tuple(...CONFIGURATION.map(() => json))
  .map((values) => Object.fromEntries(CONFIGURATION.map((field, index) => [field, values[index]])))

/** The value at the path. */
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inside, name) => (inside as Record<string, unknown> | null)?.[name], value)

describe('the states of an agent', () => {
  it('are those that are stored', () => {
    expect([...STATES].sort()).toEqual(Object.keys(enumOptions('AgentState').values).sort())
  })
})

describe('the changed paths of a configuration', () => {
  it.each([
    [null, { name: 'x', description: null }, ['name']],
    [{ name: 'x' }, { name: 'x' }, []],
    [{ name: 'x', state: 'DRAFT' }, { name: 'x', state: 'ACTIVE' }, []],
    [{ name: 'x' }, { name: 'y' }, ['name']],
    [{ agent_settings: { a: 1, b: 2 } }, { agent_settings: { a: 1, b: 3 } }, ['agent_settings.b']],
    [{ agent_settings: { a: 1 } }, { agent_settings: { b: 1 } }, ['agent_settings.a', 'agent_settings.b']],
    [{ agent_settings: { a: 1 } }, { agent_settings: null }, ['agent_settings']],
    [{ actions: [{ type: 'a' }] }, { actions: [{ type: 'b' }] }, ['actions']],
    [
      { schedule: { a: { b: { c: { d: 1 } } } } },
      { schedule: { a: { b: { c: { d: 2 } } } } },
      ['schedule.a.b'],
    ],
  ])('from %j to %j are %j', (before, after, expected) => {
    expect(changedPaths(before, after)).toEqual(expected)
  })

  it('are none if nothing differs, and otherwise paths at which the two differ', () => {
    fc.assert(
      fc.property(configuration, configuration, (before, after) => {
        expect(changedPaths(before, structuredClone(before))).toEqual([])
        const paths = changedPaths(before, after)
        for (const path of paths) expect(at(before, path)).not.toEqual(at(after, path))
        expect(new Set(paths).size).toBe(paths.length)
      }),
    )
  })

  it('name every field that differs', () => {
    fc.assert(
      fc.property(configuration, fc.constantFrom(...CONFIGURATION), fc.string(), (before, field, value) => {
        const after = { ...before, [field]: [value, 'new'] }
        expect(changedPaths(before, after)).toEqual([field])
      }),
    )
  })
})

it('The configuration in a row is its fields and no others, and that of a snapshot is the snapshot', () => {
  fc.assert(
    fc.property(configuration, (stored) => {
      const row: Record<string, unknown> = { ...stored, id: 1, state: 'ACTIVE', tenant_id: 'x', revision: 7 }
      expect(configurationIn(row)).toEqual(stored)
      expect(configurationIn(configurationIn(row))).toEqual(stored)
    }),
  )
  expect(configurationIn({ name: 'x' })).toEqual({ name: 'x' })
})

const now = new Date('2026-05-01T00:00:00Z')
const users = ['a', 'b', 'c', 'd']
const names = new Map(users.map((id) => [id, `Name ${id === 'd' ? 'a' : id}`]))
const givenShares: fc.Arbitrary<GivenShare[]> = fc.uniqueArray(
  fc.record({ user_id: fc.constantFrom(...users), can_edit: fc.boolean() }),
  { selector: ({ user_id }) => user_id },
)
const storedShares: fc.Arbitrary<Share[]> = givenShares.map((shares) =>
  replacedShares([], shares, names, new Date('2026-01-01T00:00:00Z')),
)

describe('replaced shares', () => {
  it('are those that are given, by name, whatever their order', () => {
    fc.assert(
      fc.property(storedShares, givenShares, (stored, given) => {
        const shares = replacedShares(stored, given, names, now)
        expect(shares).toEqual(replacedShares(stored, [...given].reverse(), names, now))
        const order = shares.map(({ name, user_id }) => `${name} ${user_id}`)
        expect(order).toEqual([...order].sort())
        const sent = shares.map(({ user_id, can_edit }) => [user_id, can_edit])
        expect(sent.sort()).toEqual(given.map(({ user_id, can_edit }) => [user_id, can_edit]).sort())
      }),
    )
  })

  it('that were there keep their instant, and all of them sent back change nothing', () => {
    fc.assert(
      fc.property(storedShares, givenShares, (stored, given) => {
        const known = new Set(stored.map(({ user_id }) => user_id))
        for (const { user_id, created_at } of replacedShares(stored, given, names, now))
          expect(created_at < now).toBe(known.has(user_id))
        expect(replacedShares(stored, stored, names, now)).toEqual(stored)
      }),
    )
  })
})

it('Shares with unknown users, with the creator, and with a user twice are problems', () => {
  const given = ['a', 'x', 'b', 'a', 'x'].map((user_id) => ({ user_id, can_edit: false }))
  expect(shareProblems(given, names, 'b').map(({ field, code }) => [field, code])).toEqual([
    ['shares.1.user_id', 'unknown'],
    ['shares.2.user_id', 'creator'],
    ['shares.3.user_id', 'duplicate'],
    ['shares.4.user_id', 'unknown'],
  ])
  expect(shareProblems(given.slice(0, 1), names, null)).toEqual([])
})

describe('a run', () => {
  it.each([
    ['DRAFT', 'AGENTIC', 'agent_not_active'],
    ['PAUSED', 'CONVERSATIONAL', 'agent_not_active'],
    ['ARCHIVED', 'CHAINED_ACTIONS', 'agent_not_active'],
    ['ACTIVE', 'CONVERSATIONAL', 'agent_is_conversational'],
    ['ACTIVE', 'AGENTIC', null],
    ['ACTIVE', 'CHAINED_ACTIONS', null],
  ] as const)('of an agent that is %s and %s is refused with %s', (state, autonomy_type, expected) => {
    expect(runRefusal({ state, autonomy_type })).toBe(expected)
  })

  it.each([
    [false, [1, 2], false, null, false, []],
    [false, [1, 2], false, [3], false, []],
    [false, [1, 2], true, null, true, [1, 2]],
    [false, [], true, null, true, []],
    [false, [1, 2], true, [3, 3], true, [3]],
    [true, [1, 2], false, null, true, [1, 2]],
    [true, [1, 2], true, [3], true, [1, 2]],
  ])(
    'of an agent supervised: %j by %j, asked for: %j by %j, is supervised: %j by %j',
    (supervised, supervisors, supervised_run, named, is_supervised, by) => {
      const agent = { supervised, supervisor_technician_ids: supervisors }
      const asked = { supervised_run, supervisor_technician_ids: named }
      expect(supervisionOf(agent, asked)).toEqual({
        supervised: is_supervised,
        supervisor_technician_ids: by,
      })
    },
  )

  it('is never less supervised than the agent, and never by others than those it names', () => {
    const ids = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 })
    const agents = fc.record({ supervised: fc.boolean(), supervisor_technician_ids: ids })
    const requests = fc.record({ supervised_run: fc.boolean(), supervisor_technician_ids: fc.option(ids) })
    fc.assert(
      fc.property(agents, requests, (agent, asked) => {
        const run = supervisionOf(agent, asked)
        expect(run.supervised).toBe(agent.supervised || asked.supervised_run)
        if (agent.supervised) expect(run).toEqual(agent)
      }),
    )
  })
})
